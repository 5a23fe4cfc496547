/**
 * Runs as spans and metrics. Needs `@opentelemetry/api`.
 *
 * @module xstate-subagents/telemetry
 */
export { traceRuns } from './trace-runs.ts'
export type { RunTraces, TraceRunsOptions } from './trace-runs.ts'

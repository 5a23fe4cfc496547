/**
 * `xstate-subagents/telemetry`: runs as spans and metrics. Needs `@opentelemetry/api`.
 */
export { traceRuns } from './trace-runs.ts'
export type { RunTraces, TraceRunsOptions } from './trace-runs.ts'

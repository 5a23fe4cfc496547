/**
 * Runs as spans and metrics of OpenTelemetry (I6).
 *
 * A run's span begins at the door, in the span of whoever calls `start`, so that its trace context can go with the request; it
 * ends with the run. Only names and figures are told: no prompt, no text, no tool input, no message of an error.
 */
import { context, metrics, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, Meter, Span, Tracer } from '@opentelemetry/api'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { createCleaner, processEnv } from '../inspect/clean.ts'
import { contain } from '../run/contain.ts'
import { stderrLogger } from '../run/defaults.ts'
import { invalid } from '../run/request.ts'
import { setTraceparentSource } from '../run/traceparent.ts'
import type { AdmittedRun } from '../run/traceparent.ts'
import type { SubagentService } from '../service.ts'
import type { Logger, SubagentEndEvent, Usage } from '../types.ts'
import { attribute, invokeAgent, systemName } from './conventions.ts'
import { runMetrics } from './metrics.ts'

/** Where spans and metrics go, and what they may say. */
export interface TraceRunsOptions {
  /** @default that of the global tracer provider, by the name of this package */
  readonly tracer?: Tracer
  /** @default that of the global meter provider, by the name of this package */
  readonly meter?: Meter
  /** Names a span after the label of its run; else after the provider. A label is display text, which its caller chose. @default true */
  readonly labels?: boolean
  /** Values of these variables are kept out of labels, where their names say that they are secrets. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** @default warnings to stderr */
  readonly logger?: Logger
}

/** The tracing of a service. Whoever began it stops it. */
export interface RunTraces extends Disposable {
  /** Traces no run that starts from now on; those that are live keep their spans to their ends. Idempotent. */
  stop(): void
}

interface Traced {
  readonly span: Span
  readonly context: Context
  /** The run's actor, once there is one. */
  ref?: object
  isOver?: boolean
}

const labelLimit = 80
const codeLike = /^[\w.-]{1,64}$/
/** A code that a provider made up is told where it is one, and not where it is a sentence, of which there may be any number. */
const codeOf = (code: string): string => (codeLike.test(code) ? code : '_OTHER')

/**
 * Makes a span `invoke_agent` of every run that starts from now on: nested under the run whose child started it, else under
 * what is active where `start` was called. Its trace context goes on to the child as `resolved.parent.traceparent`.
 *
 * Faults of tracers, meters and exporters are warnings and change no run.
 * @throws SubagentError INVALID_REQUEST for what is no service
 */
export function traceRuns(service: SubagentService, options: TraceRunsOptions = {}): RunTraces {
  const { labels = true, env = processEnv(), logger = stderrLogger } = options
  if (typeof service?.ref?.system?.inspect !== 'function') throw invalid('service', 'a service of createSubagentService', service)
  const tracer = options.tracer ?? trace.getTracer('xstate-subagents')
  const record = runMetrics(options.meter ?? metrics.getMeter('xstate-subagents'))
  const clean = createCleaner(env)
  const live = new Map<string, Traced>()
  let stopped = false

  const begin = (run: AdmittedRun): string | undefined => {
    const { runId, parentRunId, provider, label, depth, agentOptions } = run
    const name = labels && label !== undefined ? clean.text(label, labelLimit) : clean.name(provider)
    const model = agentOptions?.['model']
    const attributes: Attributes = {
      [attribute.operation]: invokeAgent,
      [attribute.system]: systemName,
      [attribute.agentName]: name,
      [attribute.provider]: clean.name(provider),
      [attribute.runId]: clean.name(runId),
      [attribute.depth]: depth,
      ...(typeof model === 'string' && { [attribute.requestModel]: clean.name(model) }),
    }
    const above = (parentRunId === undefined ? undefined : live.get(parentRunId)?.context) ?? context.active()
    const span = tracer.startSpan(`${invokeAgent} ${name}`, { kind: SpanKind.INTERNAL, attributes }, above)
    live.set(runId, { span, context: trace.setSpan(above, span) })
    return traceparentOf(span)
  }
  const ended = (event: SubagentEndEvent) => {
    const errorType = errorTypeOf(event)
    const stopReason = codeOf(event.stopReason)
    record(event, { provider: clean.name(event.provider), stopReason, errorType })
    const traced = live.get(event.runId)
    if (!traced) return
    traced.isOver = true
    traced.span.setAttributes({ ...outcomeOf(event, errorType), [attribute.agentId]: clean.name(event.id) })
    if (errorType !== undefined) traced.span.setStatus({ code: SpanStatusCode.ERROR, message: errorType })
    else if (event.stopReason === 'completed') traced.span.setStatus({ code: SpanStatusCode.OK })
    traced.span.end()
  }
  /** Forgets a run when its actor is gone; one whose start failed has had no end. */
  const observe = (event: InspectionEvent) => {
    if (event.type !== '@xstate.snapshot') return
    const ref = event.actorRef as AnyActorRef
    if ((ref.src as unknown) !== 'run') return
    const traced = live.get(ref.id)
    if (!traced) return
    // A start that was refused for its id has an actor of that id too.
    traced.ref ??= ref
    if (traced.ref !== ref || event.snapshot.status === 'active') return
    live.delete(ref.id)
    if (!traced.isOver) {
      traced.span.setAttribute(attribute.errorType, 'start-failed')
      traced.span.setStatus({ code: SpanStatusCode.ERROR, message: 'start-failed' })
      traced.span.end()
    }
    if (stopped && live.size === 0) unwatch()
  }

  const watched = service.ref.system.inspect((event: InspectionEvent) => contain(logger, 'The tracing of runs', () => observe(event)))
  const heard = service.on('subagent/end', (event) => contain(logger, 'The tracing of runs', () => ended(event)))
  const unset = setTraceparentSource(service.ref, begin)
  const unwatch = () => {
    watched.unsubscribe()
    heard.unsubscribe()
  }
  const stop = () => {
    stopped = true
    unset()
    if (live.size === 0) unwatch()
  }
  return { stop, [Symbol.dispose]: stop }
}

function traceparentOf(span: Span): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return /^0+$/.test(traceId) ? undefined : `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

/** A cancel is no fault: somebody wanted it. */
function errorTypeOf({ stopReason, failure }: SubagentEndEvent): string | undefined {
  if (stopReason === 'completed' || (stopReason === 'aborted' && !failure)) return undefined
  return codeOf(failure?.code ?? stopReason)
}

function outcomeOf({ stopReason, failure, usage }: SubagentEndEvent, errorType: string | undefined): Attributes {
  return {
    [attribute.stopReason]: codeOf(stopReason),
    ...(errorType !== undefined && { [attribute.errorType]: errorType }),
    ...(failure && { [attribute.failureCode]: codeOf(failure.code) }),
    ...usageOf(usage),
  }
}

const usageAttributes = {
  inputTokens: attribute.inputTokens,
  outputTokens: attribute.outputTokens,
  cachedInputTokens: attribute.cachedInputTokens,
  reasoningTokens: attribute.reasoningTokens,
} as const satisfies Partial<Record<keyof Usage, string>>

function usageOf(usage: Usage | undefined): Attributes {
  const fields = Object.entries(usageAttributes) as [keyof typeof usageAttributes, string][]
  return Object.fromEntries(fields.flatMap(([field, name]) => (Number.isFinite(usage?.[field]) ? [[name, usage![field]]] : [])))
}

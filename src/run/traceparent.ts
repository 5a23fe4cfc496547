/**
 * Where the trace context of a run comes from, for a child that hands it on: whoever traces the runs of a registry is asked once
 * for each that passed the door. Without one nothing is asked and nothing handed on (I6).
 */
import type { AnyActorRef } from 'xstate'
import type { Logger } from '../types.ts'
import { describeThrown, warn } from './contain.ts'
import type { RequestParts } from './request.ts'

/** A run that has passed the door, before there is anything of it. */
export interface AdmittedRun extends RequestParts {
  readonly runId: string
  readonly provider: string
  readonly parentRunId: string | undefined
  readonly depth: number
}

/** Called in the span of the caller's `start`. @returns a W3C traceparent; undefined for none */
export type TraceparentSource = (run: AdmittedRun) => string | undefined

const sources = new WeakMap<object, TraceparentSource>()
const wellFormed = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** The last one to be set is asked. @returns takes it back */
export function setTraceparentSource(registry: AnyActorRef, source: TraceparentSource): () => void {
  sources.set(registry, source)
  return () => {
    if (sources.get(registry) === source) sources.delete(registry)
  }
}

export function traceparentFor(
  { ref, logger }: { readonly ref: AnyActorRef; readonly logger: Logger },
  run: AdmittedRun,
): { readonly traceparent?: string } {
  const source = sources.get(ref)
  if (!source) return {}
  try {
    const traceparent = source(run)
    return traceparent !== undefined && wellFormed.test(traceparent) ? { traceparent } : {}
  } catch (thrown) {
    warn(logger, `The tracing of runs threw: ${describeThrown(thrown)}`)
    return {}
  }
}

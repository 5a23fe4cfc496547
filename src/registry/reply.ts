/**
 * A start asked for by event, and the answers to the actor that asked (S23). Whoever asked disposes, by `run.dispose`.
 */
import type { AnyActorRef } from 'xstate'
import type { RegistryEvent, RegistryReply } from '../machines/registry.ts'
import { contain, describeThrown, warn } from '../run/contain.ts'
import type { RunHost } from '../run/host.ts'
import type { SubagentRun } from '../types.ts'

export function replyOn(host: RunHost, event: Extract<RegistryEvent, { type: 'run.start' }>): void {
  const { provider, request, requestId, replyTo } = event
  const asked = requestId === undefined ? {} : { requestId }
  const reply = (answer: RegistryReply): void => {
    contain(host.logger, `Answering ${answer.type}`, () => {
      if (replyTo && isRunning(replyTo)) replyTo.send(answer)
    })
  }
  let run: SubagentRun
  try {
    run = host.start(provider, request)
  } catch (error) {
    if (!replyTo) warn(host.logger, `run.start was refused and nobody asked for an answer: ${describeThrown(error)}`)
    reply({ type: 'run.rejected', ...asked, error })
    return
  }
  const { runId } = run
  reply({ type: 'run.started', ...asked, runId, id: run.id, provider })
  run.result.then(
    (result) => reply({ type: 'run.settled', ...asked, runId, result }),
    (error: unknown) => reply({ type: 'run.rejected', ...asked, runId, error }),
  )
}

/** XState warns about an event to a stopped actor; an asker that has gone is no fault. */
function isRunning(actor: AnyActorRef): boolean {
  return (actor.getSnapshot() as { status?: string } | undefined)?.status === 'active'
}

/** The actor of one process, and of those that take over from it: how far the process has come (A2). */
import { createActor } from 'xstate'
import type { AnyActorRef } from 'xstate'
import { acpProcessLogic } from '../../machines/acp-process.ts'
import type { AcpProcessActorRef, AcpProcessEvent, AcpProcessSnapshot, AcpProcessStateValue } from '../../machines/acp-process.ts'

export interface ProcessActorOptions {
  /** The program, without its arguments. */
  readonly command: string
  /** `undefined` while no run has the process. */
  readonly runId: string | undefined
  /** The actor of the run. */
  readonly parent: AnyActorRef
  /** It reads `closing`, whoever moved it there. */
  onClosing(): void
  /** It was stopped from outside, as with a registry that is stopped. */
  onStopped(): void
}

export class ProcessActor {
  readonly #options: ProcessActorOptions
  #actor: AcpProcessActorRef

  constructor(options: ProcessActorOptions) {
    const { command, runId, parent } = options
    this.#options = options
    const input = { ...(runId !== undefined && { runId }), command }
    this.#actor = createActor(acpProcessLogic, { parent, id: `${runId ?? 'pool'}-acp`, src: 'acp-process', input } as never)
    this.#watch(this.#actor)
  }

  get state(): AcpProcessStateValue {
    return this.#actor.getSnapshot().value
  }

  /** Nor ended or stopped. */
  isIn(state: AcpProcessStateValue): boolean {
    const { status, value } = this.#actor.getSnapshot()
    return status === 'active' && value === state
  }

  send(event: AcpProcessEvent): void {
    if (this.#actor.getSnapshot().status === 'active') this.#actor.send(event)
  }

  /** Another run's actor stands for the process from now on. */
  handOver(runId: string, parent: AnyActorRef): void {
    const before = this.#actor
    const rested = before.getSnapshot()
    const snapshot = { ...rested, context: { ...rested.context, runId } }
    this.#actor = createActor(acpProcessLogic, { parent, id: `${runId}-acp`, src: 'acp-process', snapshot } as never)
    before.send({ type: 'hand-over' })
    this.#watch(this.#actor)
  }

  #watch(actor: AcpProcessActorRef): void {
    const moved = ({ value }: AcpProcessSnapshot): void => {
      if (value === 'closing') this.#options.onClosing()
    }
    const complete = (): void => {
      if (actor === this.#actor && actor.getSnapshot().value !== 'closed') this.#options.onStopped()
    }
    actor.subscribe({ next: moved, complete })
    actor.start()
  }
}

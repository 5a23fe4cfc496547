/**
 * One run in the background, as its parent's model knows it: by an id that stays the same when it is resumed (T11).
 *
 * Owns: that each end is noticed once, that the run is disposed once it has ended. Does not own: who may ask for it (the book).
 */
import { SubagentError } from '../../errors.ts'
import { deferred } from '../../run/deferred.ts'
import type { Deferred } from '../../run/deferred.ts'
import type { ParentAgent, SubagentRun } from '../../types.ts'
import type { Binding } from '../binding.ts'
import type { BoundAgent } from '../bound-agents.ts'
import { finishRun, requestOf } from '../call.ts'
import type { Finished, Order } from '../call.ts'
import type { RunNode } from '../progress/node.ts'
import { stateOf } from '../progress/snapshot.ts'
import type { Watched } from '../progress/watch.ts'
import { watchOf } from '../progress/watch.ts'
import { giveNotice } from './notice.ts'

export class BackgroundRun {
  readonly id: string
  readonly description: string
  readonly agent: BoundAgent
  readonly binding: Binding
  /** Who started it, or resumed it in its place, and is told of its end. */
  parent: ParentAgent
  readonly #onEnd: (run: BackgroundRun) => void
  readonly #waiting = new Set<Deferred<void>>()
  #run!: SubagentRun
  #node: RunNode | undefined
  #whenEnded!: Promise<void>
  #startedAt = 0
  #endedAt = 0
  #outcome: Finished | undefined
  #finished: Finished | undefined

  /** @throws what `service.start` throws; nothing is left behind then */
  constructor(binding: Binding, order: Order, begin: () => SubagentRun, onEnd: (run: BackgroundRun) => void) {
    this.binding = binding
    this.description = order.input.description
    this.agent = order.agent
    this.parent = order.parent
    this.#onEnd = onEnd
    this.#follow(this.#watch(begin))
    this.id = this.#run.runId
  }

  get finished(): Finished | undefined {
    return this.#finished
  }

  /** What it came to: there before {@link finished}, since a release may take its time. */
  get answer(): Finished | undefined {
    return this.#finished ?? this.#outcome
  }

  /** The state of its chart; `ended` once its outcome can be read. */
  get state(): string {
    return this.#finished ? 'ended' : stateOf(this.#run.ref)
  }

  /** Its outcome is decided, or it was told to stop; it has not been released yet. */
  get isSettling(): boolean {
    return !this.#finished && /^(settling|disposed)/.test(this.state)
  }

  /** Resolves once its outcome can be read. */
  get whenEnded(): Promise<void> {
    return this.#whenEnded
  }

  /** What it has written so far. */
  get text(): string {
    return this.#node?.text ?? ''
  }

  get elapsedMs(): number {
    return Math.max(0, (this.#finished ? this.#endedAt : this.binding.clock.now()) - this.#startedAt)
  }

  get canTakeMessages(): boolean {
    return this.#run.sendMessage !== undefined
  }

  get canResume(): boolean {
    return this.#run.resume !== undefined
  }

  /** @throws what the provider throws; SubagentError INVALID_REQUEST for one that has settled */
  send(message: string): void {
    this.#run.sendMessage!(message)
  }

  /** Goes on after its end, under the same id. @throws what the provider or `service.start` throws */
  resume(message: string): void {
    const { resume } = this.#run
    this.#follow(this.#watch(() => resume!(message)))
  }

  /**
   * Goes on for the agent that has the session of the one that started it, which is gone: what that one started would go with it.
   * @throws what `service.resume` throws, where the child's own session is not kept
   */
  resumeFor(parent: ParentAgent, message: string): void {
    const { binding, agent, description } = this
    const { sessionId } = this.#finished!
    if (!binding.service.resume || sessionId === undefined)
      throw new SubagentError('UNSUPPORTED_CAPABILITY', `Provider ${JSON.stringify(agent.provider)} keeps no session of it.`)
    const request = requestOf(binding, { input: { description, prompt: message }, agent, parent })
    this.#follow(this.#watch(() => binding.service.resume!(agent.provider, { ...request, sessionId })))
    this.parent = parent
  }

  cancel(reason: string): void {
    this.#run.cancel(reason)
  }

  /** Resolves once there is an answer, after `timeoutMs`, or when `signal` aborts. */
  async wait(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.answer || timeoutMs === 0 || signal?.aborted) return
    const { clock } = this.binding
    const waiting = deferred<void>()
    const stop = () => waiting.resolve()
    const timer = clock.setTimeout(stop, timeoutMs)
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.add(waiting)
    await waiting.promise
    this.#waiting.delete(waiting)
    signal?.removeEventListener('abort', stop)
    clock.clearTimeout(timer)
  }

  #watch(begin: () => SubagentRun): Watched {
    return watchOf(this.binding.service).start(begin, this.description, this.binding.maxOutputBytes)
  }

  #follow({ run, node }: Watched): void {
    this.#run = run
    this.#node = node
    this.#outcome = this.#finished = undefined
    this.#startedAt = this.binding.clock.now()
    let isAwaited = false
    const onOutcome = (outcome: Finished): void => {
      this.#outcome = outcome
      isAwaited = this.#waiting.size > 0
      for (const waiting of this.#waiting) waiting.resolve()
    }
    this.#whenEnded = finishRun(run, this.binding, onOutcome).then((finished) => {
      watchOf(this.binding.service).release(node)
      this.#node = undefined
      this.#finished = finished
      this.#endedAt = this.binding.clock.now()
      this.#onEnd(this)
      giveNotice(this, finished, isAwaited)
    })
  }
}

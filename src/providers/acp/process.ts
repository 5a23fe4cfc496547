/**
 * One process that speaks ACP, with its actor, its line and its session (A2, A7, A19).
 *
 * Owns: what is asked of the agent and how long it may take, teardown. Does not own: what a run makes of the answers
 * (run.ts), which updates are its session's (session-updates.ts), how a process is started and taken down (src/processes).
 *
 * Invariants: how far it has come is read from the actor alone; the teardown begins when the actor reads `closing`, whoever
 * moved it there, and once.
 */
import type { AnyActorRef } from 'xstate'
import type { Redactor } from '../../agents/environment-secrets.ts'
import type { AcpProcessStateValue } from '../../machines/acp-process.ts'
import type { LaunchedProcess } from '../../processes/launched-process.ts'
import { warn } from '../../run/contain.ts'
import type { Deferred } from '../../run/deferred.ts'
import { deferred } from '../../run/deferred.ts'
import type { Clock, ContentBlock, Logger } from '../../types.ts'
import { AcpConnection } from './connection.ts'
import { AcpFailure } from './failure.ts'
import { fields } from './protocol.ts'
import type { AgentFacts } from './protocol.ts'
import type { PermissionOutcome } from './permission.ts'
import { ProcessActor } from './process-actor.ts'
import { SessionUpdates } from './session-updates.ts'
import { startStageTimer, waitAtMost } from './stage-timer.ts'
import type { StageTimer } from './stage-timer.ts'
import type { StructuredChannel } from './structured-channel.ts'

type Fields = { readonly [field: string]: unknown }

/** The run that has the process now. Contract: synchronous, must not throw; `onPermission` must not reject. */
export interface ProcessOwner {
  onUpdate(update: Fields): void
  /** A notification that is no update of a session. */
  onNotification(method: string, params: unknown): void
  onPermission(params: unknown, signal: AbortSignal): Promise<PermissionOutcome>
  /** The process is about to be taken down. */
  onClosing(): void
}

export interface AcpProcessOptions {
  readonly launched: LaunchedProcess
  /** Command and arguments, for messages. */
  readonly command: string
  readonly program: string
  readonly handshakeTimeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** No value of the environment, and nothing that looks like a key, is left in what this gives back. */
  readonly safe: Redactor
}

/** How long a prompt that was cancelled for the teardown may take to end. */
const cancelWaitMs = 2_000

export class AcpProcess {
  readonly command: string
  readonly safe: Redactor
  readonly connection: AcpConnection
  facts: AgentFacts | undefined = undefined
  /** How the runs of this process give their structured result: opened for its session, closed with it. Does not reject. */
  channel: Promise<StructuredChannel> | undefined = undefined

  readonly #options: AcpProcessOptions
  #runId: string | undefined
  #owner: ProcessOwner
  readonly #actor: ProcessActor
  readonly #updates = new SessionUpdates((update) => this.#owner.onUpdate(update))
  #prompting: Promise<unknown> | undefined = undefined
  /** Of the stage of the handshake that is under way. */
  #stageTimer: StageTimer | undefined = undefined
  /** What the agent has asked and is not answered. */
  #questions = 0
  #isTearingDown = false
  #closed: Deferred<void> | undefined = undefined

  /** @param runId undefined while no run has it @param parent the run's actor */
  constructor(options: AcpProcessOptions, owner: ProcessOwner, runId: string | undefined, parent: AnyActorRef) {
    const { launched, command, program, clock, safe } = options
    this.#options = options
    this.#runId = runId
    this.#owner = owner
    this.command = command
    this.safe = safe
    this.#actor = new ProcessActor({
      command: program,
      runId,
      parent,
      onClosing: () => this.#tearDown(),
      // There is no time for manners.
      onStopped: () => {
        launched.killNow()
        this.#tearDown()
      },
    })
    this.connection = new AcpConnection({
      launched,
      clock,
      command,
      onNotification: (method, params) => this.#notified(method, params),
      onPermission: (params, signal) => this.#asked(params, signal),
    })
    if (launched.pid !== undefined) this.#actor.send({ type: 'spawned', pid: launched.pid })
    void this.connection.broken.then((failure) => this.#broke(failure))
  }

  /** The session that is open in it, or was; absent before. */
  get sessionId(): string | undefined {
    return this.#updates.sessionId
  }

  get state(): AcpProcessStateValue {
    return this.#actor.state
  }

  /** The run that has it, or had it last. */
  get runId(): string | undefined {
    return this.#runId
  }

  /** It was greeted, and has no session. */
  get isWaiting(): boolean {
    return this.#actor.isIn('opening')
  }

  /** What it has written to stderr, the end of it. */
  get stderrTail(): string {
    return this.#options.launched.stderrTail
  }

  /** A session is open and nothing runs in it. */
  get isReady(): boolean {
    return this.#actor.isIn('ready')
  }

  /** The handshake's first stage is over. */
  initialized(facts: AgentFacts): void {
    this.facts = facts
    this.#actor.send({ type: 'initialized', ...(facts.agent !== undefined && { agent: facts.agent }) })
  }

  /** Updates are dropped until then: they tell the past of a session that is loaded. */
  whileReplaying<T>(load: () => Promise<T>): Promise<T> {
    return this.#updates.whileReplaying(load)
  }

  /** Updates from before its session was known that were too many. */
  get droppedEarly(): number {
    return this.#updates.droppedEarly
  }

  /** The session is known: what came for it before is delivered. */
  adoptSession(sessionId: string): void {
    this.#updates.adopt(sessionId)
  }

  opened(): void {
    this.#actor.send({ type: 'opened', sessionId: this.sessionId! })
  }

  /**
   * A request with the time of a stage.
   * @param resets whether what the agent sends meanwhile gives it the whole time again
   * @throws AgentError; AcpFailure where the line broke or the time is over
   */
  async stage(method: string, params: Fields, { resets = false }: { readonly resets?: boolean } = {}): Promise<unknown> {
    const { handshakeTimeoutMs, clock } = this.#options
    const over = deferred<never>()
    const timer = startStageTimer(clock, handshakeTimeoutMs, () =>
      over.reject(
        new AcpFailure('HANDSHAKE_FAILED', `The agent ${this.command} did not answer ${method} within ${handshakeTimeoutMs} ms.`, {
          retryable: true,
        }),
      ),
    )
    const stopListening = resets
      ? this.connection.onTraffic(() => {
          if (this.#questions === 0) timer.reset()
        })
      : undefined
    this.#stageTimer = timer
    try {
      return await Promise.race([this.connection.request(method, params), over.promise])
    } finally {
      stopListening?.()
      timer.stop()
      if (this.#stageTimer === timer) this.#stageTimer = undefined
    }
  }

  /** @throws AgentError; AcpFailure where the line broke */
  async prompt(prompt: readonly ContentBlock[]): Promise<unknown> {
    this.#actor.send({ type: 'prompt' })
    const answer = this.connection.request('session/prompt', { sessionId: this.sessionId, prompt })
    this.#prompting = answer.catch(() => {})
    try {
      return await answer
    } finally {
      this.#prompting = undefined
      this.#actor.send({ type: 'answered' })
    }
  }

  cancelPrompt(): void {
    if (this.sessionId !== undefined) this.connection.notify('session/cancel', { sessionId: this.sessionId })
  }

  /** A stage failed: what is left of the process is taken down. */
  fail(failure: AcpFailure): void {
    this.#actor.send({ type: 'fail', code: failure.code })
  }

  /** Takes it down and waits until nothing of it is left. Memoised. @throws what the launched process rejects with */
  close(): Promise<void> {
    this.#actor.send({ type: 'close' })
    return (this.#closed ??= deferred()).promise
  }

  /** Whether the host lives on for it. */
  keepHost(keep: boolean): void {
    const { launched } = this.#options
    if (keep) launched.ref()
    else launched.unref()
  }

  /** Another run has the process, whose session rests, or which has none yet. @param parent the other run's actor */
  handOver(owner: ProcessOwner, runId: string, parent: AnyActorRef): void {
    this.#owner = owner
    this.#runId = runId
    this.#actor.handOver(runId, parent)
  }

  isOwnedBy(owner: ProcessOwner): boolean {
    return this.#owner === owner
  }

  #tearDown(): void {
    if (this.#isTearingDown) return
    this.#isTearingDown = true
    const closed = (this.#closed ??= deferred())
    this.#takeDown().then(
      () => {
        this.#actor.send({ type: 'closed' })
        closed.resolve()
      },
      (error: unknown) => closed.reject(error),
    )
  }

  async #takeDown(): Promise<void> {
    const { launched, clock, logger } = this.#options
    this.#owner.onClosing()
    if (this.#prompting && !this.connection.exit) {
      this.cancelPrompt()
      await waitAtMost(clock, cancelWaitMs, this.#prompting)
    }
    this.connection.break(new AcpFailure('CRASHED', `The process of ${this.command} was closed.`))
    const { foreign } = this.#updates
    if (foreign > 0)
      warn(
        logger,
        `The agent ${this.command} sent ${foreign} updates for other sessions than the one that was asked for; they were dropped.`,
      )
    try {
      await launched.close()
    } finally {
      await (await this.channel)?.close()
    }
  }

  #broke(failure: AcpFailure): void {
    // Broken by the teardown itself.
    if (this.#isTearingDown) return
    const { exit } = this.connection
    if (exit)
      this.#actor.send({
        type: 'exited',
        ...(exit.code !== null && { code: exit.code }),
        ...(exit.signal !== null && { signal: exit.signal }),
      })
    else this.fail(failure)
  }

  #notified(method: string, params: unknown): void {
    const { sessionId, update } = fields(params)
    if (method !== 'session/update' || typeof sessionId !== 'string') this.#owner.onNotification(method, params)
    else this.#updates.take(sessionId, fields(update))
  }

  async #asked(params: unknown, signal: AbortSignal): Promise<{ readonly outcome: PermissionOutcome }> {
    // Whoever is asked takes the time, not the agent.
    this.#questions++
    this.#stageTimer?.pause()
    try {
      return { outcome: await this.#owner.onPermission(params, signal) }
    } finally {
      if (--this.#questions === 0) this.#stageTimer?.reset()
    }
  }
}

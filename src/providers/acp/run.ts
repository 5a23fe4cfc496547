/**
 * One delegation to an ACP child (A9–A12, A16).
 *
 * Owns: the prompts of the run, one after the other, what they come to, the one settlement. Does not own: the process, which
 * may pass to the run that goes on with it.
 *
 * Invariants: settles once; nothing is reported once it has settled; after a cancel every ending is `aborted`; a prompt that
 * was not sent when the cancel came is never sent.
 */
import { createRedactor } from '../../agents/environment-secrets.ts'
import type { Redactor } from '../../agents/environment-secrets.ts'
import { debug, describeThrown } from '../../run/contain.ts'
import { deferred } from '../../run/deferred.ts'
import { SubagentError } from '../../errors.ts'
import type {
  ContentBlock,
  ProviderRun,
  RunContext,
  SubagentResult,
  SubagentStopReason,
  SubagentUpdateContent,
  Usage,
} from '../../types.ts'
import { AcpFailure, toDiagnostic, toFailure } from './failure.ts'
import { initialize, openSession } from './handshake.ts'
import type { SessionRequest } from './handshake.ts'
import { hintsOfEnd, hintsOfLosses } from './hints.ts'
import { IdleWatch } from './idle-watch.ts'
import { promptFailure, stopReasonOf } from './outcome.ts'
import { PermissionDesk } from './permission.ts'
import type { PermissionRules } from './permission.ts'
import type { AcpProcess, ProcessOwner } from './process.ts'
import { refusedBlocks } from './prompt-blocks.ts'
import { json } from './protocol.ts'
import type { AgentFacts } from './protocol.ts'
import { waitAtMost } from './stage-timer.ts'
import type { StructuredChannel } from './structured-channel.ts'
import { Transcript } from './transcript.ts'
import { readUsage, UpdateReader } from './updates.ts'

export interface AcpRunOptions {
  readonly context: RunContext
  readonly provider: string
  readonly prompt: readonly ContentBlock[]
  readonly permission: Pick<PermissionRules, 'policy' | 'timeoutMs'>
  /** What a new session is opened with; `undefined` for a process whose session rests. */
  readonly session: Omit<SessionRequest, 'mcpServers'> | undefined
  readonly drainMs: number
  readonly idleTimeoutMs: number | undefined
  /** Present where a structured result is asked for. Does not reject. */
  readonly openChannel: ((facts: AgentFacts) => Promise<StructuredChannel>) | undefined
  /** Gives the process, new, kept ready, or of the run before, and names this run as its owner. May throw an AcpFailure. */
  readonly obtain: (owner: ProcessOwner) => AcpProcess
  /** Gives a new process in the place of one that was kept ready and has ended. May throw an AcpFailure. */
  readonly replace: (owner: ProcessOwner) => AcpProcess
  /** Called with what the agent first sends to its first prompt, before that is looked at. Must not throw. */
  readonly onWorking?: () => void
  /** Goes on with the session of this run's process in a new run. @throws SubagentError INVALID_REQUEST */
  readonly resume: (agent: AcpProcess | undefined, prompt: ContentBlock[], context: RunContext) => ProviderRun
}

export class AcpRun implements ProviderRun, ProcessOwner {
  readonly result: Promise<SubagentResult>

  readonly #options: AcpRunOptions
  readonly #settled = deferred<SubagentResult>()
  readonly #transcript = new Transcript()
  readonly #updates: UpdateReader
  readonly #desk: PermissionDesk
  readonly #idle: IdleWatch
  readonly #queue: (readonly ContentBlock[])[]
  #process: AcpProcess | undefined
  /** It was kept ready, and no session of it is open yet. */
  #isReplaceable = false
  /** One that was kept ready and had ended. */
  #replaced: AcpProcess | undefined
  #channel: StructuredChannel | undefined
  #usage: Usage | undefined
  #isSettled = false
  #isCancelled = false
  #isReady = false
  #isWorking = false
  #isPrompting = false
  #disposal: Promise<void> | undefined

  constructor(options: AcpRunOptions) {
    const { context, provider, prompt, permission } = options
    this.#options = options
    this.#queue = [prompt]
    this.result = this.#settled.promise
    this.#updates = new UpdateReader(this.#transcript, (update) => this.#report(update))
    const isOwnTool: PermissionRules['isOwnTool'] = (toolCall) => this.#channel?.isOwnTool(toolCall) ?? false
    const safe: Redactor = Object.defineProperty((text: string) => this.#safe(text), 'longest', { get: () => this.#safe.longest }) as never
    this.#desk = new PermissionDesk(context, provider, { ...permission, isOwnTool, safe }, (open) => this.#idle.asked(open))
    this.#idle = new IdleWatch({
      clock: context.clock,
      idleTimeoutMs: options.idleTimeoutMs,
      isAsking: () => this.#desk.isOpen,
      onSilent: ({ command }, ms) =>
        this.#failed(new AcpFailure('IDLE_TIMEOUT', `The agent ${command} was silent for ${ms} ms.`, { retryable: true })),
    })
    void this.#work()
  }

  // What is known of a process comes too late for `start`; a run whose session is beyond reach says so when it is asked.
  resume(prompt: ContentBlock[], context: RunContext): ProviderRun {
    const isOwn = this.#process?.isOwnedBy(this)
    return this.#options.resume(isOwn || this.#process?.facts?.reopen ? this.#process : undefined, prompt, context)
  }

  sendMessage(content: ContentBlock[]): void {
    if (this.#isSettled || this.#isCancelled) return
    const { facts, command } = this.#process ?? {}
    const refused = facts && refusedBlocks(content, facts, command!)
    if (refused) throw new SubagentError('UNSUPPORTED_CAPABILITY', refused.message)
    this.#queue.push(content)
  }

  cancel(): void {
    if (this.#isSettled || this.#isCancelled) return
    this.#isCancelled = true
    this.#queue.length = 0
    this.#desk.close()
    if (this.#process?.state === 'prompting') this.#process.cancelPrompt()
    // Where no prompt is under way none will be sent; what the process does meanwhile is the disposal's affair.
    else if (!this.#isPrompting) this.#settle('aborted')
  }

  dispose(): Promise<void> {
    return (this.#disposal ??= this.#release())
  }

  onUpdate(update: { readonly [field: string]: unknown }): void {
    if (this.#isSettled) return
    this.#channel?.notice(update)
    this.#updates.read(update)
  }

  onNotification(method: string, params: unknown): void {
    this.#report({ type: 'raw', raw: { method, params: json(params ?? null) } })
  }

  onPermission(params: unknown, signal: AbortSignal): ReturnType<ProcessOwner['onPermission']> {
    const { toolCall } = (params ?? {}) as { readonly toolCall?: { readonly [field: string]: unknown } }
    if (typeof toolCall === 'object' && toolCall !== null && !this.#isSettled) this.#updates.toolCall({ ...toolCall, status: undefined })
    return this.#desk.answer(params, signal)
  }

  onClosing(): void {
    // What a process that can be replaced has asked ends with it.
    if (!this.#isReplaceable) this.#desk.close()
  }

  async #work(): Promise<void> {
    try {
      let agent = (this.#process = this.#options.obtain(this))
      if (this.#options.session) agent = await this.#openOrReplace(agent, this.#options.session)
      else await this.#takeOver(agent)
      if (this.#isSettled) return
      this.#isReady = true
      this.#options.context.ready()
      await this.#askForResult()
      let stopReason: SubagentStopReason = 'aborted'
      for (let next = this.#queue.shift(); next && !this.#isCancelled; next = this.#queue.shift()) {
        stopReason = await this.#prompt(agent, next)
        if (stopReason !== 'completed') break
      }
      await this.#conclude(agent, stopReason)
    } catch (error) {
      this.#failed(error)
    }
  }

  /**
   * A process that was kept ready may have ended meanwhile, which is no fault of this run: it gets a new one, once. None was
   * asked anything before its session is open.
   * @returns the process that has the session
   */
  async #openOrReplace(agent: AcpProcess, session: NonNullable<AcpRunOptions['session']>): Promise<AcpProcess> {
    this.#isReplaceable = agent.facts !== undefined
    try {
      await this.#open(agent, session)
      return agent
    } catch (error) {
      if (!this.#isReplaceable || this.#isSettled || agent.sessionId !== undefined || !agent.connection.exit) throw error
      debug(
        this.#options.context.logger,
        `The agent ${agent.command} was kept ready and ended before its session was open; another one is started.`,
      )
    } finally {
      this.#isReplaceable = false
    }
    this.#replaced = agent
    this.#channel = undefined
    const fresh = (this.#process = this.#options.replace(this))
    await this.#open(fresh, session)
    return fresh
  }

  async #open(agent: AcpProcess, session: NonNullable<AcpRunOptions['session']>): Promise<void> {
    const { openChannel } = this.#options
    if (!agent.facts) await initialize(agent)
    const facts = agent.facts!
    const refused = refusedBlocks(this.#queue[0] ?? [], facts, agent.command)
    if (refused) throw refused
    if (this.#isSettled) return
    agent.channel = openChannel?.(facts)
    this.#channel = await agent.channel
    if (this.#isSettled) return
    await openSession(agent, { ...session, mcpServers: this.#channel?.mcpServers ?? [] })
  }

  /** Goes on with the session of another run. */
  async #takeOver(agent: AcpProcess): Promise<void> {
    this.#channel = await agent.channel
    this.#channel?.renew()
  }

  async #askForResult(): Promise<void> {
    await this.#channel?.listed
    const instruction = this.#channel?.instruction
    if (instruction !== undefined && this.#queue[0]) this.#queue[0] = [...this.#queue[0], { type: 'text', text: instruction }]
  }

  async #prompt(agent: AcpProcess, prompt: readonly ContentBlock[]): Promise<SubagentStopReason> {
    const { context, drainMs } = this.#options
    const refused = refusedBlocks(prompt, agent.facts!, agent.command)
    if (refused) throw refused
    this.#transcript.pause()
    this.#isPrompting = true
    const stopWatching = this.#idle.start(agent)
    this.#noteWork(agent)
    try {
      const response = await agent.prompt(prompt)
      stopWatching()
      const stopReason = stopReasonOf(response, agent.command)
      this.#addUsage((response as { readonly usage?: unknown }).usage)
      // Some agents send the last of their text after the answer.
      await waitAtMost(context.clock, drainMs, agent.connection.broken)
      return stopReason
    } catch (error) {
      throw promptFailure(agent, error)
    } finally {
      stopWatching()
      this.#isPrompting = false
    }
  }

  #noteWork(agent: AcpProcess): void {
    const { onWorking } = this.#options
    if (!onWorking || this.#isWorking) return
    this.#isWorking = true
    const stopListening = agent.connection.onTraffic(() => {
      stopListening()
      onWorking()
    })
  }

  #addUsage(given: unknown): void {
    const usage = readUsage(given)
    if (!usage) return
    const sum: Record<string, number> = { ...this.#usage }
    for (const [name, count] of Object.entries(usage)) sum[name] = (sum[name] ?? 0) + (count as number)
    this.#usage = sum
    this.#report({ type: 'usage', usage: sum })
  }

  /** The prompts are answered. */
  async #conclude(agent: AcpProcess, stopReason: SubagentStopReason): Promise<void> {
    const hints = hintsOfEnd(stopReason, this.#isCancelled, this.#transcript.isEmpty, this.#desk.refused)
    const channel = this.#channel
    if (!channel || stopReason !== 'completed' || this.#isCancelled) return this.#settle(stopReason, hints)
    const output = this.#transcript.blocks()
    const given = await channel.result(output.map((block) => (block.type === 'text' ? block.text : '')).join('\n'))
    if ('value' in given) this.#settle('completed', hints, { structured: given.value })
    else this.#failed(new AcpFailure('NO_STRUCTURED_OUTPUT', given.missing, { retryable: true, details: hints }))
  }

  #failed(error: unknown): void {
    if (this.#isSettled) return
    const agent = this.#process
    if (!(error instanceof AcpFailure)) {
      // A fault of this code, not of the child: the result rejects.
      this.#isSettled = true
      this.#settled.reject(error)
      agent?.fail(new AcpFailure('CRASHED', describeThrown(error)))
      return
    }
    const phase = this.#isReady ? 'running' : 'starting'
    const safe = this.#safe
    error.details = [...error.details, ...(agent?.connection.facts(error.message) ?? [])]
    if (this.#isCancelled) this.#settle('aborted', [toDiagnostic(error, safe)])
    else this.#settle('error', [], { failure: toFailure(error, phase, safe), diagnostic: toDiagnostic(error, safe) })
    // A process that only gave no result can be asked again.
    if (error.code !== 'NO_STRUCTURED_OUTPUT' && error.code !== 'MODEL_ERROR' && error.code !== 'MAX_STEPS') agent?.fail(error)
  }

  #settle(stopReason: SubagentStopReason, hints: readonly string[] = [], more: Partial<SubagentResult> = {}): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#desk.close()
    this.#idle.stop()
    const sessionId = this.#process?.sessionId
    const all = [...hints, ...hintsOfLosses(this.#transcript, this.#process?.droppedEarly ?? 0)]
    this.#settled.resolve({
      output: this.#transcript.blocks(),
      stopReason: this.#isCancelled ? 'aborted' : stopReason,
      ...(all.length > 0 && { diagnostic: all.join('\n') }),
      ...(this.#usage && { usage: this.#usage }),
      ...(sessionId !== undefined && { sessionId }),
      ...more,
    })
  }

  /** Takes out what must not be told: of the environment, and the token of the channel. */
  get #safe(): Redactor {
    const redactor = this.#process?.safe ?? createRedactor({})
    const clean = (text: string): string => redactor(this.#channel?.hide(text) ?? text)
    return Object.assign(clean, { longest: redactor.longest })
  }

  #report(update: SubagentUpdateContent): void {
    if (!this.#isSettled) this.#options.context.update(update)
  }

  async #release(): Promise<void> {
    this.cancel()
    this.#desk.close()
    const agent = this.#process
    try {
      // A process that passed to another run is that one's to close.
      await Promise.all([agent?.isOwnedBy(this) ? agent.close() : undefined, this.#replaced?.close()])
    } finally {
      this.#settle('aborted')
    }
  }
}

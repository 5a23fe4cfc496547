/**
 * One delegation to an ACP child (A9–A12, A16).
 *
 * Owns: the prompts of the run, one after the other, what they come to, the one settlement. Does not own: the process
 * and its session (run-process.ts).
 *
 * Invariants: settles once; nothing is reported once it has settled; after a cancel every ending is `aborted`; a prompt that
 * was not sent when the cancel came is never sent.
 */
import type { Redactor } from '../../agents/environment-secrets.ts'
import { describeThrown } from '../../run/contain.ts'
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
import { hintsOfEnd, hintsOfLosses } from './hints.ts'
import { IdleWatch } from './idle-watch.ts'
import { promptFailure, stopReasonOf } from './outcome.ts'
import { PermissionDesk } from './permission.ts'
import type { PermissionRules } from './permission.ts'
import type { AcpProcess, ProcessOwner } from './process.ts'
import { refusedBlocks } from './prompt-blocks.ts'
import { json } from './protocol.ts'
import { RunProcess } from './run-process.ts'
import type { ProcessSource } from './run-process.ts'
import { waitAtMost } from './stage-timer.ts'
import { Transcript } from './transcript.ts'
import { readUsage, UpdateReader } from './updates.ts'

export interface AcpRunOptions extends ProcessSource {
  readonly context: RunContext
  readonly provider: string
  readonly prompt: readonly ContentBlock[]
  readonly permission: Pick<PermissionRules, 'policy' | 'timeoutMs'>
  readonly drainMs: number
  readonly idleTimeoutMs: number | undefined
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
  readonly #held: RunProcess
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
    this.#held = new RunProcess(options, {
      owner: this,
      logger: context.logger,
      isSettled: () => this.#isSettled,
      firstPrompt: () => this.#queue[0] ?? [],
    })
    this.#updates = new UpdateReader(this.#transcript, (update) => this.#report(update))
    const isOwnTool: PermissionRules['isOwnTool'] = (toolCall) => this.#held.channel?.isOwnTool(toolCall) ?? false
    const safe: Redactor = Object.defineProperty((text: string) => this.#held.safe(text), 'longest', {
      get: () => this.#held.safe.longest,
    }) as never
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
    const isOwn = this.#held.agent?.isOwnedBy(this)
    return this.#options.resume(isOwn || this.#held.agent?.facts?.reopen ? this.#held.agent : undefined, prompt, context)
  }

  sendMessage(content: ContentBlock[]): void {
    if (this.#isSettled || this.#isCancelled) return
    const { facts, command } = this.#held.agent ?? {}
    const refused = facts && refusedBlocks(content, facts, command!)
    if (refused) throw new SubagentError('UNSUPPORTED_CAPABILITY', refused.message)
    this.#queue.push(content)
  }

  cancel(): void {
    if (this.#isSettled || this.#isCancelled) return
    this.#isCancelled = true
    this.#queue.length = 0
    this.#desk.close()
    if (this.#held.agent?.state === 'prompting') this.#held.agent.cancelPrompt()
    // Where no prompt is under way none will be sent; what the process does meanwhile is the disposal's affair.
    else if (!this.#isPrompting) this.#settle('aborted')
  }

  dispose(): Promise<void> {
    return (this.#disposal ??= this.#release())
  }

  onUpdate(update: { readonly [field: string]: unknown }): void {
    if (this.#isSettled) return
    this.#held.channel?.notice(update)
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
    if (!this.#held.isReplaceable) this.#desk.close()
  }

  async #work(): Promise<void> {
    try {
      const agent = await this.#held.open()
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

  async #askForResult(): Promise<void> {
    await this.#held.channel?.listed
    const instruction = this.#held.channel?.instruction
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
    const channel = this.#held.channel
    if (!channel || stopReason !== 'completed' || this.#isCancelled) return this.#settle(stopReason, hints)
    const output = this.#transcript.blocks()
    const given = await channel.result(output.map((block) => (block.type === 'text' ? block.text : '')).join('\n'))
    if ('value' in given) this.#settle('completed', hints, { structured: given.value })
    else this.#failed(new AcpFailure('NO_STRUCTURED_OUTPUT', given.missing, { retryable: true, details: hints }))
  }

  #failed(error: unknown): void {
    if (this.#isSettled) return
    const agent = this.#held.agent
    if (!(error instanceof AcpFailure)) {
      // A fault of this code, not of the child: the result rejects.
      this.#isSettled = true
      this.#settled.reject(error)
      agent?.fail(new AcpFailure('CRASHED', describeThrown(error)))
      return
    }
    const phase = this.#isReady ? 'running' : 'starting'
    const safe = this.#held.safe
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
    const sessionId = this.#held.agent?.sessionId
    const all = [...hints, ...hintsOfLosses(this.#transcript, this.#held.agent?.droppedEarly ?? 0)]
    this.#settled.resolve({
      output: this.#transcript.blocks(),
      stopReason: this.#isCancelled ? 'aborted' : stopReason,
      ...(all.length > 0 && { diagnostic: all.join('\n') }),
      ...(this.#usage && { usage: this.#usage }),
      ...(sessionId !== undefined && { sessionId }),
      ...more,
    })
  }

  #report(update: SubagentUpdateContent): void {
    if (!this.#isSettled) this.#options.context.update(update)
  }

  async #release(): Promise<void> {
    this.cancel()
    this.#desk.close()
    try {
      await this.#held.close()
    } finally {
      this.#settle('aborted')
    }
  }
}

/**
 * A provider whose children follow a script, or the test's own hand (K4): no model, no process, nothing left to chance.
 */
import type {
  ContentBlock,
  PermissionRequest,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentCapabilities,
  SubagentFailure,
  SubagentProvider,
  SubagentResult,
  SubagentStopReason,
  SubagentUpdateContent,
  Usage,
} from '../types.ts'
import { deferred } from '../run/deferred.ts'

/**
 * What one child does. The members come in the order `startError`, `updates`, `tools`, `text`, then the end: `reject`, `result`,
 * `hang`, or `stopReason`.
 *
 * | to | write |
 * |---|---|
 * | reply | `'text'` |
 * | stream | `{ text: ['two ', 'parts'] }` |
 * | report tools | `{ tools: [{ name: 'search', input: { query: 'x' } }], text: 'found' }` |
 * | take its time | `{ delayMs: 50, text: 'late' }` |
 * | fail | `{ stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } }` |
 * | refuse | `{ stopReason: 'refusal' }` |
 * | be cut off | `{ text: 'half a', stopReason: 'max-tokens' }` |
 * | wait for a cancel, or the test | `{ hang: true }`; for ever: `{ hang: true, deaf: true }` |
 */
export interface ScriptedRun {
  /** The child agent's id. @default the run id */
  readonly id?: string
  /** `start` throws this. */
  readonly startError?: unknown
  /** Reported first, as they are. */
  readonly updates?: readonly SubagentUpdateContent[]
  /** Each reported as a call and its result, before the text. */
  readonly tools?: readonly {
    /** Of the tool that is reported; nothing is called. */
    readonly name: string
    /** Reported with the call. @default none */
    readonly input?: null | boolean | number | string | object
    /** @default 'ok' */
    readonly status?: 'ok' | 'error'
  }[]
  /** Streamed, a part an update; together the output. */
  readonly text?: string | readonly string[]
  /** @default 'completed' */
  readonly stopReason?: SubagentStopReason
  /** The result's `structured`, as it is: nothing validates it. */
  readonly structured?: unknown
  /** The result's, for `stopReason: 'error'`. */
  readonly failure?: SubagentFailure
  /** The result's text about a failure. */
  readonly diagnostic?: string
  /** The result's token counts. */
  readonly usage?: Usage
  /** Between the start and the end, on the run's clock. @default 0 */
  readonly delayMs?: number
  /** The result's promise fails with this. */
  readonly reject?: unknown
  /** The result, whatever it is: for providers that give none. */
  readonly result?: unknown
  /** Settles only on a cancel, or by the child's own `settle` and `reject`. */
  readonly hang?: boolean
  /** Does not settle on a cancel. */
  readonly deaf?: boolean
  /** `cancel` throws this. */
  readonly cancelError?: unknown
  /** How `dispose` ends: `'never'`, only by the child's own `release`, or with an error. @default at once */
  readonly release?: 'at once' | 'never' | { readonly error: unknown }
}

/** What one child does: a text, a run, or what a function makes of the request. */
export type ScriptedRunStep =
  | string
  | ScriptedRun
  | ((request: ProviderStartRequest, context: RunContext, index: number) => string | ScriptedRun)

/** A child as it was started, and the means to drive it by hand. */
export interface ScriptedChild {
  /** From 0, in the order of starts. */
  readonly index: number
  /** The run's, as the service gave it. */
  readonly runId: string
  /** What `start` was called with. */
  readonly request: ProviderStartRequest
  /** What `start` was given to report and to ask with. */
  readonly context: RunContext
  /** The reasons of the cancels it got. */
  readonly cancels: readonly (string | undefined)[]
  /** How often it was disposed. */
  readonly disposals: number
  /** Messages that steered it. */
  readonly messages: readonly ContentBlock[][]
  /** Reports the child ready, where the provider has `signalsReady`. */
  ready(): void
  /** Publishes an update. */
  update(update: SubagentUpdateContent): void
  /** Asks for a permission; the run waits until it is answered. */
  ask(request?: PermissionRequest): { answer(): void }
  /** @param result @default completed, with `[]` */
  settle(result?: Partial<SubagentResult>): void
  /** Rejects the child's `result`. */
  reject(error: unknown): void
  /** Ends a release that waits. */
  release(error?: unknown): void
}

/** What the provider claims to be able to. */
export interface ScriptedProviderOptions {
  /** @default 'scripted' */
  readonly name?: string
  /** @default all true */
  readonly capabilities?: SubagentCapabilities
  /** @default false */
  readonly inheritsParentContext?: boolean
  /** Ready only when the child's `ready` is called. @default false */
  readonly signalsReady?: boolean
  /** Children take messages while they run. @default false */
  readonly steerable?: boolean
  /** A settled child goes on in a new run, by the next step of the script. @default false */
  readonly resumable?: boolean
}

/** A provider that remembers its children. */
export type ScriptedProvider = SubagentProvider & {
  /** The children so far, oldest first. */
  readonly children: readonly ScriptedChild[]
}

const noPermission: PermissionRequest = { id: 'permission', title: 'May I?', options: [{ id: 'allow', name: 'Allow', kind: 'allow_once' }] }

/**
 * A provider that gives one step of the script a start, or, where `steps` is a function, whatever that gives. A start beyond
 * the end of the script throws.
 *
 * @example
 * ```ts
 * const provider = scriptedProvider(['first answer', { hang: true }])
 * const service = createSubagentService({ providers: [provider] })
 * ```
 */
export function scriptedProvider(
  steps: readonly ScriptedRunStep[] | Exclude<ScriptedRunStep, string | ScriptedRun>,
  options: ScriptedProviderOptions = {},
): ScriptedProvider {
  const { name = 'scripted', capabilities = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true } } = options
  const children: Child[] = []
  let starts = 0

  const begin = (request: ProviderStartRequest, context: RunContext): ProviderRun => {
    // Counted before the step is asked, which may start another child.
    const index = starts++
    const step = typeof steps === 'function' ? steps : steps[index]
    if (step === undefined)
      throw new Error(
        `scriptedProvider ${JSON.stringify(name)}: start ${index + 1}, but the script has ${steps.length} step${steps.length === 1 ? '' : 's'}.`,
      )
    const chosen = typeof step === 'function' ? step(request, context, index) : step
    const child = new Child(index, request, context, typeof chosen === 'string' ? { text: chosen } : chosen)
    children.push(child)
    return child.run(options, begin)
  }

  return {
    name,
    capabilities,
    ...(options.inheritsParentContext !== undefined && { inheritsParentContext: options.inheritsParentContext }),
    ...(options.signalsReady !== undefined && { signalsReady: options.signalsReady }),
    start: begin,
    children,
  }
}

class Child implements ScriptedChild {
  readonly index: number
  readonly request: ProviderStartRequest
  readonly context: RunContext
  readonly cancels: (string | undefined)[] = []
  readonly messages: ContentBlock[][] = []
  disposals = 0
  readonly #script: ScriptedRun
  readonly #result = deferred<SubagentResult>()
  readonly #release = deferred<void>()
  #timer: unknown

  constructor(index: number, request: ProviderStartRequest, context: RunContext, script: ScriptedRun) {
    this.index = index
    this.request = request
    this.context = context
    this.#script = script
  }

  get runId(): string {
    return this.context.runId
  }

  run(
    { steerable, resumable }: ScriptedProviderOptions,
    begin: (request: ProviderStartRequest, context: RunContext) => ProviderRun,
  ): ProviderRun {
    const { startError, id, updates = [], delayMs = 0, hang } = this.#script
    if (startError !== undefined) throw startError
    for (const update of [...updates, ...this.#toolUpdates(), ...this.#textUpdates()]) this.update(update)
    if (!hang) {
      if (delayMs > 0) this.#timer = this.context.clock.setTimeout(() => this.#end(), delayMs)
      else this.#end()
    }
    return {
      ...(id !== undefined && { id }),
      result: this.#result.promise,
      cancel: (reason) => this.#cancel(reason),
      dispose: () => this.#dispose(),
      ...(steerable && { sendMessage: (content: ContentBlock[]) => void this.messages.push(content) }),
      ...(resumable && { resume: (prompt: ContentBlock[], context: RunContext) => begin({ ...this.request, prompt }, context) }),
    }
  }

  ready(): void {
    this.context.ready()
  }

  update(update: SubagentUpdateContent): void {
    this.context.update(update)
  }

  ask(request: PermissionRequest = noPermission): { answer(): void } {
    return this.context.ask(request)
  }

  settle(result: Partial<SubagentResult> = {}): void {
    this.#result.resolve({ output: [], stopReason: 'completed', ...result })
  }

  reject(error: unknown): void {
    this.#result.reject(error)
  }

  release(error?: unknown): void {
    if (error === undefined) this.#release.resolve()
    else this.#release.reject(error)
  }

  #end(): void {
    const { reject, result, stopReason = 'completed', structured, failure, diagnostic, usage } = this.#script
    if (reject !== undefined) this.#result.reject(reject)
    else if ('result' in this.#script) this.#result.resolve(result as SubagentResult)
    else
      this.#result.resolve({
        output: this.#output(),
        stopReason,
        ...(structured !== undefined && { structured }),
        ...(failure && { failure }),
        ...(diagnostic !== undefined && { diagnostic }),
        ...(usage && { usage }),
      })
  }

  #cancel(reason?: string): void {
    this.cancels.push(reason)
    const { cancelError, deaf } = this.#script
    if (!deaf) {
      this.context.clock.clearTimeout(this.#timer)
      this.#result.resolve({ output: this.#output(), stopReason: 'aborted' })
    }
    if (cancelError !== undefined) throw cancelError
  }

  #dispose(): Promise<void> {
    this.disposals++
    this.context.clock.clearTimeout(this.#timer)
    const { release = 'at once' } = this.#script
    if (release === 'at once') this.#release.resolve()
    else if (release !== 'never') this.#release.reject(release.error)
    return this.#release.promise
  }

  #parts(): readonly string[] {
    const { text = [] } = this.#script
    return typeof text === 'string' ? [text] : text
  }

  #output(): ContentBlock[] {
    const text = this.#parts().join('')
    return text === '' ? [] : [{ type: 'text', text }]
  }

  #textUpdates(): SubagentUpdateContent[] {
    return this.#parts().map((text) => ({ type: 'text', text }))
  }

  #toolUpdates(): SubagentUpdateContent[] {
    return (this.#script.tools ?? []).flatMap(({ name, input, status = 'ok' }, index) => {
      const toolCallId = `${this.runId}-tool-${index}`
      return [
        { type: 'tool-call', toolCallId, name, ...(input !== undefined && { input: input as never }) },
        { type: 'tool-result', toolCallId, status },
      ] satisfies SubagentUpdateContent[]
    })
  }
}

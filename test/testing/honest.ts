/**
 * A provider as its author would write it, with nothing but the public types: children that wait to be told, beat on a timer
 * while they live, hear cancels by method and by signal. The broken ones are this one with one thing wrong.
 */
import type {
  ContentBlock,
  ProviderRun,
  ProviderStartRequest,
  RunContext,
  SubagentCapabilities,
  SubagentProvider,
  SubagentResult,
} from '../../src/index.ts'
import type { MakeProvider, ProviderSubject } from '../../src/testing/index.ts'
import { fitted, unfit, visible } from './fitted.ts'

/** How a child is going to misbehave where a case wants it to. */
interface Fate {
  deaf?: boolean
  failsToRelease?: boolean
  held?: Promise<void>
}

const beatMs = 60_000
const text = (blocks: readonly ContentBlock[]): string => blocks.map((block) => (block.type === 'text' ? block.text : '')).join('')

export class HonestChild implements ProviderRun {
  readonly id: string
  readonly request: ProviderStartRequest
  readonly context: RunContext
  readonly fate: Fate
  readonly messages: string[] = []
  protected readonly log: ContentBlock[] = []
  protected beat: unknown
  readonly #promise: Promise<SubagentResult>
  #resolve!: (result: SubagentResult) => void
  #reject!: (error: unknown) => void
  #release: Promise<void> | undefined

  constructor(request: ProviderStartRequest, context: RunContext, fate: Fate) {
    this.request = request
    this.context = context
    this.fate = fate
    this.id = `child of ${context.runId}`
    this.#promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.startBeat()
    this.listen()
  }

  get result(): Promise<SubagentResult> {
    return this.#promise
  }

  cancel(): void {
    if (!this.fate.deaf) this.end({ stopReason: 'aborted' })
  }

  dispose(): Promise<void> {
    return (this.#release ??= this.release())
  }

  sendMessage(content: ContentBlock[]): void {
    this.messages.push(text(content))
  }

  resume(prompt: ContentBlock[], context: RunContext): ProviderRun {
    return this.another({ ...this.request, prompt }, context)
  }
  another: (request: ProviderStartRequest, context: RunContext) => ProviderRun = () => this

  /** What the outside does to the child. */
  ready(): void {
    this.context.ready()
  }
  stream(part: string): void {
    this.log.push({ type: 'text', text: part })
    this.context.update({ type: 'text', text: part })
  }
  complete(answer: string): void {
    this.log.push({ type: 'text', text: answer })
    this.end(this.request.outputSchema === undefined ? {} : unfit)
  }
  structure(value: unknown): void {
    this.end(fitted(value))
  }
  fail(message: string): void {
    this.end({ stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message } })
  }
  reject(error: unknown): void {
    this.#reject(error)
  }

  get prompt(): string {
    return text(this.request.prompt)
  }
  get tools(): string[] {
    return visible(['read', 'write'], this.request.toolFilter)
  }

  protected end(more: Partial<SubagentResult> = {}): void {
    this.#resolve({ output: structuredClone(this.log), stopReason: 'completed', ...more })
  }

  protected async release(): Promise<void> {
    this.context.clock.clearTimeout(this.beat)
    await this.fate.held
    if (this.fate.failsToRelease) throw new Error('it would not let go')
  }

  protected startBeat(): void {
    this.beat = this.context.clock.setTimeout(() => this.startBeat(), beatMs)
  }

  protected listen(): void {
    const { signal } = this.context
    if (signal.aborted) this.cancel()
    else signal.addEventListener('abort', () => this.cancel(), { once: true })
  }
}

export interface HonestOptions {
  readonly Child?: typeof HonestChild
  readonly capabilities?: SubagentCapabilities
  readonly signalsReady?: boolean
  /** Instead of what `start` gives. */
  readonly start?: (child: HonestChild) => ProviderRun
  readonly more?: (children: readonly HonestChild[]) => Partial<ProviderSubject>
}

export function honest({
  Child = HonestChild,
  capabilities = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
  signalsReady = true,
  start = (child) => child,
  more = () => ({}),
}: HonestOptions = {}): MakeProvider {
  return () => {
    const children: HonestChild[] = []
    const fates: Fate[] = []
    let startError: Error | undefined
    const fateOf = (child: number): Fate => (fates[child] ??= {})
    const begin = (request: ProviderStartRequest, context: RunContext): ProviderRun => {
      if (startError) throw startError
      const child = new Child(request, context, fateOf(children.length))
      child.another = begin
      children.push(child)
      return start(child)
    }
    const provider: SubagentProvider = { name: 'honest', capabilities, signalsReady, start: begin }
    return {
      provider,
      settle: (answer, child) => children[child]!.complete(answer),
      ...(signalsReady && { ready: (child: number) => children[child]!.ready() }),
      fail: (message, child) => children[child]!.fail(message),
      reject: (error, child) => children[child]!.reject(error),
      ask: (child) => children[child]!.context.ask({ id: 'permission', title: 'May I?', options: [] }),
      stream: (part, child) => children[child]!.stream(part),
      structure: (value, child) => children[child]!.structure(value),
      failStart: () => void (startError = new Error('no child today')),
      ignoreCancel: (child) => void (fateOf(child).deaf = true),
      holdRelease: (child) => {
        let letGo!: () => void
        fateOf(child).held = new Promise((resolve) => (letGo = resolve))
        return letGo
      },
      failRelease: (child) => void (fateOf(child).failsToRelease = true),
      sees: {
        prompt: (child) => children[child]?.prompt,
        tools: (child) => children[child]?.tools,
        persona: (child) => children[child]?.request.persona,
        depth: (child) => children[child]?.context.resolved.depth,
        messages: (child) => children[child]!.messages,
      },
      ...more(children),
    }
  }
}

import { defineProvider } from '../../src/providers/index.ts'
import type { ProviderAnswer, ProviderYield } from '../../src/providers/index.ts'
import type { ProviderSubject } from '../../src/testing/index.ts'
import type { ProviderStartRequest, RunContext, SubagentResult } from '../../src/index.ts'

/** What one generator yields, and ends with, as it is told. */
class Work {
  readonly request: ProviderStartRequest
  readonly context: RunContext
  readonly #deaf: boolean
  readonly #yields: ProviderYield[] = []
  #end: (() => ProviderAnswer | void) | undefined
  #wake: () => void = () => {}

  constructor(request: ProviderStartRequest, context: RunContext, deaf: boolean) {
    this.request = request
    this.context = context
    this.#deaf = deaf
  }

  yield(update: ProviderYield): void {
    this.#yields.push(update)
    this.#wake()
  }

  end(how: () => ProviderAnswer | void): void {
    this.#end = how
    this.#wake()
  }

  async *updates(): AsyncGenerator<ProviderYield, ProviderAnswer | void> {
    const { signal } = this.context
    for (;;) {
      const update = this.#yields.shift()
      if (update !== undefined) yield update
      else if (this.#end) return this.#end()
      else
        await new Promise<void>((resolve, reject) => {
          this.#wake = resolve
          if (!this.#deaf) signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        })
    }
  }
}

/** A generator that yields what it is told, and breaks off where its signal aborts. */
export function generatorSubject(): ProviderSubject {
  const works: Work[] = []
  let isDeaf = false
  const provider = defineProvider({
    name: 'generator',
    capabilities: { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
    async *run(request, context) {
      const work = new Work(request, context, isDeaf)
      works.push(work)
      return yield* work.updates()
    },
  })
  const result = (more: Partial<SubagentResult>): SubagentResult => ({ output: [], stopReason: 'completed', ...more })
  const tools = ['read', 'write']
  return {
    provider,
    settle: (text, child) => {
      works[child]!.yield(text)
      works[child]!.end(() => {})
    },
    fail: (message, child) =>
      works[child]!.end(() =>
        result({ stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message } }),
      ),
    reject: (error, child) =>
      works[child]!.end(() => {
        throw error
      }),
    ask: (child) => works[child]!.context.ask({ id: 'permission', title: 'May I?', options: [] }),
    stream: (text, child) => works[child]!.yield({ type: 'text', text }),
    structure: (structured, child) => works[child]!.end(() => result({ structured })),
    ignoreCancel: () => void (isDeaf = true),
    sees: {
      prompt: (child) => works[child]?.request.prompt.map((block) => (block.type === 'text' ? block.text : '')).join(),
      tools: (child) => works[child] && tools.filter((tool) => !works[child]!.request.toolFilter?.deny?.includes(tool)),
      persona: (child) => works[child]?.request.persona,
      depth: (child) => works[child]?.context.resolved.depth,
    },
  }
}

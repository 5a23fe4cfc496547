import { defineProvider } from '../../src/providers/index.ts'
import type { ProviderSubject } from '../../src/testing/index.ts'
import type { ProviderStartRequest, RunContext, SubagentResult } from '../../src/index.ts'
import { fitted, unfit, visible } from '../testing/fitted.ts'

/** What one call of the function is waiting for. */
class Call {
  readonly request: ProviderStartRequest
  readonly context: RunContext
  readonly done: Promise<SubagentResult>
  resolve!: (result: SubagentResult) => void
  reject!: (error: unknown) => void
  #text = ''

  constructor(request: ProviderStartRequest, context: RunContext) {
    this.request = request
    this.context = context
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }

  stream(text: string): void {
    this.#text += text
    this.context.update({ type: 'text', text })
  }

  end(more: Partial<SubagentResult> = {}): void {
    const output: SubagentResult['output'] = this.#text === '' ? [] : [{ type: 'text', text: this.#text }]
    this.resolve({ output, stopReason: 'completed', ...more })
  }
}

/** A function that waits to be told, and ends with what it has when its signal aborts. */
export function defineSubject(): ProviderSubject {
  const calls: Call[] = []
  let isDeaf = false
  const provider = defineProvider({
    name: 'defined',
    capabilities: { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
    run: (request, context) => {
      const call = new Call(request, context)
      calls.push(call)
      const stop = (): void => call.end({ stopReason: 'aborted' })
      if (!isDeaf && context.signal.aborted) stop()
      else if (!isDeaf) context.signal.addEventListener('abort', stop, { once: true })
      return call.done
    },
  })
  const tools = ['read', 'write']
  return {
    provider,
    settle: (text, child) => {
      calls[child]!.stream(text)
      calls[child]!.end(calls[child]!.request.outputSchema === undefined ? {} : unfit)
    },
    fail: (message, child) =>
      calls[child]!.end({ stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message } }),
    reject: (error, child) => calls[child]!.reject(error),
    ask: (child) => calls[child]!.context.ask({ id: 'permission', title: 'May I?', options: [] }),
    stream: (text, child) => calls[child]!.stream(text),
    structure: (structured, child) => calls[child]!.end(fitted(structured)),
    ignoreCancel: () => void (isDeaf = true),
    sees: {
      prompt: (child) => calls[child]?.request.prompt.map((block) => (block.type === 'text' ? block.text : '')).join(),
      tools: (child) => calls[child] && visible(tools, calls[child].request.toolFilter),
      persona: (child) => calls[child]?.request.persona,
      depth: (child) => calls[child]?.context.resolved.depth,
    },
  }
}

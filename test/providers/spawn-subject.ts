import { createAgents } from '../../src/agents/index.ts'
import type { Agents } from '../../src/agents/index.ts'
import { SubagentError } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'
import type { MakeProvider, ScriptedAnswer, ScriptedModel } from '../../src/testing/index.ts'

/** A model whose one answer is written by hand, a part at a time. */
class HandModel {
  readonly model: ScriptedModel
  #wake: () => void = () => {}
  #parts: string[] = []
  #end: ScriptedAnswer | 'open' | undefined

  constructor() {
    this.model = scriptedModel(async () => {
      // As long as nothing was written the call itself waits; a failed call has no text.
      while (this.#parts.length === 0 && this.#end === undefined) await this.#more()
      return this.#end && this.#end !== 'open' && this.#end.error !== undefined ? this.#end : { text: this.#text() }
    })
  }

  write(text: string): void {
    this.#parts.push(text)
    this.#wake()
  }

  end(answer: ScriptedAnswer = {}): void {
    this.#end = answer
    this.#wake()
  }

  async *#text(): AsyncGenerator<string> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) yield part
      else if (this.#end !== undefined) return
      else await this.#more()
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }
}

/** Children that spawn makes, on models that are written by hand. */
export const spawnSubject: MakeProvider = ({ clock, logger }) => {
  const models: HandModel[] = []
  const modelOf = (child: number): HandModel => (models[child] ??= new HandModel())
  const withoutModel = new Set<number>()
  let release: Promise<void> | undefined
  const agents = createAgents({ clock, logger, maxRetries: 0 })
  // Agents whose end is held up or fails: what a tool that ignores its signal does to the first of them.
  const holding: Agents = {
    ...agents,
    create: (options) => {
      const { agent, dispose } = agents.create(options)
      return { agent, dispose: () => (release ? dispose().then(() => release) : dispose()) }
    },
  }
  return {
    provider: spawnProvider({ agents: holding }),
    request: (child) => ({ agentOptions: { model: withoutModel.has(child) ? 'a model that nobody knows' : modelOf(child).model } }),
    settle: (text, child) => {
      modelOf(child).write(text)
      modelOf(child).end()
    },
    fail: (message, child) => modelOf(child).end({ error: { message, status: 400 } }),
    stream: (text, child) => modelOf(child).write(text),
    failStart: (child) => void withoutModel.add(child),
    holdRelease: () => {
      let letGo!: () => void
      release = new Promise((resolve) => (letGo = resolve))
      return letGo
    },
    failRelease: () => {
      release = Promise.reject(new SubagentError('INVALID_REQUEST', 'The session cannot be written.'))
      release.catch(() => {})
    },
    sees: {
      prompt: (child) => models[child]?.model.calls[0]?.lastUserText,
      depth: (child) => agents.list()[child]?.session.header.delegationDepth,
    },
    leftovers: () => agents.list().map(({ id }) => `agent ${id}`),
  }
}

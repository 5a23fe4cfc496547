import { createAgents } from '../../src/agents/index.ts'
import type { Agents } from '../../src/agents/index.ts'
import { SubagentError } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import type { MakeProvider } from '../../src/testing/index.ts'
import { HandModel } from './hand-model.ts'

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

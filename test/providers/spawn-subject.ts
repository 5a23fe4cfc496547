import { tool } from 'ai'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import type { Agents } from '../../src/agents/index.ts'
import { SubagentError } from '../../src/index.ts'
import type { SubagentProvider } from '../../src/index.ts'
import { forkProvider, spawnProvider } from '../../src/providers/index.ts'
import type { MakeProvider } from '../../src/testing/index.ts'
import { HandModel } from './hand-model.ts'

/** Children that a provider makes with these agents, on models that are written by hand. */
const subject =
  (provide: (options: { agents: Agents }) => SubagentProvider): MakeProvider =>
  ({ clock, logger }) => {
    const models: HandModel[] = []
    const modelOf = (child: number): HandModel => (models[child] ??= new HandModel())
    const made: ReturnType<Agents['create']>['agent'][] = []
    const withoutModel = new Set<number>()
    let release: Promise<void> | undefined
    const agents = createAgents({
      clock,
      logger,
      maxRetries: 0,
      system: 'You are the one that the factory made.',
      tools: { read: tool({ inputSchema: z.object({}) }), write: tool({ inputSchema: z.object({}) }) },
    })
    // Each child gets the model of its number, a resumed one too. What holds up the end of an agent, or makes it fail, is what
    // a tool that ignores its signal does to the first of them.
    const holding: Agents = {
      ...agents,
      create: (options = {}) => {
        const model = options.options?.model ?? modelOf(made.length).model
        const { agent, dispose } = agents.create({ ...options, options: { ...options.options, model } })
        made.push(agent)
        return { agent, dispose: () => (release ? dispose().then(() => release) : dispose()) }
      },
    }
    const systemOf = (child: number): string | undefined => {
      const [first] = models[child]?.model.calls[0]?.prompt ?? []
      return first && (first.role === 'system' ? first.content : '')
    }
    return {
      provider: provide({ agents: holding }),
      request: (child) => (withoutModel.has(child) ? { agentOptions: { model: 'a model that nobody knows' } } : {}),
      settle: (text, child) => {
        modelOf(child).write(text)
        modelOf(child).end()
      },
      fail: (message, child) => modelOf(child).end({ error: { message, status: 400 } }),
      stream: (text, child) => modelOf(child).write(text),
      structure: (value, child) => modelOf(child).end({ tools: [{ name: 'structured_output', input: value }] }),
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
        depth: (child) => made[child]?.session.header.delegationDepth,
        tools: (child) => models[child]?.model.calls[0]?.tools,
        persona: systemOf,
        messages: (child) =>
          (made[child]?.session.events ?? []).flatMap((event) =>
            event.type === 'user/message' ? event.content.map((block) => (block.type === 'text' ? block.text : '')) : [],
          ),
      },
      leftovers: () => agents.list().map(({ id }) => `agent ${id}`),
    }
  }

export const spawnSubject = subject(spawnProvider)
export const forkSubject = subject(forkProvider)

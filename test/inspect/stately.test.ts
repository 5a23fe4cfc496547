import { createInspector } from '@statelyai/inspect'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentService } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'

type InspectorOptions = NonNullable<Parameters<typeof createInspector>[1]>
type Message = Parameters<Parameters<typeof createInspector>[0]['send']>[0]
type ActorMessage = Extract<Message, { type: '@xstate.actor' }>

const services: SubagentService[] = []
afterEach(() => Promise.all(services.splice(0).map((service) => service.close())))

/** A service with spawned children on a scripted model, and what `@statelyai/inspect` sends about it. */
function inspected(options?: InspectorOptions) {
  const messages: Message[] = []
  const { inspect } = createInspector({ send: (message) => void messages.push(message) }, options)
  const agents = createAgents({ model: scriptedModel(() => 'There are three.') })
  const service = createSubagentService({ providers: [spawnProvider({ agents })], inspect })
  services.push(service)
  return { service, messages }
}

const request = { parent: rootAgent({ cwd: '/project' }), prompt: 'Count the TODOs.', id: 'count' }

/** The states that an actor was seen in, one after the other: an event that changes nothing is a snapshot too. */
function statesOf(messages: readonly Message[], { sessionId }: ActorMessage): unknown[] {
  const values = messages.flatMap((message) =>
    message.type === '@xstate.snapshot' && message.sessionId === sessionId ? [(message.snapshot as { value?: unknown }).value] : [],
  )
  return values.filter((value, index) => JSON.stringify(value) !== JSON.stringify(values[index - 1]))
}

/** The inspector sends from timers of its own; the last that it has to say is that the run is gone. */
const untilGone = (messages: readonly Message[]) =>
  vi.waitFor(() => expect(statesOf(messages, find(messages, 'count')).at(-1)).toBe('disposed'))

function find(messages: readonly Message[], name: string): ActorMessage {
  const found = messages.find((message): message is ActorMessage => message.type === '@xstate.actor' && message.name === name)
  if (!found)
    throw new Error(`No actor ${name} among ${messages.map((message) => ('name' in message ? message.name : message.type)).join(', ')}.`)
  return found
}

describe('the stream of @statelyai/inspect', () => {
  it('I1, S25: shows registry, run and child agent as actors, each the child of the one before, with their charts', async () => {
    const { service, messages } = inspected()
    const run = service.start('spawn', request)
    const agentId = run.id
    await run.result
    await run.dispose()
    await untilGone(messages)

    const [registry, runActor, agent] = [find(messages, 'registry'), find(messages, 'count'), find(messages, agentId)]
    expect([registry.parentId, runActor.parentId, agent.parentId]).toEqual([undefined, registry.sessionId, runActor.sessionId])
    expect(new Set([registry, runActor, agent].map(({ rootId }) => rootId))).toEqual(new Set([registry.sessionId]))

    const charts = [registry, runActor, agent].map(
      ({ definition }) => JSON.parse(definition!) as { id: string; initial: string; states: Record<string, { states?: object }> },
    )
    expect(charts.map(({ id, initial, states }) => [id, initial, Object.keys(states)])).toEqual([
      ['registry', 'open', ['closed', 'draining', 'open']],
      ['run', 'validating', ['disposed', 'running', 'settling', 'starting', 'validating']],
      ['agent', 'idle', ['disposed', 'idle', 'running']],
    ])
    expect(Object.keys(charts[1]!.states['settling']!.states!)).toEqual(['draining', 'held', 'releasing'])
  })

  it('I1: shows every state that run and child agent take, in order, and the events that moved them', async () => {
    const { service, messages } = inspected()
    const run = service.start('spawn', request)
    const agentId = run.id
    await run.result
    await run.dispose()
    await untilGone(messages)

    const runActor = find(messages, 'count')
    expect(statesOf(messages, runActor)).toEqual([
      { validating: 'checking' },
      'starting',
      { running: 'active' },
      { settling: 'held' },
      { settling: 'releasing' },
      'disposed',
    ])
    expect(statesOf(messages, find(messages, agentId))).toEqual(['idle', 'running', 'idle', 'disposed'])
    const events = messages.flatMap((message) =>
      message.type === '@xstate.event' && message.sessionId === runActor.sessionId ? [message.event.type] : [],
    )
    expect(events.filter((type) => !type.startsWith('xstate.'))).toEqual(['accept', 'ready', 'settle', 'dispose', 'released'])
  })

  it('I1: is JSON throughout, so that no transport of the inspector meets a value that it cannot write', async () => {
    const { service, messages } = inspected()
    await service.delegate('spawn', request)
    await untilGone(messages)
    // As they stand, without the inspector's own serializer, which would hide a function, a cycle or a toJSON that throws.
    for (const { snapshot, event } of messages as { snapshot?: object; event?: object }[]) {
      expect(JSON.stringify({ snapshot, event })).toMatch(/^\{.+\}$/)
      if (event) expect(JSON.parse(JSON.stringify(event))).toEqual(event)
    }
  })

  it('I1: gives a sanitizer a context of every actor, never undefined, and shows what it makes of it', async () => {
    const contexts: unknown[] = []
    const { service, messages } = inspected({
      sanitizeContext: (context) => {
        contexts.push(context)
        return { ...context, hidden: Object.keys(context).length }
      },
      sanitizeEvent: ({ type }) => ({ type }),
    })
    await service.delegate('spawn', request)
    await untilGone(messages)
    expect(contexts.length).toBeGreaterThan(10)
    expect(contexts.every((context) => typeof context === 'object' && context !== null)).toBe(true)
    expect(JSON.stringify(messages)).not.toContain('Count the TODOs.')
  })
})

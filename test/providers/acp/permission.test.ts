import { describe, expect, it } from 'vitest'
import { createSubagentService } from '../../../src/index.ts'
import type { PermissionHandler, PermissionQuestion, SubagentServiceOptions } from '../../../src/index.ts'
import type { AcpProviderOptions } from '../../../src/providers/acp/index.ts'
import { until } from '../collect.ts'
import { received, setUp, stateOf } from './memory-agent.ts'
import type { Message, Script } from './memory-agent.ts'

const once = [
  { optionId: 'always', name: 'Always', kind: 'allow_always' },
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'yes-auto', name: 'Yes, and switch to auto', kind: 'allow_once' },
  { optionId: 'never', name: 'Never', kind: 'reject_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]
const toolCall = { toolCallId: 't', title: 'rm -rf build', kind: 'execute', rawInput: { command: 'rm -rf build' } }

/** Asks at the prompt, and ends the turn when it was answered. */
const asking = (options: unknown = once, params: object = {}): Script => ({
  'session/prompt': ({ id }, agent) => {
    agent.send({ id: 'q', method: 'session/request_permission', params: { sessionId: 's', toolCall, options, ...params } })
    void until(() => agent.received.some((message) => message.id === 'q')).then(() =>
      agent.send({ id, result: { stopReason: 'end_turn' } }),
    )
  },
})

async function outcomeOf(options: Partial<AcpProviderOptions>, offered: unknown = once, service: SubagentServiceOptions = {}) {
  const { agents, logger, start, updates } = setUp(asking(offered), options, { service })
  const run = start()
  await run.result
  await run.dispose()
  const answer = agents[0]!.received.find((message: Message) => message.id === 'q')!
  return { outcome: answer.result.outcome, warnings: logger.warnings, updates }
}
const selected = (optionId: string): object => ({ outcome: 'selected', optionId })
const cancelled = { outcome: 'cancelled' }

describe('policies', () => {
  it('A13: without one the agent is refused, by its own option to refuse once, so that the turn goes on', async () => {
    expect((await outcomeOf({})).outcome).toEqual(selected('no'))
    expect((await outcomeOf({ permission: 'reject' })).outcome).toEqual(selected('no'))
  })

  it('A13: allow picks the first that allows once, and never one that holds for ever', async () => {
    expect((await outcomeOf({ permission: 'allow' })).outcome).toEqual(selected('yes'))
    expect((await outcomeOf({ permission: 'allow' }, [once[0], once[4]])).outcome).toEqual(selected('no'))
    expect((await outcomeOf({ permission: 'allow' }, [once[0]])).outcome).toEqual(cancelled)
    expect((await outcomeOf({ permission: 'reject' }, [once[3]])).outcome).toEqual(cancelled)
  })

  it('A13: options of unknown kinds, and questions without any, are refused and never left hanging', async () => {
    for (const offered of [[{ optionId: 'x', name: 'X', kind: 'allow_for_today' }], [], null, 'yes'])
      expect((await outcomeOf({ permission: 'allow' }, offered)).outcome).toEqual(cancelled)
  })
})

describe('a handler', () => {
  it('A13: gets run, lineage and tool, and its choice is the answer, also one that holds for ever', async () => {
    const questions: PermissionQuestion[] = []
    const permission: PermissionHandler = (question) => {
      questions.push(question)
      return { optionId: 'always' }
    }
    const { outcome, updates } = await outcomeOf({ permission, name: 'coder' })
    expect(outcome).toEqual(selected('always'))
    const request = {
      id: expect.any(String),
      title: 'rm -rf build',
      toolCallId: 't',
      toolKind: 'execute',
      input: { command: 'rm -rf build' },
      options: once.map(({ optionId, name, kind }) => ({ id: optionId, name, kind })),
    }
    expect(questions).toEqual([{ runId: expect.any(String), provider: 'coder', lineage: ['root'], request }])
    expect(updates.map(({ type }) => type)).toEqual(['ready', 'tool-call', 'permission'])
    expect(updates[2]).toMatchObject({ request })
  })

  it('A13: one that throws, rejects, gives nothing, or chooses what is not offered refuses, and is told of', async () => {
    const handlers: readonly PermissionHandler[] = [
      () => {
        throw new Error('broken')
      },
      () => Promise.reject(new Error('broken')),
      () => undefined,
      () => ({}),
      () => ({ optionId: 'made up' }),
      () => 'yes' as never,
    ]
    const warned: number[] = []
    for (const permission of handlers) {
      const { outcome, warnings } = await outcomeOf({ permission })
      expect(outcome).toEqual(selected('no'))
      warned.push(warnings.length)
    }
    expect(warned).toEqual([1, 1, 0, 0, 1, 1])
  })

  it('A13, R9: while it decides the run waits in running.awaitingPermission, and its deadline and the idle time stand still', async () => {
    let decide!: (answer: { optionId: string }) => void
    const { agents, clock, start } = setUp(asking(), {
      permission: () => new Promise((resolve) => (decide = resolve)),
      idleTimeoutMs: 1_000,
      permissionTimeoutMs: 60_000,
    })
    const run = start({ timeoutMs: 2_000 })
    await received(agents, 'session/prompt')
    await until(() => decide !== undefined)
    expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
    clock.advance(50_000)
    decide({ optionId: 'yes' })
    expect((await run.result).stopReason).toBe('completed')
    await run.dispose()
    expect(clock.pending).toBe(0)
  })

  it('A13, R9: asked while the session opens, the handshake and the deadline stand still until it has decided', async () => {
    let decide!: (answer: { optionId: string }) => void
    const { agents, clock, start } = setUp(
      {
        'session/new': ({ id }, agent) => {
          agent.send({ id: 'q', method: 'session/request_permission', params: { sessionId: 's', toolCall, options: once } })
          void until(() => agent.received.some((message) => message.id === 'q')).then(() => agent.send({ id, result: { sessionId: 's' } }))
        },
      },
      { permission: () => new Promise((resolve) => (decide = resolve)), handshakeTimeoutMs: 1_000, permissionTimeoutMs: 60_000 },
    )
    const run = start({ timeoutMs: 2_000 })
    await until(() => decide !== undefined)
    // What the agent sends meanwhile does not start it anew.
    agents[0]!.text('working')
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(50_000)
    decide({ optionId: 'yes' })
    expect((await run.result).stopReason).toBe('completed')
    expect(agents[0]!.received.find(({ id }) => id === 'q')?.result.outcome).toEqual(selected('yes'))
    await run.dispose()
    expect(clock.pending).toBe(0)
    // It goes on where it is answered: an agent that is silent then is out of time.
    const silent = setUp(
      {
        'session/new': (_, agent) =>
          agent.send({ id: 'q', method: 'session/request_permission', params: { sessionId: 's', toolCall, options: once } }),
      },
      { handshakeTimeoutMs: 1_000 },
    )
    const late = silent.start({ timeoutMs: 2_000 })
    await until(() => silent.agents[0]?.received.some(({ id }) => id === 'q') === true)
    await new Promise((resolve) => setImmediate(resolve))
    silent.clock.advance(1_000)
    expect((await late.result).failure).toMatchObject({ code: 'HANDSHAKE_FAILED' })
  })

  it('A13: one that gives what cannot be read is refused by the own option of the agent, with a warning', async () => {
    const circular: Record<string, unknown> = {}
    circular.optionId = circular
    const throwing = Object.defineProperty({}, 'optionId', {
      get: () => {
        throw new Error('not for you')
      },
    })
    for (const odd of [{ optionId: 10n }, circular, throwing, 10n, Symbol('x'), { optionId: () => {} }]) {
      const { outcome, warnings } = await outcomeOf({ permission: () => odd as never })
      expect(outcome).toEqual(selected('no'))
      expect(warnings).toHaveLength(1)
    }
  })

  it('A13, A21: what is logged of a question is short and has no secret in it', async () => {
    const secret = 'correct horse battery staple'
    const title = `${'t'.repeat(190)}${secret}${'u'.repeat(1000)}`
    for (const permission of [
      () => Promise.reject(new Error(`${'e'.repeat(170)}${secret}`)),
      () => ({ optionId: `${'o'.repeat(160)}${secret}${'p'.repeat(5000)}` }),
    ]) {
      const { logger, start } = setUp(asking(once, { toolCall: { ...toolCall, title } }), { permission, env: { SECRETX: secret } })
      await start().result
      const [warning, ...more] = logger.warnings
      expect(more).toEqual([])
      for (const part of ['corr', 'horse', 'staple']) expect(warning).not.toContain(part)
      expect(warning!.length).toBeLessThan(600)
    }
  })

  it('A13: one that does not decide in its time refuses, and is told of', async () => {
    const { agents, clock, logger, start } = setUp(asking(), { permission: () => new Promise(() => {}), permissionTimeoutMs: 5_000 })
    const run = start()
    await received(agents, 'session/prompt')
    await until(() => clock.pending > 0)
    clock.advance(5_000)
    expect((await run.result).stopReason).toBe('completed')
    expect(agents[0]!.received.find(({ id }) => id === 'q')?.result.outcome).toEqual(selected('no'))
    expect(logger.warnings).toEqual([expect.stringContaining('no handler has answered it within 5000 ms')])
  })

  it('A13: a question that the agent takes back is over', async () => {
    const { agents, start } = setUp(
      {
        'session/prompt': ({ id }, agent) => {
          agent.send({ id: 'q', method: 'session/request_permission', params: { sessionId: 's', toolCall, options: once } })
          agent.send({ method: '$/cancel_request', params: { requestId: 'q' } })
          void until(() => agent.received.some((message) => message.id === 'q')).then(() =>
            agent.send({ id, result: { stopReason: 'end_turn' } }),
          )
        },
      },
      { permission: () => new Promise(() => {}) },
    )
    const run = start()
    expect((await run.result).stopReason).toBe('completed')
    expect(agents[0]!.received.find(({ id }) => id === 'q')?.result?.outcome).toEqual(cancelled)
  })
})

describe('the handler of the service', () => {
  const onPermission: PermissionHandler = () => ({ optionId: 'yes' })

  it('A13: decides where the provider leaves it to the service, and there only', async () => {
    expect((await outcomeOf({ permission: 'ask' }, once, { onPermission })).outcome).toEqual(selected('yes'))
    expect((await outcomeOf({}, once, { onPermission })).outcome).toEqual(selected('no'))
    expect((await outcomeOf({ permission: () => ({ optionId: 'always' }) }, once, { onPermission })).outcome).toEqual(selected('always'))
  })

  it('A13: without one, what the provider leaves to it is refused', async () => {
    const { outcome, warnings } = await outcomeOf({ permission: 'ask' })
    expect([outcome, warnings]).toEqual([selected('no'), []])
  })

  it('A13: one that throws refuses', async () => {
    const throwing: PermissionHandler = () => {
      throw new Error('broken')
    }
    expect((await outcomeOf({ permission: 'ask' }, once, { onPermission: throwing })).outcome).toEqual(selected('no'))
  })

  it('A13: has to be a function', () => {
    expect(() => createSubagentService({ onPermission: 'yes' as never })).toThrow('onPermission must be a function, got "yes"')
  })
})

import { describe, expect, it } from 'vitest'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import { textOf, until } from '../collect.ts'
import { received, setUp } from './memory-agent.ts'
import type { Script } from './memory-agent.ts'

/** Answers each prompt with what it was told. */
const echo: Script[string] = ({ id, params }, agent) => {
  agent.update(
    { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `[${textOf({ output: params.prompt })}]` } },
    params.sessionId,
  )
  agent.send({ id, result: { stopReason: 'end_turn' } })
}
const prompts = (agents: ReturnType<typeof setUp>['agents'], child = 0): string[] =>
  agents[child]!.received.flatMap(({ method, params }) => (method === 'session/prompt' ? [textOf({ output: params.prompt })] : []))

describe('messages', () => {
  it('A16: one that comes while a prompt runs is the next prompt of the same session, and belongs to the result', async () => {
    const { agents, start } = setUp({ 'session/prompt': () => {} })
    const run = start()
    const first = await received(agents, 'session/prompt')
    run.sendMessage!('and this')
    run.sendMessage!('and that')
    expect(prompts(agents)).toEqual(['work'])
    echo(first, agents[0]!)
    await until(() => prompts(agents).length === 2)
    echo(agents[0]!.received.at(-1)!, agents[0]!)
    await until(() => prompts(agents).length === 3)
    echo(agents[0]!.received.at(-1)!, agents[0]!)
    const { output } = await run.result
    expect(output.map((block) => block.type === 'text' && block.text)).toEqual(['[work]', '[and this]', '[and that]'])
  })

  it('A16: one that came before the session was there waits; a cancel drops what waits', async () => {
    const early = setUp({ 'session/prompt': echo })
    const run = early.start()
    run.sendMessage!('early')
    expect(textOf(await run.result)).toBe('[work][early]')

    const cancelled = setUp({
      'session/prompt': () => {},
      'session/cancel': (_, agent) => agent.send({ id: agent.got('session/prompt')!.id, result: { stopReason: 'cancelled' } }),
    })
    const other = cancelled.start()
    await received(cancelled.agents, 'session/prompt')
    other.sendMessage!('never sent')
    other.cancel()
    expect((await other.result).stopReason).toBe('aborted')
    expect(prompts(cancelled.agents)).toEqual(['work'])
  })

  it('A4: one with blocks that the agent does not take is refused where it is sent', async () => {
    const { agents, start } = setUp({
      'session/prompt': () => {},
      'session/cancel': (_, agent) => agent.exit({ code: 0 }),
    })
    const run = start()
    await received(agents, 'session/prompt')
    expect(() => run.sendMessage!([{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }])).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_CAPABILITY' }),
    )
    run.cancel()
    await run.dispose()
  })
})

describe('resume', () => {
  const advertises =
    (agentCapabilities: object): Script[string] =>
    ({ id }, agent) =>
      agent.send({ id, result: { protocolVersion: 1, agentCapabilities } })

  it('A16: opens the session in a new process where the agent can resume one', async () => {
    const script: Script = {
      initialize: advertises({ sessionCapabilities: { resume: {} }, loadSession: true }),
      'session/resume': ({ id }, agent) => agent.send({ id, result: {} }),
      'session/prompt': echo,
    }
    const { agents, start } = setUp(script)
    const run = start()
    await run.result
    await run.dispose()
    const resumed = run.resume!('go on')
    expect(await resumed.result).toMatchObject({ sessionId: 's', output: [{ text: '[go on]' }] })
    expect(agents[1]!.received.map(({ method }) => method)).toEqual(['initialize', 'session/resume', 'session/prompt'])
    expect(agents[1]!.got('session/resume')?.params).toMatchObject({ sessionId: 's', cwd: '/', mcpServers: [] })
    await resumed.dispose()
  })

  it('A16: loads it where that is all the agent can; what it tells of the past is no output', async () => {
    const script: Script = {
      initialize: advertises({ loadSession: true }),
      'session/load': ({ id }, agent) => {
        agent.text('[work]')
        agent.send({ id, result: null })
      },
      'session/prompt': echo,
    }
    const { start, updates } = setUp(script)
    const run = start()
    await run.result
    await run.dispose()
    const before = updates.length
    expect(textOf(await run.resume!('go on').result)).toBe('[go on]')
    expect(updates.slice(before).map(({ type }) => type)).toEqual(['ready', 'text'])
  })

  it('A16: else goes on in the process that is still alive, which passes to the new run', async () => {
    const { agents, start } = setUp({ 'session/prompt': echo })
    const run = start()
    await run.result
    const resumed = run.resume!('go on')
    expect(textOf(await resumed.result)).toBe('[go on]')
    await run.dispose()
    expect(agents).toHaveLength(1)
    expect(agents[0]!.isClosed).toBe(false)
    const third = resumed.resume!('and on')
    expect(textOf(await third.result)).toBe('[and on]')
    await resumed.dispose()
    await third.dispose()
    expect(agents[0]!.isClosed).toBe(true)
    expect(prompts(agents)).toEqual(['work', 'go on', 'and on'])
  })

  it('A16: else says that it cannot: after the disposal, and where the process went on in another run', async () => {
    const { start } = setUp({ 'session/prompt': echo })
    const run = start()
    await run.result
    const resumed = run.resume!('go on')
    await resumed.result
    expect(() => run.resume!('me too')).toThrow('The session cannot be gone on with')
    await resumed.dispose()
    expect(() => resumed.resume!('again')).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})

describe('settings', () => {
  const options = [
    {
      id: 'llm',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'small',
      options: [
        { value: 'small', name: 'S' },
        { group: 'g', name: 'G', options: [{ value: 'large', name: 'L' }] },
      ],
    },
    { id: 'web', name: 'Web', type: 'boolean', currentValue: false },
  ]
  const modern: Script = {
    'session/new': ({ id }, agent) => agent.send({ id, result: { sessionId: 's', configOptions: options } }),
    'session/set_config_option': ({ id, params }, agent) =>
      agent.send({
        id,
        result: {
          configOptions: options.map((option) => (option.id === params.configId ? { ...option, currentValue: params.value } : option)),
        },
      }),
  }
  const old: Script = {
    'session/new': ({ id }, agent) =>
      agent.send({
        id,
        result: {
          sessionId: 's',
          models: { currentModelId: 'small', availableModels: [{ modelId: 'small' }, { modelId: 'large' }] },
          modes: { currentModeId: 'ask', availableModes: [{ id: 'ask' }, { id: 'auto' }] },
        },
      }),
    'session/set_model': ({ id }, agent) => agent.send({ id, result: {} }),
    'session/set_mode': ({ id }, agent) => agent.send({ id, result: null }),
  }
  const sets = (agents: ReturnType<typeof setUp>['agents']): unknown[] =>
    agents[0]!.received.flatMap(({ method, params }) => (method?.startsWith('session/set') ? [[method, params]] : []))

  it('A17: model and options are set by id before the prompt, where they are not so already', async () => {
    const { agents, start } = setUp(modern, { model: 'large', config: { web: true } })
    expect((await start().result).stopReason).toBe('completed')
    expect(sets(agents)).toEqual([
      ['session/set_config_option', { sessionId: 's', configId: 'llm', value: 'large' }],
      ['session/set_config_option', { sessionId: 's', configId: 'web', value: true, type: 'boolean' }],
    ])
    const same = setUp(modern, { model: 'small', config: { web: false } })
    await same.start().result
    expect(sets(same.agents)).toEqual([])
  })

  it('A17: agents that list their models and modes are asked in that way; the model of the request comes first', async () => {
    const { agents, start } = setUp(old, { model: 'small', mode: 'auto' })
    await start({ agentOptions: { model: 'large' } }).result
    expect(sets(agents)).toEqual([
      ['session/set_model', { sessionId: 's', modelId: 'large' }],
      ['session/set_mode', { sessionId: 's', modeId: 'auto' }],
    ])
  })

  it('A17: an id that does not exist fails the start with those that do', async () => {
    for (const [script, settings, message] of [
      [modern, { model: 'huge' }, 'The agent knows no model "huge". It offers "small", "large".'],
      [modern, { config: { net: true } }, 'The agent knows no option of the session "net". It offers "llm", "web".'],
      [modern, { config: { web: 'yes' } }, 'The agent knows no value of web "yes". It offers "true", "false".'],
      [old, { mode: 'yolo' }, 'The agent knows no mode "yolo". It offers "ask", "auto".'],
      [{}, { model: 'large' }, 'The agent knows no model "large". It offers none.'],
    ] as const) {
      const { agents, start } = setUp(script, settings)
      expect((await start().result).failure).toEqual({ code: 'INVALID_REQUEST', phase: 'starting', retryable: false, message })
      expect(agents[0]!.got('session/prompt')).toBeUndefined()
    }
  })

  it('A17: a value that the agent does not take over fails the start', async () => {
    const { start } = setUp(
      { ...modern, 'session/set_config_option': ({ id }, agent) => agent.send({ id, result: { configOptions: options } }) },
      { model: 'large' },
    )
    expect((await start().result).failure).toMatchObject({
      code: 'HANDSHAKE_FAILED',
      message: 'The agent was asked to set llm to "large", and says it is "small".',
    })
  })

  it('A17: a model object is refused where start() stands', () => {
    const { agents, start } = setUp()
    expect(() => start({ agentOptions: { model: {} } })).toThrow(
      'agentOptions.model must be the id of a model that the agent knows, as a string',
    )
    expect(agents).toEqual([])
  })
})

describe('the actor', () => {
  it('A2: is a child of the run, goes through its states on events alone, and is gone with the run', async () => {
    const seen: string[] = []
    const actors = new Set<AnyActorRef>()
    const inspect = (event: InspectionEvent): void => {
      const ref = event.actorRef as AnyActorRef
      if (!ref.id.endsWith('-acp')) return
      actors.add(ref)
      if (event.type === '@xstate.snapshot') seen.push(`${event.event.type} ${(event.snapshot as unknown as { value: string }).value}`)
    }
    const { start } = setUp({}, {}, { service: { inspect } })
    const run = start()
    await run.result
    const [actor] = [...actors]
    expect((actor as unknown as { _parent: unknown })._parent).toBe(run.ref)
    expect(actor!.id).toBe(`${run.runId}-acp`)
    await run.dispose()
    expect(seen).toEqual([
      'xstate.init spawning',
      'spawned initializing',
      'initialized opening',
      'opened ready',
      'prompt prompting',
      'answered ready',
      'close closing',
      'closed closed',
    ])
    expect(actors.size).toBe(1)
  })

  it('A2, S6: a registry that is stopped kills the process at once', async () => {
    const { agents, service, start } = setUp({ 'session/prompt': () => {} })
    const run = start()
    await received(agents, 'session/prompt')
    ;(service.ref as unknown as { stop(): void }).stop()
    await until(() => agents[0]!.isClosed)
    expect((await agents[0]!.exited).signal).toBe('SIGKILL')
    expect((await run.result).stopReason).toBe('aborted')
  })
})

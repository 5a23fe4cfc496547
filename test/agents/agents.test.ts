import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents, intersectToolFilters, toolFilterOf } from '../../src/agents/index.ts'
import type { CreateAgentOptions } from '../../src/agents/index.ts'
import { SubagentError } from '../../src/errors.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { Agent } from '../../src/types.ts'
import { ask, lines, memoryLogger, setUp } from './harness.ts'

const anything = jsonSchema({ type: 'object' })
const make = (output: string) => tool({ inputSchema: anything, execute: async () => output })
const model = scriptedModel(() => 'ok')
const logger = memoryLogger()

function refusal(call: () => unknown): { code: string; message: string; cause: unknown } {
  try {
    call()
  } catch (error) {
    if (SubagentError.is(error)) return { code: error.code, message: error.message, cause: error.cause }
    throw error
  }
  throw new Error('It should have been refused.')
}

describe('the factory', () => {
  it('G1: refuses options that are none, by their names', () => {
    const message = (...options: unknown[]) => {
      const { code, message } = refusal(() => (createAgents as (...options: unknown[]) => unknown)(...options))
      return `${code}: ${message}`
    }
    expect(message()).toBe('INVALID_REQUEST: options must be an object, got undefined.')
    expect(message(null)).toBe('INVALID_REQUEST: options must be an object, got null.')
    for (const name of ['tools', 'system', 'resolveModel', 'clock', 'createId', 'logger']) {
      expect(message({ [name]: 5 })).toMatch(new RegExp(`^INVALID_REQUEST: ${name} must be an? .*, got 5\\.$`))
    }
    expect(message({ tools: [] })).toContain('tools must be an object of tools by name')
    expect(message({ clock: { now: () => 0 } })).toContain('clock must be')
  })

  it('G1: creates synchronously, looks up by id, lists the live agents oldest first', async () => {
    const agents = createAgents({ model, logger })
    const [first, second] = [agents.create({ id: 'one' }), agents.create()]
    expect([agents.get('one'), agents.get('none'), agents.list()]).toEqual([first.agent, undefined, [first.agent, second.agent]])
    expect([second.agent.id.slice(0, 6), second.agent.session.header.id.slice(0, 8)]).toEqual(['agent-', 'session-'])
    expect(second.agent.id).not.toBe(agents.create().agent.id)
    await first.dispose()
    expect(agents.list()[0]).toBe(second.agent)
  })

  it('G1: an id that is taken is refused before a session, a model or tools are asked for', () => {
    let asked = 0
    const agents = createAgents({
      resolveModel: () => (asked++, model),
      model: 'm',
      tools: () => (asked++, {}),
      createId: () => `id-${asked++}`,
      logger,
    })
    agents.create({ id: 'one' })
    const before = asked
    expect(refusal(() => agents.create({ id: 'one' }))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'An agent with the id "one" is alive. Pick another id, or dispose that one first.',
    })
    expect([asked - before, agents.list().length]).toEqual([0, 1])
  })

  it('an option of the wrong shape is refused by name, and no agent is left', () => {
    const agents = createAgents({ model, logger })
    const wrong: [CreateAgentOptions, string][] = [
      [{ id: '' }, 'id must be a non-empty string, got "".'],
      [{ sessionId: 7 as never }, 'sessionId must be a non-empty string, got 7.'],
      [{ cwd: '' }, 'cwd must be a non-empty string, got "".'],
      [{ options: null as never }, 'options must be an object, got null.'],
      [{ options: { maxSteps: 0 } }, 'options.maxSteps must be a whole number from 1, got 0.'],
      [{ options: { maxTokens: 1.5 } }, 'options.maxTokens must be a whole number from 1, got 1.5.'],
      [{ options: { subagentDepth: -1 } }, 'options.subagentDepth must be a whole number from 0, got -1.'],
      [{ delegationDepth: NaN }, 'delegationDepth must be a whole number from 0, got NaN.'],
      [{ system: 1 as never }, "system must be a string ('' for none), got 1."],
      [{ seed: {} as never }, 'seed must be an array of session events, got an object of another shape.'],
      [
        { seed: [{ seq: 1, at: 0, type: 'turn/start', turn: 1 }] },
        'seed must be session events whose seq runs from 0 without gaps; the one at index 0 has seq 1.',
      ],
    ]
    for (const [request, message] of wrong)
      expect(refusal(() => agents.create(request))).toMatchObject({ code: 'INVALID_REQUEST', message })
    expect(agents.list()).toEqual([])
    expect(refusal(() => createAgents({ model, maxSteps: 0 })).message).toBe('maxSteps must be a whole number from 1, got 0.')
    expect(refusal(() => createAgents({ model, maxRetries: -1 })).message).toBe('maxRetries must be a whole number from 0, got -1.')
  })

  it('G2: the options are copied and frozen, extensions kept', () => {
    const options = { model, maxTokens: 5, custom: 'x' }
    const { agent } = setUp({}, { options })
    options.maxTokens = 6
    expect([agent.options, Object.isFrozen(agent.options)]).toEqual([{ model, maxTokens: 5, custom: 'x' }, true])
  })

  it('the system prompt is the own one, else that of the factory; an empty one means none', async () => {
    const prompts: unknown[] = []
    const spy = scriptedModel(({ prompt }) => (prompts.push(prompt[0]!.role === 'system' ? prompt[0]!.content : 'none'), 'ok'))
    const agents = createAgents({ model: spy, system: 'factory', logger })
    for (const system of [undefined, 'own', '']) await ask(agents.create({ ...(system !== undefined && { system }) }).agent, 'go')
    expect(prompts).toEqual(['factory', 'own', 'none'])
  })
})

describe('the model', () => {
  const hint =
    'Pass createAgents({ model }), or agentOptions.model, as a model object of the AI SDK, or as an id together with createAgents({ resolveModel }).'

  it("an agent's own model comes before the factory's, and ids go through resolveModel", async () => {
    const other = scriptedModel(() => 'other')
    const agents = createAgents({ model: 'default', resolveModel: (id) => (id === 'default' ? model : other), logger })
    expect([agents.modelFor({}), agents.modelFor({ model: 'x' }), agents.modelFor({ model: other })]).toEqual([model, other, other])
    expect((await ask(agents.create({ options: { model: 'x' } }).agent, 'go'))[2]).toBe('assistant "other"')
  })

  it('none at all, an id that nothing resolves and what is no model are NO_MODEL, and say what to do', () => {
    const cause = new Error('unknown model')
    expect(refusal(() => createAgents({ logger }).create())).toEqual({
      code: 'NO_MODEL',
      message: `No model is named. ${hint}`,
      cause: undefined,
    })
    expect(refusal(() => createAgents({ model: 'openai/gpt-5', logger }).create())).toEqual({
      code: 'NO_MODEL',
      message: `The model id "openai/gpt-5" cannot be resolved: createAgents has no resolveModel. ${hint}`,
      cause: undefined,
    })
    expect(
      refusal(() =>
        createAgents({
          logger,
          resolveModel: () => {
            throw cause
          },
        }).modelFor({ model: 'x' }),
      ),
    ).toEqual({
      code: 'NO_MODEL',
      message: `The model id "x" cannot be resolved: resolveModel threw Error: unknown model. ${hint}`,
      cause,
    })
    expect(refusal(() => createAgents({ logger, resolveModel: () => 'y' }).modelFor({ model: 'x' })).message).toBe(
      `What resolveModel gave for "x" is not a model object of the AI SDK (an object with doStream), got string. ${hint}`,
    )
    expect(refusal(() => createAgents({ model, logger }).create({ options: { model: 7 } })).message).toBe(
      `The model is not a model object of the AI SDK (an object with doStream), got number. ${hint}`,
    )
  })
})

describe('the tool filter', () => {
  const tools = { a: make('A'), b: make('B'), c: make('C') }
  const shown = async (request: CreateAgentOptions): Promise<readonly string[]> => {
    const spy = scriptedModel(['ok'])
    await ask(createAgents({ model: spy, tools, logger }).create(request).agent, 'go')
    return spy.calls[0]!.tools
  }

  it('P10: allow first, then deny; an empty allow hides everything', async () => {
    expect(await shown({})).toEqual(['a', 'b', 'c'])
    expect(await shown({ toolFilter: { allow: ['a', 'b'], deny: ['b'] } })).toEqual(['a'])
    expect(await shown({ toolFilter: { deny: ['a'] } })).toEqual(['b', 'c'])
    expect(await shown({ toolFilter: { allow: [] } })).toEqual([])
  })

  it('P10: an unknown name is refused when the agent is created, and leaves none', () => {
    const agents = createAgents({ model, tools, logger })
    expect(refusal(() => agents.create({ toolFilter: { deny: ['a', 'x', 'y'] } }))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: "toolFilter.deny names tools that do not exist: x, y. The agent's tools are a, b, c.",
    })
    expect(refusal(() => createAgents({ model, logger }).create({ toolFilter: { allow: ['x'] } })).message).toBe(
      'toolFilter.allow names tools that do not exist: x. The agent has no tools.',
    )
    expect(refusal(() => agents.create({ toolFilter: { allow: 'a' as never } })).message).toBe(
      'toolFilter.allow must be an array of tool names, got string.',
    )
    expect(agents.list()).toEqual([])
  })

  it('P10: extra tools survive it; one that has the name of a visible tool is refused', async () => {
    expect(await shown({ toolFilter: { allow: [] }, extraTools: { answer: make('x') } })).toEqual(['answer'])
    expect(await shown({ toolFilter: { deny: ['a'] }, extraTools: { a: make('x') } })).toEqual(['b', 'c', 'a'])
    expect(refusal(() => createAgents({ model, tools, logger }).create({ extraTools: { a: make('x') } }))).toMatchObject({
      code: 'INVALID_REQUEST',
      message:
        'The agent has a tool named "a", and extraTools brings another (an outputSchema brings structured_output, by which the child gives its result). Rename the agent\'s own, or hide it by toolFilter.',
    })
  })

  it("P10: a parent's filter is intersected, its names unchecked, and the whole is known of the agent", async () => {
    const inheritedFilter = { allow: ['a', 'b', 'gone'], deny: ['b'] }
    expect(await shown({ inheritedFilter, toolFilter: { allow: ['a', 'b', 'c'] } })).toEqual(['a'])
    const { agent } = createAgents({ model, tools, logger }).create({ inheritedFilter, toolFilter: { deny: ['c'] } })
    expect(toolFilterOf(agent)).toEqual({ allow: ['a', 'b', 'gone'], deny: ['b', 'c'] })
    expect(toolFilterOf(createAgents({ model, logger }).create().agent)).toBe(undefined)
  })

  it('P10: intersecting lets through what both do', () => {
    expect(intersectToolFilters(undefined, undefined)).toBe(undefined)
    expect(intersectToolFilters({ allow: ['a'] }, undefined)).toEqual({ allow: ['a'] })
    expect(intersectToolFilters({ allow: ['a', 'b'] }, { allow: ['b', 'c'], deny: ['d'] })).toEqual({ allow: ['b'], deny: ['d'] })
    expect(intersectToolFilters({ deny: ['a'] }, { allow: ['b'] })).toEqual({ allow: ['b'], deny: ['a'] })
    expect(intersectToolFilters({ deny: ['a'] }, { deny: ['a', 'b'] })).toEqual({ deny: ['a', 'b'] })
  })

  it('tools of a function are asked for with the agent', async () => {
    const seen: Agent[] = []
    const { agent } = createAgents({ model, tools: (asking) => (seen.push(asking), tools), logger }).create({ id: 'me' })
    expect([seen[0], seen[0]!.session.header.id]).toEqual([agent, agent.session.header.id])
  })
})

describe('a seed', () => {
  it("begins the log, is counted in the header, and is what the model sees; what comes later is the agent's own", async () => {
    const first = setUp({ model: scriptedModel([{ text: 'looking', tools: [{ name: 'a' }] }, 'found A']), tools: { a: make('A') } })
    await ask(first.agent, 'look')
    const spy = scriptedModel(['again'])
    const { agent } = setUp({ model: spy, tools: { a: make('A') } }, { id: 'fork', sessionId: 'fork', seed: first.agent.session.events })
    const seedLength = first.agent.session.events.length
    expect(agent.session.header.seedLength).toBe(seedLength)
    expect(agent.session.events[0]).toBe(first.agent.session.events[0])
    expect((await ask(agent, 'more')).slice(seedLength)).toEqual(['turn 2', 'user "more"', 'assistant "again"', 'end 2 completed'])
    expect(spy.calls[0]!.prompt).toMatchObject([
      { role: 'user', content: [{ text: 'look' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'looking' },
          { type: 'tool-call', toolCallId: 'call-0-0', toolName: 'a', input: {} },
        ],
      },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call-0-0', output: { type: 'text', value: 'A' } }] },
      { role: 'assistant', content: [{ type: 'text', text: 'found A' }] },
      { role: 'user', content: [{ text: 'more' }] },
    ])
    expect(lines(first.agent.session).length).toBe(seedLength)
  })

  it('is copied in: what its maker changes afterwards changes nothing', () => {
    const content = [{ type: 'text' as const, text: 'before' }]
    const seed = [
      { seq: 0, at: 1, type: 'turn/start' as const, turn: 3 },
      { seq: 1, at: 1, type: 'user/message' as const, content },
    ]
    const { agent } = setUp({ model }, { seed })
    content[0]!.text = 'after'
    expect(lines(agent.session)).toEqual(['turn 3', 'user "before"'])
    expect(Object.isFrozen(content)).toBe(false)
  })

  it('an empty seed is none', () => {
    expect(setUp({ model }, { seed: [] }).agent.session.header).toEqual({ version: 1, id: 'session', createdAt: 1000, delegationDepth: 0 })
  })
})

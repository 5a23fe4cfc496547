import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { ParentAgent, SessionEvent } from '../../src/index.ts'
import { forkProvider } from '../../src/providers/index.ts'
import { describeProvider } from '../../src/testing/index.ts'
import type { ScriptedCall, ScriptedStep } from '../../src/testing/index.ts'
import { subagentTool } from '../../src/tools/index.ts'
import { lines } from '../agents/harness.ts'
import { collectLogger, textOf, until } from './collect.ts'
import { setUp, talk } from './set-up.ts'
import { forkSubject } from './spawn-subject.ts'

await describeProvider('forkProvider', forkSubject, {
  skip: {
    A13: 'no tool of an in-process agent asks for a permission yet',
    R8: 'a turn ends at a cancel whatever its model and its tools do (G13)',
    R12: 'what goes wrong in a turn is an end of the turn, so result never rejects (P6)',
    R18: 'the agent is there when start() returned',
  },
})

/** A prompt as the model got it: roles and texts. */
const said = ({ prompt }: ScriptedCall): string[] =>
  prompt.map(({ role, content }) =>
    typeof content === 'string'
      ? `${role}: ${content}`
      : `${role}: ${content.map((part) => ('text' in part ? part.text : 'toolName' in part ? `<${part.type} ${part.toolName}>` : `<${part.type}>`)).join('')}`,
  )

describe('the provider', () => {
  it('P3, P8: is named fork unless it is given a name, inherits, and says what it can', () => {
    const { agents } = setUp([])
    expect(forkProvider({ agents })).toMatchObject({
      name: 'fork',
      capabilities: { outputSchema: true, depthLimit: true, toolFilter: true, persona: true },
      inheritsParentContext: true,
    })
    expect(forkProvider({ agents, name: 'branch' }).name).toBe('branch')
    expect(() => forkProvider({ agents: {} as never })).toThrow(/agents must be what createAgents\(\) gives/)
    expect(() => forkProvider({ agents, name: '' })).toThrow(/name must be a non-empty string/)
  })
})

describe('what is inherited', () => {
  it('P8: the log of the parent up to its last turn/end, with a header of its own', async () => {
    const { agents, service, model } = setUp(['one', 'two', 'of the child'], { system: 'Factory prompt.' })
    const { agent: parent } = agents.create({ cwd: '/project', system: 'Prompt of the parent.' })
    await talk(parent, 'first', 'second')
    const run = service.start('fork', { parent, prompt: 'go on' })
    const child = agents.get(run.id)!
    expect(child.session.header).toEqual({
      version: 1,
      id: expect.any(String),
      createdAt: expect.any(Number),
      cwd: '/project',
      parentSession: parent.session.header.id,
      delegationDepth: 1,
      seedLength: 8,
    })
    expect(child.session.events.slice(0, 8)).toEqual(parent.session.events)
    expect(child.session.events.map(({ seq }) => seq)).toEqual(child.session.events.map((_, index) => index))
    expect(textOf(await run.result)).toBe('of the child')
    expect(said(model.calls[2]!)).toEqual([
      'system: Factory prompt.',
      'user: first',
      'assistant: one',
      'user: second',
      'assistant: two',
      'user: go on',
    ])
    // The child's own turn goes on with the numbers.
    expect(lines(child.session).slice(8)).toEqual(['turn 3', 'user "go on"', 'assistant "of the child"', 'end 3 completed'])
    await service.close()
    expect(parent.session.events).toHaveLength(8)
  })

  it('P8: without a completed turn the child is fresh, without seedLength', async () => {
    const { agents, service, model } = setUp([{ text: 'hm', hang: true }, 'alone', 'alone too'])
    const { agent: parent } = agents.create()
    parent.send('open turn')
    await until(() => model.calls.length > 0)
    for (const each of [parent, rootAgent()]) {
      const run = service.start('fork', { parent: each, prompt: 'go' })
      expect('seedLength' in agents.get(run.id)!.session.header).toBe(false)
      await run.result
      expect(said(model.calls.at(-1)!)).toEqual(['user: go'])
    }
    await service.close()
  })

  it('P8, P15: forked in the middle of a turn the child sees none of it, and the parent logs its own call and result alone', async () => {
    const { agents, service, model } = setUp(
      [
        'noted',
        { text: 'I ask a fork.', tools: [{ name: 'subagent', input: { description: 'Ask', prompt: 'What was noted?' } }] },
        'the number 7',
        'It is 7.',
      ],
      { tools: () => ({ subagent }) },
    )
    const subagent = subagentTool({ service, provider: 'fork' })
    const { agent: parent } = agents.create()
    await talk(parent, 'note 7', 'what did I say?')
    expect(said(model.calls[2]!)).toEqual(['user: note 7', 'assistant: noted', 'user: What was noted?'])
    expect(lines(parent.session).slice(4)).toEqual([
      'turn 2',
      'user "what did I say?"',
      'assistant "I ask a fork."',
      'call subagent {"description":"Ask","prompt":"What was noted?"}',
      'result subagent ok "the number 7"',
      'assistant "It is 7."',
      'end 2 completed',
    ])
    await service.close()
  })

  it('P8: a nested fork inherits what its parent had inherited, too', async () => {
    const { agents, service, model } = setUp(['one', 'two', 'three'])
    const { agent: parent } = agents.create()
    await talk(parent, 'first')
    const run = service.start('fork', { parent, prompt: 'second' })
    await run.result
    const child = agents.get(run.id)!
    const nested = service.start('fork', { parent: child, prompt: 'third' })
    expect(agents.get(nested.id)!.session.header).toMatchObject({
      seedLength: 8,
      delegationDepth: 2,
      parentSession: child.session.header.id,
    })
    expect(textOf(await nested.result)).toBe('three')
    expect(said(model.calls[2]!)).toEqual(['user: first', 'assistant: one', 'user: second', 'assistant: two', 'user: third'])
    await service.close()
  })

  it('P8, P10: tool calls of the parent stay in the conversation, also of a tool that the child does not have', async () => {
    const look = tool({ inputSchema: z.object({ at: z.string() }), execute: () => ({ found: 3 }) })
    const other = tool({ inputSchema: z.object({}), execute: () => 'ok' })
    const script: ScriptedStep[] = [
      { text: 'Looking.', tools: [{ name: 'look', input: { at: 'src' } }] },
      'There.',
      'as seen above',
      'as told above',
    ]
    const { agents, service, model } = setUp(script, { tools: { look, other } })
    const { agent: parent } = agents.create()
    await talk(parent, 'look around')
    expect((await service.delegate('fork', { parent, prompt: 'and?', toolFilter: { allow: ['other'] } })).stopReason).toBe('completed')
    expect([model.calls[2]!.tools, said(model.calls[2]!)]).toEqual([
      ['other'],
      ['user: look around', 'assistant: Looking.<tool-call look>', 'tool: <tool-result look>', 'assistant: There.', 'user: and?'],
    ])
    // Providers refuse calls where no tool is offered: they are told as text.
    await service.delegate('fork', { parent, prompt: 'and?', toolFilter: { allow: [] } })
    expect([model.calls[3]!.tools, said(model.calls[3]!)]).toEqual([
      [],
      [
        'user: look around',
        'assistant: Looking.[Called look with {"at":"src"}]',
        'user: [look gave: {"found":3}]',
        'assistant: There.',
        'user: and?',
      ],
    ])
    await service.close()
  })

  it('P8, P5: a child that says nothing gives nothing, never what its parent said; usage is its own', async () => {
    const { agents, service } = setUp(['one', { text: '', finish: 'length', usage: { inputTokens: 3, outputTokens: 0 } }])
    const { agent: parent } = agents.create()
    await talk(parent, 'first')
    expect(await service.delegate('fork', { parent, prompt: 'go' })).toMatchObject({
      stopReason: 'max-tokens',
      output: [],
      usage: { inputTokens: 3 },
    })
    await service.close()
  })

  it('P8: a turn of the parent that failed or was cancelled is a turn that has ended', async () => {
    const { agents, service, model } = setUp([{ text: 'half', hang: true }, 'child'])
    const { agent: parent } = agents.create()
    parent.send('first')
    await until(() => parent.session.events.length > 1 && model.calls.length === 1)
    parent.cancel('stop')
    await parent.whenIdle()
    await service.delegate('fork', { parent, prompt: 'go' })
    expect(said(model.calls[1]!).at(-1)).toBe('user: go')
    expect(said(model.calls[1]!)[0]).toBe('user: first')
    await service.close()
  })
})

describe('parents that are not ours', () => {
  const events = (list: readonly unknown[]): ParentAgent => ({
    id: 'theirs',
    options: {},
    session: { header: { version: 1, id: 'session', createdAt: 0 }, events: list as SessionEvent[] },
  })
  const turn = [
    { seq: 0, at: 0, type: 'turn/start', turn: 1 },
    { seq: 1, at: 0, type: 'user/message', content: [{ type: 'text', text: 'hello' }] },
    { seq: 2, at: 0, type: 'assistant/message', content: [{ type: 'text', text: 'hi' }] },
    { seq: 3, at: 0, type: 'turn/end', turn: 1, reason: { kind: 'completed' } },
  ]

  it('P8: any log of completed turns is inherited, copied', async () => {
    const { agents, service, model } = setUp(['child'])
    const theirs = structuredClone(turn)
    const run = service.start('fork', { parent: events(theirs), prompt: 'go' })
    theirs[1] = { ...theirs[1]!, content: [] as never }
    expect(agents.get(run.id)!.session.header.seedLength).toBe(4)
    await run.result
    expect(said(model.calls[0]!)).toEqual(['user: hello', 'assistant: hi', 'user: go'])
    await service.close()
  })

  it.each<[string, unknown, RegExp]>([
    ['no log', undefined, /parent\.session\.events must be an array of session events, got undefined/],
    ['a gap', [turn[0], turn[3]], /parent\.session\.events\[1\] .*seq.* 3 .*1/],
    ['no event', [null, { ...turn[3], seq: 1 }], /parent\.session\.events\[0\] .*object/],
    [
      'an unknown type',
      [
        { seq: 0, at: 0, type: 'note' },
        { ...turn[3], seq: 1 },
      ],
      /parent\.session\.events\[0\] .*"note"/,
    ],
    ['content that is none', [turn[0], { ...turn[1], content: 'hello' }, { ...turn[3], seq: 2 }], /parent\.session\.events\[1\] .*content/],
    [
      'a block that is none',
      [turn[0], { ...turn[1], content: [{ type: 'video' }] }, { ...turn[3], seq: 2 }],
      /parent\.session\.events\[1\] .*content\[0\]/,
    ],
    [
      'a call without its id',
      [turn[0], { seq: 1, at: 0, type: 'tool/call', name: 'x', input: {} }, { ...turn[3], seq: 2 }],
      /parent\.session\.events\[1\] .*toolCallId/,
    ],
  ])('P8: a log with %s is refused at start as INVALID_REQUEST, and nothing is left', (_, list, message) => {
    const { agents, service } = setUp([])
    const started: string[] = []
    service.on('subagent/start', ({ id }) => started.push(id))
    expect(() => service.start('fork', { parent: events(list as never), prompt: 'go' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) }),
    )
    expect([started, agents.list()]).toEqual([[], []])
  })
})

describe('running', () => {
  it('P13, S22: a parent that is disposed takes its forks along', async () => {
    const { agents, service, model } = setUp(['one', { text: 'half', hang: true }])
    const { agent: parent, dispose } = agents.create()
    await talk(parent, 'first')
    const run = service.start('fork', { parent, prompt: 'go' })
    await until(() => model.calls.length === 2)
    await dispose()
    expect((await run.result).stopReason).toBe('aborted')
    await run.dispose()
    expect(agents.list()).toEqual([])
  })

  it('S7, P14: removing the provider leaves a live fork alone', async () => {
    const logger = collectLogger()
    const { agents } = setUp(['one', 'child'])
    const service = createSubagentService({ logger })
    const remove = service.registerProvider(forkProvider({ agents, name: 'branch' }))
    const { agent: parent } = agents.create()
    await talk(parent, 'first')
    const ends: string[] = []
    service.on('subagent/end', ({ provider, stopReason }) => ends.push(`${provider} ${stopReason}`))
    const run = service.start('branch', { parent, prompt: 'go' })
    remove()
    expect(textOf(await run.result)).toBe('child')
    await run.dispose()
    expect(ends).toEqual(['branch completed'])
  })

  it('P15: three forks of one parent, one cancelled and one failing, do not mix', async () => {
    const { agents, service, model } = setUp((call) => {
      switch (call.lastUserText) {
        case 'b':
          return { text: 'half', hang: true }
        case 'c':
          return { error: { message: 'no', status: 400 } }
        default:
          return `to ${call.lastUserText}`
      }
    })
    const { agent: parent } = agents.create()
    await talk(parent, 'first')
    const log = lines(parent.session)
    const [a, b, c] = ['a', 'b', 'c'].map((prompt) => service.start('fork', { parent, prompt }))
    await until(() => model.calls.length === 4)
    b!.cancel()
    const results = await Promise.all([a!.result, b!.result, c!.result])
    expect(results.map((result) => `${result.stopReason} ${textOf(result)}`)).toEqual(['completed to a', 'aborted half', 'error '])
    expect(lines(parent.session)).toEqual(log)
    await service.close()
  })
})

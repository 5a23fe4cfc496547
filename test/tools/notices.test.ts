import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import type { InProcessAgent } from '../../src/agents/index.ts'
import { createSubagentService } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../src/testing/scripted-model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedProviderOptions } from '../../src/testing/scripted-provider.ts'
import { subagentTools } from '../../src/tools/index.ts'
import type { SubagentToolOptions } from '../../src/tools/index.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { background, settled } from './background-doubles.ts'

const text = (value: string) => ({ type: 'text', text: value }) as const
const start = (...names: string[]) => ({
  tools: names.map((name) => ({
    name: 'subagent',
    input: { description: name, prompt: name, run_in_background: true },
    id: `start ${name}`,
  })),
})

/** An agent whose model follows a script, with runs in the background that a test ends by hand. */
function agentWith(
  steps: readonly ScriptedStep[] | Exclude<ScriptedStep, string | { readonly text?: unknown }>,
  options: Partial<SubagentToolOptions> = {},
  providerOptions: ScriptedProviderOptions = {},
) {
  const logger = collectLogger()
  const provider = scriptedProvider(() => ({ hang: true }), { name: 'helper', ...providerOptions })
  const service = createSubagentService({ providers: [provider], logger })
  const set = subagentTools({ service, provider: 'helper', background: true, logger, ...options })
  const model = scriptedModel(steps as never)
  const agents = createAgents({ model, logger, tools: () => set.current() })
  return { ...agents.create(), agents, provider, service, model, logger, set }
}

const noticesOf = ({ session }: Pick<InProcessAgent, 'session'>) =>
  session.events.flatMap((event) =>
    event.type === 'context/message'
      ? [[event.source, event.content.map((block) => (block.type === 'text' ? block.text : '')).join('')]]
      : [],
  )
const typesOf = ({ session }: Pick<InProcessAgent, 'session'>) => session.events.map(({ type }) => type)

describe('an agent of this package', () => {
  it('T11, G4: is told by a context message, as a turn of its own while it is idle, without a call of its model', async () => {
    const { agent, provider, model, dispose } = agentWith([start('Count'), 'started'])
    agent.send('go')
    await agent.whenIdle()
    const before = agent.session.events.length
    const { runId } = provider.children[0]!
    provider.children[0]!.settle({ output: [text('Three TODOs.')] })
    await until(() => agent.session.events.length > before)
    expect(agent.session.events.slice(before).map(({ type }) => type)).toEqual(['turn/start', 'context/message', 'turn/end'])
    expect(noticesOf(agent)).toEqual([['subagent', `Background run ${runId} (Count) has ended: completed.\n\nThree TODOs.`]])
    expect(model.calls.length).toBe(2)
    await dispose()
  })

  it('T11: in the middle of a turn the notice goes in after the running step, and the model has it in the next', async () => {
    let release = () => {}
    const { agent, provider, model, dispose } = agentWith([
      start('Count'),
      async () => {
        await new Promise<void>((resolve) => (release = resolve))
        return { tools: [{ name: 'subagent_list', input: {} }] }
      },
      'told',
    ])
    agent.send('go')
    await until(() => model.calls.length === 2)
    provider.children[0]!.settle({ output: [text('Three TODOs.')] })
    await settled()
    expect(noticesOf(agent)).toEqual([])
    release()
    await agent.whenIdle()
    expect(noticesOf(agent).length).toBe(1)
    expect(JSON.stringify(model.calls[2]!.prompt)).toContain('Three TODOs.')
    expect(typesOf(agent).slice(-3)).toEqual(['context/message', 'assistant/message', 'turn/end'])
    await dispose()
  })

  it('T11: 50 that end in the middle of one turn are 50 notices, each once, whenever in the turn they end', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `task ${index}`)
    let step = 0
    const { agent, provider, dispose, logger } = agentWith(async () => {
      if (step++ === 0) return start(...names)
      // Ten before each answer, the last ten after the turn has begun its last step.
      for (const child of provider.children.slice((step - 2) * 10, (step - 1) * 10)) child.settle({ output: [text(`${child.index} done`)] })
      if (step < 5) await settled()
      return step <= 6 ? { tools: [{ name: 'subagent_list', input: {} }] } : 'the end'
    })
    agent.send('go')
    await agent.whenIdle()
    await until(() => noticesOf(agent).length >= names.length)
    await settled()
    expect(noticesOf(agent).map(([, notice]) => /\((task \d+)\) has ended: completed\.\n\n(\d+) done$/.exec(notice!)!.slice(1))).toEqual(
      names.map((name, index) => [name, String(index)]),
    )
    expect(logger.warnings).toEqual([])
    await dispose()
  })

  it('T11: a cancel of its turn loses no notice, and the runs go on', async () => {
    const { agent, provider, dispose } = agentWith([start('One', 'Two'), { hang: true }])
    agent.send('go')
    await until(() => provider.children.length === 2)
    provider.children[0]!.settle({ output: [text('one')] })
    await settled()
    agent.cancel()
    await agent.whenIdle()
    await settled()
    expect(noticesOf(agent).length).toBe(1)
    expect(provider.children.map(({ cancels }) => cancels)).toEqual([[], []])
    provider.children[1]!.settle({ output: [text('two')] })
    await until(() => noticesOf(agent).length === 2)
    await dispose()
  })

  it('T11, G13: a cancel of its turn ends a wait for an answer, which counts as no late answer, and the run goes on', async () => {
    const { agent, provider, dispose } = agentWith([
      start('Count'),
      () => ({ tools: [{ name: 'subagent_result', input: { id: provider.children[0]!.runId } }] }),
    ])
    agent.send('go')
    await until(() => agent.session.events.some(({ type }) => type === 'tool/result'))
    await settled()
    agent.cancel()
    await agent.whenIdle()
    await settled()
    expect([agent.droppedLateResults, provider.children[0]!.cancels]).toEqual([0, []])
    provider.children[0]!.settle({ output: [text('Three.')] })
    await until(() => noticesOf(agent).length === 1)
    expect(noticesOf(agent)[0]![1]).toContain('Three.')
    await dispose()
  })

  it('T11: where the model waits for the answer at that moment, it gets it there, and the notice does not repeat it', async () => {
    const { agent, provider, dispose } = agentWith([
      start('Count'),
      () => ({ tools: [{ name: 'subagent_result', input: { id: provider.children[0]!.runId }, id: 'read' }] }),
      'thanks',
    ])
    agent.send('go')
    await until(() => agent.session.events.filter(({ type }) => type === 'tool/result').length === 1 && provider.children.length === 1)
    await settled()
    provider.children[0]!.settle({ output: [text('Three TODOs.')] })
    await agent.whenIdle()
    expect(agent.session.events.find((event) => event.type === 'tool/result' && event.toolCallId === 'read')).toMatchObject({
      output: 'Three TODOs.',
    })
    expect(noticesOf(agent)).toEqual([
      ['subagent', `Background run ${provider.children[0]!.runId} (Count) has ended: completed. Its answer was given to subagent_result.`],
    ])
    await dispose()
  })

  it('T11: after a resume the new end is noticed once again', async () => {
    const { agent, provider, dispose } = agentWith(
      [
        start('Count'),
        'started',
        () => ({ tools: [{ name: 'subagent_send', input: { id: provider.children[0]!.runId, message: 'And in test/?' } }] }),
        'resumed',
      ],
      {},
      { resumable: true },
    )
    agent.send('go')
    await agent.whenIdle()
    const { runId } = provider.children[0]!
    provider.children[0]!.settle({ output: [text('Three.')] })
    await until(() => noticesOf(agent).length === 1)
    agent.send('ask on')
    await agent.whenIdle()
    provider.children[1]!.settle({ output: [text('Four.')] })
    await until(() => noticesOf(agent).length === 2)
    await settled()
    expect(noticesOf(agent).map(([, notice]) => notice)).toEqual([
      `Background run ${runId} (Count) has ended: completed.\n\nThree.`,
      `Background run ${runId} (Count) has ended: completed.\n\nFour.`,
    ])
    await dispose()
  })

  it('T11, S22: disposed before, it is told nothing, its runs are cancelled, and nothing is left unhandled', async () => {
    const { agent, provider, dispose, service, logger } = agentWith([start('One', 'Two'), 'started'])
    const ends: string[] = []
    service.on('subagent/end', ({ stopReason }) => void ends.push(stopReason))
    agent.send('go')
    await agent.whenIdle()
    const before = agent.session.events.length
    await dispose()
    await settled()
    expect([ends, provider.children.map(({ disposals }) => disposals)]).toEqual([
      ['aborted', 'aborted'],
      [1, 1],
    ])
    expect([agent.session.events.length, noticesOf(agent), logger.warnings]).toEqual([before, [], []])
  })
})

describe('the notice', () => {
  it('T11, T12: holds at most 4096 bytes of the answer, and says where to read all of it', async () => {
    const { begin, provider, notices } = background()
    const id = await begin()
    provider.children[0]!.settle({ output: [text('ä'.repeat(10_000))] })
    await settled()
    const [head, answer] = notices[0]!.text.split('\n\n')
    expect(head).toBe(`Background run ${id} (Count) has ended: completed. Read all of its answer with subagent_result.`)
    expect(Buffer.byteLength(answer!)).toBeLessThanOrEqual(4096)
    expect(answer).toMatch(/^ä+\n\[… \d+ of 20000 bytes are cut here\]\nä+$/)
  })

  it('T11: names agent and stop reason; a failure with its sentence, blocks that are no text by where to read them', async () => {
    const { begin, provider, notices } = background({ agents: [{ name: 'counter', provider: 'helper', description: 'Counts.' }] })
    const ids = [
      await begin('A', undefined, { agent: 'counter' }),
      await begin('B', undefined, { agent: 'counter' }),
      await begin('C', undefined, { agent: 'counter' }),
    ]
    provider.children[0]!.settle({ stopReason: 'refusal', output: [text('no')] })
    provider.children[1]!.settle({ output: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] })
    provider.children[2]!.settle()
    await settled()
    expect(notices).toEqual([
      {
        parent: notices[0]!.parent,
        id: ids[0],
        description: 'A',
        agent: 'counter',
        stopReason: 'refusal',
        text: `Background run ${ids[0]} (A, agent counter) has ended: refusal.\n\nThe subagent refused the task.\n\nWhat it had written until then:\nno`,
      },
      expect.objectContaining({
        text: `Background run ${ids[1]} (B, agent counter) has ended: completed. Read all of its answer with subagent_result.`,
      }),
      expect.objectContaining({ text: `Background run ${ids[2]} (C, agent counter) has ended: completed.` }),
    ])
  })
})

describe('a parent without inject', () => {
  it('T11: is told by onNotice, once an end, and who it is', async () => {
    const { begin, provider, notices, parent } = background()
    await begin()
    provider.children[0]!.settle()
    await settled()
    expect([notices.length, notices[0]!.parent]).toEqual([1, parent])
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('no mail')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no mail'))],
  ])('T11: an onNotice that %s is logged, and the outcome is there', async (_, onNotice) => {
    const { begin, call, provider, logger } = background({ background: { onNotice } })
    const id = await begin()
    provider.children[0]!.settle({ output: [text('Three.')] })
    await settled()
    expect(logger.warnings).toEqual([expect.stringMatching(/^onNotice of tool subagent (threw|rejected): Error: no mail$/)])
    expect(await call('subagent_result', { id })).toBe('Three.')
  })

  it('T11: without onNotice nothing is lost: the next look at the list or the result tells', async () => {
    const { begin, call, provider, logger } = background({ background: true })
    const id = await begin()
    provider.children[0]!.settle({ output: [text('Three.')] })
    await settled()
    expect(await call('subagent_list')).toContain('"state":"ended","stopReason":"completed"')
    expect(await call('subagent_result', { id })).toBe('Three.')
    expect(logger.warnings).toEqual([])
  })
})

it('S22, T11: when a parent that is a child itself settles, its background runs end before it', async () => {
  const logger = collectLogger()
  const events: string[] = []
  const labels = new Map<string, string>()
  const model = scriptedModel((call) => {
    if (call.prompt.at(-1)?.role === 'tool') return `${call.lastUserText} has ended`
    if (call.lastUserText === 'top') return { tools: [{ name: 'subagent', input: { description: 'middle', prompt: 'middle' } }] }
    if (call.lastUserText === 'middle') return start('low', 'lower')
    return { text: 'a bit', hang: true }
  })
  const agents = createAgents({ model, logger, tools: () => set.current() })
  const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
  const set = subagentTools({ service, provider: 'spawn', background: true, logger })
  const middles: InProcessAgent[] = []
  service.on('subagent/start', ({ runId, label, id }) => {
    labels.set(runId, label!)
    if (label === 'middle') middles.push(agents.get(id)!)
    events.push(`start ${label}`)
  })
  service.on('subagent/end', ({ runId, stopReason }) => void events.push(`end ${labels.get(runId)} ${stopReason}`))
  const { agent, dispose } = agents.create()
  agent.send('top')
  await agent.whenIdle()
  expect(events).toEqual(['start middle', 'start low', 'start lower', 'end low aborted', 'end lower aborted', 'end middle completed'])
  expect(agent.session.events.find((event) => event.type === 'tool/result')).toMatchObject({ status: 'ok', output: 'middle has ended' })
  await settled()
  // Gone with its run, it has nobody left to tell.
  expect([noticesOf(middles[0]!), middles[0]!.status]).toEqual([[], 'disposed'])
  expect([agents.list(), logger.warnings]).toEqual([[agent], []])
  await dispose()
})

it('T11, P12: children of spawn are steered while they work and resumed after their end, in their session', async () => {
  const logger = collectLogger()
  let answer = () => {}
  const model = scriptedModel(async (call) => {
    if (call.lastUserText === 'first') await new Promise<void>((resolve) => (answer = resolve))
    return `to ${call.lastUserText}, after ${call.prompt.filter(({ role }) => role === 'user').length} messages`
  })
  const agents = createAgents({ model, logger })
  const { tools: _, ...rest } = background()
  const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
  const tools = subagentTools({ service, provider: 'spawn', parent: rest.parent, background: true, logger }).current()
  const call = (name: string, input: object) => tools[name]!.execute!(input, { toolCallId: '1', messages: [] })
  let started = ''
  for await (const given of call('subagent', { description: 'a', prompt: 'first', run_in_background: true }) as AsyncIterable<string>)
    started = given
  const id = /run id is (\S+)\./.exec(started)![1]!
  await until(() => model.calls.length === 1)
  expect(await call('subagent_send', { id, message: 'second' })).toBe(`Run ${id} has the message.`)
  answer()
  expect(await call('subagent_result', { id })).toBe('to second, after 2 messages')
  expect(agents.list()).toEqual([])
  expect(await call('subagent_send', { id, message: 'third' })).toMatch(/goes on with the message/)
  expect(await call('subagent_result', { id })).toBe('to third, after 3 messages')
  await service.close()
  expect([agents.list(), logger.warnings]).toEqual([[], []])
})

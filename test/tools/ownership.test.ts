import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import type { InProcessAgent } from '../../src/agents/index.ts'
import { rootAgent } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { subagentTools } from '../../src/tools/index.ts'
import { until } from '../providers/collect.ts'
import { background, settled } from './background-doubles.ts'

const foreign = (id: string) =>
  `error: UNAUTHORIZED: you have no background run "${id}". A run answers to the agent that started it alone; subagent_list shows yours.`

describe('a run belongs to the parent that started it', () => {
  it('T11: others get UNAUTHORIZED from every control, in the words for a run that does not exist, and change nothing', async () => {
    const { call, begin, provider, service } = background({}, { steerable: true })
    const id = await begin()
    const other = rootAgent({ cwd: '/project' })
    const asks = [
      ['subagent_result', {}],
      ['subagent_send', { message: 'hello' }],
      ['subagent_cancel', {}],
    ] as const
    for (const [control, input] of asks) {
      expect(await call(control, { id, ...input }, other)).toBe(foreign(id))
      expect(await call(control, { id: 'run-none', ...input }, other)).toBe(foreign('run-none'))
    }
    expect(await call('subagent_list', {}, other)).toBe('You have no runs in the background.')
    expect([provider.children[0]!.cancels, provider.children[0]!.messages]).toEqual([[], []])
    // Two roots have one id, "root": they are told apart as objects.
    expect(await call('subagent_send', { id, message: 'hello' })).toBe(`Run ${id} has the message.`)
    await service.close()
  })

  it('T11: an outsider learns nothing of an outcome that is kept no more either', async () => {
    const { call, begin } = background({ background: { keepEnded: 1 } }, { step: 'done' })
    const first = await begin()
    await settled()
    await begin()
    await settled()
    expect(await call('subagent_result', { id: first })).toContain('is not kept any more')
    expect(await call('subagent_result', { id: first }, rootAgent())).toBe(foreign(first))
  })

  it('T11: a long id is not repeated whole', async () => {
    const { call } = background()
    expect(await call('subagent_cancel', { id: 'x'.repeat(10_000) })).toBe(foreign('x'.repeat(100)))
  })

  it('T11, T9: a tool made anew, as for the next request of a conversation, reaches the runs of its parent', async () => {
    const { begin, parent, service, provider } = background()
    const id = await begin()
    const next = subagentTools({ service, provider: 'helper', parent, background: true }).current()
    provider.children[0]!.settle({ output: [{ type: 'text', text: 'Three.' }] })
    expect(await next['subagent_result']!.execute!({ id }, { toolCallId: '1', messages: [] })).toBe('Three.')
    await expect(next['subagent_result']!.execute!({ id: 'run-none' }, { toolCallId: '2', messages: [] })).rejects.toThrow(/^UNAUTHORIZED/)
  })
})

describe('agents of this package', () => {
  const agents = createAgents({ model: scriptedModel([]) })

  it('T11: two of them are two parents, whoever of them is alive', async () => {
    const { call, begin, service } = background()
    const [first, second] = [agents.create(), agents.create()]
    const id = await begin('Count', first.agent)
    expect(await call('subagent_result', { id, timeout_ms: 0 }, second.agent)).toBe(foreign(id))
    await Promise.all([first.dispose(), second.dispose()])
    expect(await call('subagent_result', { id, timeout_ms: 0 }, second.agent)).toBe(foreign(id))
    await service.close()
  })

  it('T11: one that goes on with the session of another has its runs', async () => {
    const { call, begin, provider, service } = background({}, { resumable: true })
    const earlier = agents.create()
    const done = await begin('Done', earlier.agent)
    provider.children[0]!.settle({ output: [{ type: 'text', text: 'Three.' }] })
    await settled()
    const cut = await begin('Cut', earlier.agent)
    await earlier.dispose()
    await settled()
    const later = agents.create({ continues: earlier.agent })
    expect(await call('subagent_result', { id: done }, later.agent)).toBe('Three.')
    expect(await call('subagent_result', { id: cut }, later.agent)).toMatch(
      /^error: The subagent was cancelled before it had finished\.\n\nThe parent, agent .* is disposed/,
    )
    expect(await call('subagent_send', { id: done, message: 'go on' }, later.agent)).toBe(
      `error: Run ${done} was started before this session was resumed, by an agent that is gone, and cannot go on: Provider "helper" keeps no session of it. Delegate again with subagent; subagent_result still reads its answer.`,
    )
    await later.dispose()
    await service.close()
  })

  it('T11, P12: one that goes on with the session of another resumes its runs where their sessions are kept, and is told of their new end', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'background-'))
    const children = createAgents({
      model: scriptedModel(({ lastUserText, prompt }) => `${lastUserText}, message ${prompt.filter(({ role }) => role === 'user').length}`),
      sessions: { directory },
    })
    const { call, begin, service } = background()
    service.ref.send({ type: 'provider.unregister', name: 'helper' })
    service.registerProvider(spawnProvider({ agents: children, name: 'helper' }))
    const earlier = agents.create()
    const id = await begin('Count', earlier.agent)
    expect(await call('subagent_result', { id }, earlier.agent)).toBe('Count!, message 1')
    // The answer is there before the run is released, the notice after that.
    const notices = (agent: InProcessAgent) => agent.session.events.filter(({ type }) => type === 'context/message').length
    await until(() => notices(earlier.agent) === 1)
    await earlier.dispose()
    const later = agents.create({ continues: earlier.agent })
    expect(await call('subagent_send', { id, message: 'go on' }, later.agent)).toBe(
      `Run ${id} goes on with the message. You are told when it has ended again.`,
    )
    expect(await call('subagent_result', { id }, later.agent)).toBe('go on, message 2')
    await until(() => notices(later.agent) === 2)
    await later.dispose()
    await service.close()
    await rm(directory, { recursive: true })
  })

  it('T11: two live agents of two factories with one session id are strangers', async () => {
    const { call, begin, service } = background()
    const make = () => createAgents({ model: scriptedModel([]) }).create({ sessionId: 'the-same' })
    const [first, second] = [make(), make()]
    const id = await begin('Count', first.agent)
    expect(await call('subagent_result', { id, timeout_ms: 0 }, second.agent)).toBe(foreign(id))
    await Promise.all([first.dispose(), second.dispose()])
    await service.close()
  })

  it('T11: a stand-in that names the session of an agent is another parent', async () => {
    const { call, begin, service } = background()
    const { agent, dispose } = agents.create()
    const id = await begin('Count', agent)
    expect(await call('subagent_result', { id, timeout_ms: 0 }, rootAgent({ id: agent.session.header.id }))).toBe(foreign(id))
    await dispose()
    await service.close()
  })
})

/** What has gone since a run began: its parent, a tool that its filter names. */
import { jsonSchema, tool } from 'ai'
import type { ToolSet } from 'ai'
import { expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import { forkProvider, spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'

const setUp = (tools: ToolSet | (() => ToolSet) = {}) => {
  const agents = createAgents({ model: scriptedModel(() => 'ok'), tools })
  return { agents, service: createSubagentService({ providers: [spawnProvider({ agents }), forkProvider({ agents })] }) }
}

it('S22, P12: a start, a fork and a resume under a parent that is disposed say so, and what to do', async () => {
  const { agents, service } = setUp()
  const { agent: parent, dispose } = agents.create({ id: 'parent' })
  const child = service.start('spawn', { parent, prompt: 'go' })
  expect((await child.result).diagnostic).toBeUndefined()
  await dispose()
  const runs = [child.resume!('again'), service.start('spawn', { parent, prompt: 'go' }), service.start('fork', { parent, prompt: 'go' })]
  const results = await Promise.all(runs.map(({ result }) => result))
  expect(results).toEqual(
    runs.map(() => ({
      output: [],
      stopReason: 'aborted',
      diagnostic:
        'The parent, agent parent, is disposed, and its children end with it. Start the child under a live parent; a session that is kept goes on by service.resume().',
    })),
  )
  await service.close()
})

it('P10, P12: a resumed run keeps a filter whose tools are not there any more', async () => {
  const echo = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => 'done' })
  let tools: ToolSet = { keep: echo, drop: echo }
  const { service } = setUp(() => tools)
  const run = (toolFilter: object) => service.start('spawn', { parent: rootAgent(), prompt: 'go', toolFilter })
  const runs = [run({ deny: ['drop'] }), run({ allow: ['keep', 'drop'] })]
  await Promise.all(runs.map(({ result }) => result))
  tools = { keep: echo }
  for (const first of runs) {
    const second = first.resume!('again')
    expect((await second.result).stopReason).toBe('completed')
    expect((await second.resume!('and again').result).stopReason).toBe('completed')
  }
  expect(() => run({ deny: ['drop'] })).toThrow('names tools that do not exist: drop')
  await service.close()
})

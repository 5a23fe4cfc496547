import { expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentProvider } from '../../src/index.ts'
import { startInProcessRun } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../src/testing/scripted-model.ts'
import { collectLogger, textOf } from './collect.ts'

/** A provider that hands on all of its parent's log, as fork does of the completed turns. */
async function seeded(steps: readonly ScriptedStep[]) {
  const model = scriptedModel(['answer of the parent', ...steps])
  const logger = collectLogger()
  const agents = createAgents({ model, logger })
  const provider: SubagentProvider = {
    name: 'seeded',
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
    start: (request, context) => startInProcessRun({ agents, request, context, seed: request.parent.session.events }),
  }
  const service = createSubagentService({ providers: [provider], logger })
  const { agent: parent, dispose } = agents.create()
  parent.send('question to the parent')
  await parent.whenIdle()
  return { agents, service, parent, model, dispose }
}

it('P3, P5: with a seed the same driver gives the child the conversation, and answers with its own messages only', async () => {
  const { agents, service, parent, model, dispose } = await seeded(['answer of the child'])
  const run = service.start('seeded', { parent, prompt: 'go on' })
  const child = agents.get(run.id)!
  expect(child.session.header).toMatchObject({
    seedLength: parent.session.events.length,
    parentSession: parent.session.header.id,
    delegationDepth: 1,
  })
  const result = await run.result
  expect(textOf(result)).toBe('answer of the child')
  expect(result.usage).toEqual(child.session.events.findLast((event) => event.type === 'assistant/message')?.usage)
  expect(model.calls[1]!.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  await run.dispose()
  await dispose()
})

it.each([
  ['fails', { error: { message: 'no', status: 400 } }, 'error'],
  ['says nothing', { text: '', finish: 'length' }, 'max-tokens'],
] as const)('P5: a seeded child that %s gives nothing, never the message it inherited', async (_, step, stopReason) => {
  const { service, parent, dispose } = await seeded([step])
  const result = await service.delegate('seeded', { parent, prompt: 'go on' })
  expect([result.stopReason, result.output]).toEqual([stopReason, []])
  await dispose()
})

it('P7: a seeded child that was cancelled before its prompt began gives nothing and counts nothing', async () => {
  const { service, parent, dispose } = await seeded([])
  const run = service.start('seeded', { parent, prompt: 'go on' })
  run.cancel()
  expect(await run.result).toEqual({ output: [], stopReason: 'aborted', sessionId: expect.any(String) })
  await run.dispose()
  await dispose()
})

it('P3: an empty seed makes a fresh child without seedLength', async () => {
  const agents = createAgents({ model: scriptedModel(['hello']) })
  const provider: SubagentProvider = {
    name: 'seeded',
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
    start: (request, context) => startInProcessRun({ agents, request, context, seed: [] }),
  }
  const service = createSubagentService({ providers: [provider] })
  const run = service.start('seeded', { parent: rootAgent(), prompt: 'go' })
  expect('seedLength' in agents.get(run.id)!.session.header).toBe(false)
  expect(textOf(await run.result)).toBe('hello')
  await run.dispose()
})

it('S13, S25: an agent that cannot take its prompt is gone again when start has thrown', async () => {
  const agents = createAgents({ model: scriptedModel([]) })
  const provider: SubagentProvider = {
    name: 'broken',
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
    start: (request, context) => startInProcessRun({ agents, request: { ...request, prompt: [] }, context }),
  }
  const service = createSubagentService({ providers: [provider] })
  expect(() => service.start('broken', { parent: rootAgent(), prompt: 'go' })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  await new Promise((resolve) => setImmediate(resolve))
  expect(agents.list()).toEqual([])
  await service.close()
})

import { createActor, fromCallback, StateMachine } from 'xstate'
import { expect, it, vi } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/index.ts'

it('R5, S25: however many runs, agents and actors there are, the machines are asked about a bounded number of event types', async () => {
  const asked = new Set<string>()
  const { transition, getTransitionData } = StateMachine.prototype
  vi.spyOn(StateMachine.prototype, 'transition').mockImplementation(function (this: any, snapshot, event, scope) {
    asked.add(event.type)
    return transition.call(this, snapshot, event, scope)
  })
  vi.spyOn(StateMachine.prototype, 'getTransitionData').mockImplementation(function (this: any, snapshot, event) {
    asked.add(event.type)
    return getTransitionData.call(this, snapshot, event)
  })
  const agents = createAgents({ model: scriptedModel(() => 'ok') })
  const service = createSubagentService({ providers: [spawnProvider({ agents })] })
  const some = async (): Promise<number> => {
    for (let n = 0; n < 10; n++) {
      const run = service.start('spawn', { parent: rootAgent(), prompt: 'go' })
      await run.result
      const agent = agents.get(run.id)!
      const child = createActor(
        fromCallback(() => {}),
        { parent: agent.ref } as never,
      ).start()
      agent.ref.send({ type: `mine-${run.id}` } as never)
      agent.ref.send({ type: `xstate.done.actor.${child.id}` } as never)
      await run.dispose()
    }
    return asked.size
  }
  const first = await some()
  expect(first).toBeGreaterThan(0)
  expect(await some(), [...asked].join(', ')).toBe(first)
  await service.close()
  vi.restoreAllMocks()
})

import { createAgents } from '../../src/agents/index.ts'
import type { CreateAgentsOptions } from '../../src/agents/index.ts'
import { createSubagentService } from '../../src/index.ts'
import { forkProvider, spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { lines } from '../agents/harness.ts'
import { collectLogger } from './collect.ts'
import type { InProcessAgent } from '../../src/agents/index.ts'

/** Both in-process providers on one scripted model, which is also the model of their parents. */
export function setUp(steps: Parameters<typeof scriptedModel>[0], options: CreateAgentsOptions = {}) {
  const model = scriptedModel(steps)
  const logger = collectLogger()
  const agents = createAgents({ model, logger, ...options })
  const service = createSubagentService({ providers: [spawnProvider({ agents }), forkProvider({ agents })], logger })
  return { model, agents, service, logger, logOf: (id: string): string[] => lines(agents.get(id)!.session) }
}

/** Has an agent answer. */
export async function talk(agent: InProcessAgent, ...messages: readonly string[]): Promise<void> {
  for (const message of messages) {
    agent.send(message)
    await agent.whenIdle()
  }
}

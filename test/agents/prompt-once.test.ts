import { tool } from 'ai'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'

it('G2: every message of a turn reaches the model once, in each of its steps', async () => {
  const model = scriptedModel([{ tools: [{ name: 'look', id: 'a' }] }, { tools: [{ name: 'look', id: 'b' }] }, 'done'])
  const look = tool({ inputSchema: z.object({}), execute: async () => 'seen' })
  const { agent, dispose } = createAgents({ model, tools: { look } }).create({})
  agent.send('look twice')
  await agent.whenIdle()
  const roles = model.calls.map(({ prompt }) =>
    prompt.map(({ role, content }) =>
      typeof content === 'string' ? role : `${role}:${content.map((part) => ('toolCallId' in part ? part.toolCallId : part.type)).join()}`,
    ),
  )
  expect(roles).toEqual([
    ['user:text'],
    ['user:text', 'assistant:a', 'tool:a'],
    ['user:text', 'assistant:a', 'tool:a', 'assistant:b', 'tool:b'],
  ])
  await dispose()
})

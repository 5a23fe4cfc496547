import { generateText } from 'ai'
import { expect, it } from 'vitest'
import { scriptedModel } from '../../src/testing/index.ts'

it('these tests run on the version of the AI SDK that they are said to', async () => {
  const model = scriptedModel(['done'])
  await generateText({ model, prompt: 'work' })
  expect(model.calls[0]!.options.headers?.['user-agent']).toMatch(new RegExp(`^ai/${process.env['AI_MAJOR'] ?? '6'}\\.`))
})

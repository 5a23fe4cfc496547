/** Whoever hears of an update may end the agent, or give it more to do, before the listener returns. */
import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { SubagentUpdateContent } from '../../src/types.ts'
import { ask, lines, setUp } from './harness.ts'

const anything = jsonSchema({ type: 'object' })
const types = ['text', 'thought', 'tool-call', 'tool-result', 'usage'] as const
const unexecuted = 'Not executed: the tool has no execute function here, or wants an approval that nobody can give.'

function hearing(type: SubagentUpdateContent['type'], nth: number, act: (agent: ReturnType<typeof setUp>) => void) {
  const model = scriptedModel(({ index }) =>
    index > 1
      ? { text: 'end', reasoning: 'hm' }
      : { text: `step ${index}`, reasoning: 'hm', tools: [{ name: index === 0 ? 'own' : 'nobody' }], usage: { inputTokens: 10 } },
  )
  let heard = 0
  const made = setUp(
    { model, tools: { own: tool({ inputSchema: anything, execute: () => 'done' }), nobody: tool({ inputSchema: anything }) } },
    { onUpdate: (update) => void (update.type === type && ++heard === nth && act(made)) },
  )
  return { ...made, model }
}

describe('an update that is heard', () => {
  const cases = types.flatMap((type) => [1, 2].map((nth) => [type, nth] as const))

  it.each(cases)(
    'G5, G7: a cancel in the midst of %s number %i leaves each step in the log once, and the next turn is whole',
    async (type, nth) => {
      const { agent, model } = hearing(type, nth, (made) => made.agent.cancel('enough'))
      const log = await ask(agent, 'go')
      expect(log.at(-1)).toBe('end 1 aborted {"reason":"enough"}')
      expectOnce(agent.session.events)
      const usage = agent.session.events.flatMap((event) => (event.type === 'assistant/message' ? (event.usage?.inputTokens ?? 0) : []))
      expect(usage.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(10 * model.calls.length)
      expect((await ask(agent, 'again')).at(-1)).toBe('end 2 completed')
      expectOnce(agent.session.events)
      const ids = JSON.stringify(model.calls.at(-1)!.prompt).match(/"tool-call","toolCallId":"[^"]*/g) ?? []
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  it.each(cases)('P13, G7: a dispose in the midst of %s number %i ends the log with each step once', async (type, nth) => {
    const { agent } = hearing(type, nth, (made) => void made.dispose())
    const log = await ask(agent, 'go')
    expect([log.at(-1), agent.status]).toEqual(['end 1 disposed', 'disposed'])
    expectOnce(agent.session.events)
  })

  it.each(cases)('G4, G7: what is steered and injected in the midst of %s number %i goes in between steps', async (type, nth) => {
    const { agent } = hearing(type, nth, (made) => {
      made.agent.steer('also this')
      made.agent.inject('a fact', { source: 'memory' })
    })
    const log = await ask(agent, 'go')
    expect(log.filter((line) => line.startsWith('user') || line.startsWith('context'))).toEqual([
      'user "go"',
      'user "also this"',
      'context "a fact" (memory)',
    ])
    expect(log.at(-1)).toBe('end 1 completed')
    expectOnce(agent.session.events)
  })

  it('G9: when usage or an unanswered call is heard of, the whole step is in the log', async () => {
    const seen: string[][] = []
    const model = scriptedModel([{ text: 'one', tools: [{ name: 'nobody' }] }, 'two'])
    const made = setUp(
      { model, tools: { nobody: tool({ inputSchema: anything }) } },
      { onUpdate: ({ type }) => void ((type === 'usage' || type === 'tool-result') && seen.push(lines(made.agent.session).slice(-1))) },
    )
    await ask(made.agent, 'go')
    const answered = [`result nobody error ${JSON.stringify(unexecuted)}`]
    expect(seen).toEqual([answered, answered, ['assistant "two"']])
  })
})

function expectOnce(events: ReturnType<typeof setUp>['agent']['session']['events']): void {
  const ids = (type: string) => events.flatMap((event) => (event.type === type && 'toolCallId' in event ? [event.toolCallId] : []))
  expect(new Set(ids('tool/call')).size).toBe(ids('tool/call').length)
  expect(ids('tool/result')).toEqual(ids('tool/call'))
  const texts = events.flatMap((event) => (event.type === 'assistant/message' ? event.content.map((block) => JSON.stringify(block)) : []))
  expect(new Set(texts).size).toBe(texts.length)
}

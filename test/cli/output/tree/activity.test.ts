import { expect, it } from 'vitest'
import { activity } from '../../../../src/cli/output/tree/activity.ts'
import type { SubagentUpdateContent } from '../../../../src/types.ts'

/** What is shown after each of the updates. */
const shown = (...updates: readonly SubagentUpdateContent[]): string[] => {
  const last = activity((text) => text.replaceAll('sk-12345678', '[redacted]').trim())
  return updates.map((update, seq) => {
    last.add({ ...update, runId: 'r', seq, at: 0 })
    return last.line()
  })
}
const text = (text: string, messageId = 'm'): SubagentUpdateContent => ({ type: 'text', text, messageId })

it('C5: what a child did last is its last tool call, what failed, its plan, its question, or the sentence that it writes', () => {
  expect(
    shown(
      { type: 'ready' },
      { type: 'tool-call', toolCallId: '1', name: 'search', input: { query: 'TODO', path: 'src', regex: true } },
      { type: 'usage', usage: { totalTokens: 1 } },
      { type: 'tool-result', toolCallId: '1', status: 'ok' },
      { type: 'tool-call', toolCallId: '2', name: 'now' },
      { type: 'tool-result', toolCallId: '2', status: 'error' },
      { type: 'tool-result', toolCallId: '3', status: 'error' },
      {
        type: 'plan',
        entries: [
          { content: 'look', status: 'completed' },
          { content: 'think', status: 'in_progress' },
        ],
      },
      { type: 'permission', request: { id: '1', title: 'May I write?', options: [] } },
      { type: 'raw', raw: { any: 'thing' } },
      { type: 'thought', text: 'Let me see. ' },
      { type: 'thought', text: 'There are two ' },
      text('The first '),
      text('line\nand the second '),
    ),
  ).toEqual([
    '',
    'search TODO src',
    'search TODO src',
    'search TODO src',
    'now',
    'now failed',
    'a tool failed',
    'think',
    'May I write?',
    'May I write?',
    'Let me see.',
    'There are two',
    'The first',
    'and the second',
  ])
})

it('C3: shows a key in no part of it, though it comes in pieces or is cut', () => {
  expect(shown(text('The key is sk-1234'), text('5678'), text(' and so on '))).toEqual([
    'The key is',
    'The key is',
    'The key is [redacted] and so on',
  ])
  expect(shown(text(`sk-12345678${'x'.repeat(1995)}`), text(' y '))).toEqual(['', 'y'])
  expect(shown({ type: 'tool-call', toolCallId: '1', name: 'say', input: `${'漢'.repeat(190)} sk-12345678 end` })[0]).toMatch(/ \[re/)
})

it('C5: shows text that is written without spaces as it comes', () => {
  expect(shown(text('三つのファ'), text('イルを'))).toEqual(['三つのファ', '三つのファイルを'])
})

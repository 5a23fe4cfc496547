/** What it asks of its client. */
import { running, works } from '../outcomes.ts'
import type { Misbehaviour } from '../misbehaviour.ts'

export const permission: readonly Misbehaviour[] = [
  {
    row: 22,
    mode: 'only-rejections',
    does: 'asks for a permission that can only be refused',
    options: { permission: 'allow' },
    gives: { ...works, text: ['chosen: no'], updates: { permission: 1 } },
  },
  {
    row: 22,
    mode: 'only-for-ever',
    does: 'asks for a permission that would hold for ever',
    options: { permission: 'allow' },
    gives: { ...works, text: ['cancelled'], updates: { permission: 1 } },
  },
  {
    row: 22,
    mode: 'unknown-options',
    does: 'asks for a permission with options of kinds that nobody knows',
    options: { permission: 'allow' },
    gives: { ...works, text: ['cancelled'], updates: { permission: 1 } },
  },
  {
    row: 22,
    mode: 'two-ways-to-allow',
    does: 'offers two ways to allow once, of which the second changes its mode',
    options: { permission: 'allow' },
    gives: { ...works, text: ['chosen: yes'], updates: { permission: 1 } },
  },
  {
    row: 22,
    mode: 'question-without-options',
    does: 'asks for a permission without options',
    options: { permission: 'allow' },
    gives: { ...works, text: ['cancelled'], updates: { permission: 1 } },
  },
  {
    row: 22,
    mode: 'deep-question',
    does: 'asks for a permission with an input that is nested too deep to be told of',
    options: { permission: 'allow' },
    gives: { ...works, text: ['chosen: yes'], droppedUpdates: 2, warns: 'reported something that is not an update' },
  },
  {
    row: 22,
    mode: 'question-without-anything',
    does: 'asks for a permission and does not say what for',
    options: { permission: 'allow' },
    gives: { ...works, text: ['cancelled'], updates: { permission: 0 } },
  },
  {
    row: 23,
    mode: 'asks-and-is-cancelled',
    does: 'waits for a permission when it is cancelled',
    options: { permission: () => new Promise(() => {}) },
    when: { seen: 'permission', then: 'cancel' },
    gives: { stopReason: 'aborted', text: ['half', ', cancelled, answer then session/cancel'], updates: { permission: 1 }, endedBy: 'eof' },
  },
  {
    row: 23,
    mode: 'dies-while-it-asks',
    does: 'dies while it waits for a permission',
    options: { permission: () => new Promise(() => {}) },
    gives: {
      stopReason: 'error',
      failure: running('CRASHED', true),
      text: ['half'],
      says: ['ended with exit code 4'],
      updates: { permission: 1 },
      endedBy: 'itself',
    },
  },
  {
    row: 25,
    mode: 'wants-files-and-terminals',
    does: 'asks for files, terminals and things of its own that were not offered',
    gives: {
      ...works,
      text: ['offered {"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false}', '-32601 -32601 -32601 -32601 -32601'],
    },
  },
]

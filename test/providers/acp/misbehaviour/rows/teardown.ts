/** Processes that stay. */
import { deaf, deafMs, running, works } from '../outcomes.ts'
import type { Misbehaviour } from '../misbehaviour.ts'

const ladder = { eofGraceMs: 200, termGraceMs: 300 }

export const teardown: readonly Misbehaviour[] = [
  {
    row: 26,
    mode: 'ignores-eof',
    does: 'ignores the end of its input',
    options: { ...ladder, termGraceMs: 5000 },
    gives: { ...works, endedBy: 'term', disposeMs: 700 },
  },
  {
    row: 27,
    mode: 'ignores-sigterm',
    does: 'ignores SIGTERM, too',
    options: ladder,
    gives: { ...works, endedBy: 'kill', disposeMs: 1000 },
  },
  {
    row: 28,
    mode: 'wrapper-dies',
    does: 'is a wrapper that dies, while the real agent lives on and holds its output',
    options: ladder,
    gives: {
      stopReason: 'error',
      failure: running('CRASHED', true),
      text: ['half'],
      says: ['was ended by SIGKILL'],
      endedBy: 'itself',
      disposeMs: 1000,
    },
  },
  {
    row: 28,
    mode: 'tool-holds-output',
    does: 'dies, while a tool that left its process group holds its output',
    options: ladder,
    gives: {
      stopReason: 'error',
      failure: running('CRASHED', true),
      text: ['half'],
      says: ['ended with exit code 3'],
      endedBy: 'itself',
      disposeMs: 1000,
    },
  },
  {
    row: 29,
    mode: 'tool-in-own-session',
    does: 'leaves a tool running in a session of its own that ignores SIGTERM',
    options: { termGraceMs: 300 },
    gives: { ...works, text: ['tool started'], disposeMs: 1000 },
  },
  {
    row: 29,
    mode: 'tool-survives-cancel',
    does: 'ignores a cancel while such a tool runs',
    options: { termGraceMs: 300 },
    cancelGraceMs: 300,
    when: { seen: { text: 'half' }, then: 'cancel' },
    gives: {
      stopReason: 'aborted',
      failure: deaf,
      text: ['half'],
      says: ['did not settle within its grace'],
      afterMs: 300,
      endedBy: 'eof',
      disposeMs: deafMs + 500,
    },
  },
  {
    row: 30,
    mode: 'daemon',
    does: 'leaves a daemon: forked twice, in a session of its own, deaf to SIGTERM',
    options: { termGraceMs: 300 },
    gives: { ...works, text: ['daemon started'], disposeMs: 1000 },
  },
  {
    row: 31,
    mode: 'closes-its-input',
    does: 'closes its input',
    options: { ...ladder, termGraceMs: 5000 },
    gives: {
      stopReason: 'error',
      failure: running('PROTOCOL'),
      text: [],
      says: ['stopped reading what it is sent'],
      endedBy: 'term',
      disposeMs: 700,
    },
  },
  {
    row: 31,
    mode: 'stops-reading',
    does: 'reads no more, while it is sent a long prompt',
    promptCharacters: 4 * 1024 * 1024,
    options: ladder,
    gives: {
      stopReason: 'error',
      failure: running('PROTOCOL'),
      text: [],
      says: ['stopped reading what it is sent'],
      endedBy: 'term',
      disposeMs: deafMs + 500,
    },
  },
]

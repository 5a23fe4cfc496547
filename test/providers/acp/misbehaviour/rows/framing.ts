/** What stands on the wire. */
import { deafMs, running, starting, works } from '../outcomes.ts'
import type { Misbehaviour } from '../misbehaviour.ts'

export const framing: readonly Misbehaviour[] = [
  {
    row: 6,
    mode: 'half-line-then-exits',
    does: 'ends in the middle of a line',
    gives: {
      stopReason: 'error',
      failure: running('CRASHED', true),
      text: ['half'],
      says: ['ended with exit code 0', '{"jsonrpc":"2.0","id'],
      endedBy: 'itself',
    },
  },
  {
    row: 6,
    mode: 'half-line-then-hangs',
    does: 'writes half a line and hangs',
    options: { idleTimeoutMs: 700 },
    gives: {
      stopReason: 'error',
      failure: running('IDLE_TIMEOUT', true),
      text: ['half'],
      says: ['was silent for 700 ms', '{"jsonrpc":"2.0","id'],
      afterMs: 700,
      endedBy: 'eof',
      disposeMs: deafMs,
    },
  },
  {
    row: 6,
    mode: 'last-line-open',
    does: 'ends without the end of its last line',
    gives: { ...works, text: ['whole'], endedBy: 'itself' },
  },
  {
    row: 6,
    mode: 'headers-as-of-lsp',
    does: 'frames its messages by headers, as language servers do',
    options: { handshakeTimeoutMs: 3000 },
    gives: {
      stopReason: 'error',
      failure: starting('HANDSHAKE_FAILED', true),
      text: [],
      says: ['did not answer initialize within 3000 ms', 'Content-Length: '],
      afterMs: 3000,
      endedBy: 'eof',
    },
  },
  {
    row: 6,
    mode: 'json-over-lines',
    does: 'writes its JSON over several lines',
    options: { handshakeTimeoutMs: 3000 },
    gives: {
      stopReason: 'error',
      failure: starting('HANDSHAKE_FAILED', true),
      text: [],
      says: ['did not answer initialize within 3000 ms', '{'],
      afterMs: 3000,
      endedBy: 'eof',
    },
  },
  {
    row: 7,
    mode: 'banner-and-logs',
    does: 'writes a banner and log lines between its messages',
    gives: { ...works, text: ['heard initialize, session/new, session/prompt'] },
  },
  {
    row: 7,
    mode: 'noise-without-end',
    does: 'writes more than 1 MiB that is no message',
    gives: {
      stopReason: 'error',
      failure: running('PROTOCOL'),
      text: ['before'],
      says: ['more than 1048576 bytes that are no messages', 'loading loading'],
      endedBy: 'eof',
      disposeMs: deafMs,
    },
  },
  { row: 8, mode: 'stderr-flood', does: 'floods stderr', gives: works },
  {
    row: 9,
    mode: 'long-line',
    does: 'writes a line of 4 MiB',
    gives: { ...works, text: { characters: 4 * 1024 * 1024, end: 'xxx' } },
  },
  {
    row: 9,
    mode: 'line-without-end',
    does: 'writes a line of more than 32 MiB',
    gives: {
      stopReason: 'error',
      failure: running('PROTOCOL'),
      text: ['before'],
      says: ['it wrote a line of more than 33554432 bytes'],
      endedBy: 'eof',
      disposeMs: deafMs,
    },
  },
  {
    row: 11,
    mode: 'odd-bytes',
    does: 'cuts code points between writes, ends lines with CRLF, sends a byte order mark, NUL, and half a code point',
    gives: { ...works, text: ['naïve 🙂 with \u0000 and \uFFFD cut'] },
  },
  {
    row: 18,
    mode: 'answers-nobody',
    does: 'answers twice, and what nobody asked',
    gives: works,
  },
]

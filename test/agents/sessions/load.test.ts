import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { loadSession } from '../../../src/agents/sessions/load.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const header = { version: 1, id: 's', createdAt: 5, delegationDepth: 0 }
const events = [
  { seq: 0, at: 1, type: 'turn/start', turn: 1 },
  { seq: 1, at: 2, type: 'user/message', content: [{ type: 'text', text: 'gö' }] },
  { seq: 2, at: 3, type: 'turn/end', turn: 1, reason: { kind: 'completed' } },
]
const file = (lines: readonly unknown[]) => lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

function load(text: string | Buffer) {
  const path = `${temporaryDirectory()}/s.jsonl`
  writeFileSync(path, text)
  try {
    return loadSession(path, 's')
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' })
    return (error as Error).message.replace(path, 'FILE')
  }
}
const broken = (line: number, why: string) => `FILE is not a session that can be read, line ${line}: ${why}.`

describe('the file of a session', () => {
  const whole = Buffer.from(file([header, ...events]))

  it('G8: gives what was written', () => {
    expect(load(whole)).toEqual({ header, events, content: { size: whole.length, tornBytes: 0, isOpenEnded: false } })
  })

  it('G8: cut at any byte gives the events before the cut; without a header it is no session', () => {
    const ends = [...whole.entries()].filter(([, byte]) => byte === 10).map(([at]) => at)
    for (let length = 0; length < whole.length; length++) {
      // A line without its end that is whole counts.
      const kept = ends.filter((end) => end <= length).length
      const loaded = load(whole.subarray(0, length))
      if (kept === 0) expect(loaded).toMatch(/line 1: there is no header/)
      else {
        const size = ends[kept - 1]! + (ends[kept - 1] === length ? 0 : 1)
        const isOpenEnded = ends[kept - 1] === length
        expect(loaded, `${length} bytes`).toEqual({
          header,
          events: events.slice(0, kept - 1),
          content: { size, tornBytes: length - size, isOpenEnded },
        })
      }
    }
  })

  it('G8: a broken last line is dropped, also where a power cut filled it with zeros', () => {
    for (const tail of ['{"seq":3', '{"seq":3\n', '\0\0\0\0', '\n'])
      expect(load(Buffer.concat([whole, Buffer.from(tail)]))).toMatchObject({
        events,
        content: { size: whole.length, tornBytes: tail.length },
      })
  })

  it.each<[string, string, readonly unknown[]]>([
    ['a broken line that is not the last', broken(3, 'Unexpected token'), [header, events[0], '{"seq":', events[2]]],
    ['an empty line', broken(2, 'Unexpected end of JSON input'), [header, '', ...events]],
    ['no header', broken(1, 'it is no session header: that has a version'), events],
    ['another version', broken(1, 'its version is 2; this release reads version 1'), [{ ...header, version: 2 }, ...events]],
    ['another session', broken(1, 'it is the header of session "t"'), [{ ...header, id: 't' }]],
    ['a header that is none', broken(1, 'a session header has to be an object'), ['[]', ...events]],
    ['a date that is none', broken(1, 'createdAt has to be a number'), [{ ...header, createdAt: 'now' }]],
    ['a depth that is none', broken(1, 'delegationDepth has to be a whole number from 0'), [{ ...header, delegationDepth: -1 }]],
    [
      'too few inherited events',
      broken(5, 'it begins with 4 inherited events, and here they end'),
      [{ ...header, seedLength: 4 }, ...events],
    ],
    ['a gap', broken(3, 'its seq is 2 and has to be 1'), [header, events[0], events[2]]],
    ['an unknown kind', broken(2, 'its type "turn/begin" is not known'), [header, { ...events[0], type: 'turn/begin' }]],
    ['a kind of every object', broken(2, 'its type "constructor" is not known'), [header, { ...events[0], type: 'constructor' }]],
    ['no time', broken(2, 'at has to be a number'), [header, { ...events[0], at: undefined }]],
    ['a turn that is none', broken(2, 'turn has to be a whole number from 0'), [header, { ...events[0], turn: '1' }]],
    [
      'content that is none',
      broken(3, 'content has to be an array of content blocks'),
      [header, events[0], { ...events[1], content: 'x' }],
    ],
    [
      'a block that is none',
      broken(3, 'content[0].text must be a string, got 7'),
      [header, events[0], { ...events[1], content: [{ type: 'text', text: 7 }] }],
    ],
    ['a reason that is none', broken(4, 'reason has to be an object'), [header, events[0], events[1], { ...events[2], reason: 'done' }]],
    [
      'an error without words',
      broken(4, 'message has to be a string'),
      [header, events[0], events[1], { ...events[2], reason: { kind: 'error' } }],
    ],
    ['a call without input', broken(2, 'input is missing'), [header, { seq: 0, at: 1, type: 'tool/call', toolCallId: 'c', name: 'n' }]],
    [
      'a result of no status',
      broken(2, "status has to be 'ok' or 'error'"),
      [header, { seq: 0, at: 1, type: 'tool/result', toolCallId: 'c', name: 'n', status: 'fine', output: 1 }],
    ],
  ])('G8: %s is told with its line', (_, message, lines) => {
    const told = load(file(lines))
    if (message.includes('JSON') || message.includes('Unexpected')) expect(told).toContain(message.split('Unexpected')[0])
    else expect(told).toBe(message)
  })

  it('keeps fields that it does not know', () => {
    const more = { ...events[0], more: { of: 'it' } }
    expect(load(file([{ ...header, title: 'x' }, more]))).toMatchObject({ header: { title: 'x' }, events: [more] })
  })

  it('G8: has to be a file: no link, no directory, no pipe', () => {
    const directory = temporaryDirectory()
    writeFileSync(`${directory}/real`, whole)
    symlinkSync(`${directory}/real`, `${directory}/link`)
    mkdirSync(`${directory}/folder`)
    const told = (name: string) => {
      try {
        return loadSession(`${directory}/${name}`, 's')
      } catch (error) {
        return (error as Error).message.replace(directory, 'DIRECTORY')
      }
    }
    expect(['link', 'folder', 'none'].map(told)).toEqual([
      'The session in DIRECTORY/link cannot be read: it is a symbolic link.',
      'The session in DIRECTORY/folder cannot be read: it is no regular file.',
      'There is no session "s": no file DIRECTORY/none.',
    ])
  })

  it('G8: of 50 MB loads in reasonable time', () => {
    const text = 'x'.repeat(900)
    const lines: string[] = [JSON.stringify(header)]
    for (let seq = 0; seq < 52_000; seq++)
      lines.push(JSON.stringify({ seq, at: seq, type: 'user/message', content: [{ type: 'text', text }] }))
    const all = file(lines)
    expect(all.length).toBeGreaterThan(50_000_000)
    const path = `${temporaryDirectory()}/s.jsonl`
    writeFileSync(path, all)
    const before = process.cpuUsage()
    expect(loadSession(path, 's').events.length).toBe(52_000)
    const { user, system } = process.cpuUsage(before)
    // About half a second; the bound is for a machine that is slow and busy.
    expect((user + system) / 1e6).toBeLessThan(5)
  })
})

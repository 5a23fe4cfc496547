import { describe, expect, it } from 'vitest'
import { describeNoise, describeOpenLine, FramingError, MessageReader } from '../../../src/providers/acp/framing.ts'
import type { FramingLimits, JsonRpcMessage } from '../../../src/providers/acp/framing.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`

/** Reads what was written, in chunks of that many bytes. */
function read(text: string, size = Infinity, limits?: FramingLimits): { messages: JsonRpcMessage[]; reader: MessageReader } {
  const messages: JsonRpcMessage[] = []
  const reader = new MessageReader((message) => messages.push(message), limits)
  const all = bytes(text)
  for (let at = 0; at < all.length; at += size) reader.push(all.subarray(at, Math.min(all.length, at + size)))
  reader.end()
  return { messages, reader }
}

describe('lines', () => {
  it('A3: a message is a line, however it is cut into chunks, in the middle of a code point too', () => {
    const sent = line({ method: 'a', params: 'grün 🌳' }) + line({ id: 1, result: null }) + line({ id: 'x', method: 'b' })
    for (const size of [1, 2, 3, 7, Infinity])
      expect(read(sent, size).messages).toEqual([
        { jsonrpc: '2.0', method: 'a', params: 'grün 🌳' },
        { jsonrpc: '2.0', id: 1, result: null },
        { jsonrpc: '2.0', id: 'x', method: 'b' },
      ])
  })

  it('A3: a byte order mark, carriage returns and empty lines are no part of a message, and no noise', () => {
    const { messages, reader } = read(`\uFEFF${line({ method: 'a' }).trim()}\r\n\r\n\n${line({ method: 'b' }).trim()}\r\n`)
    expect(messages.map(({ method }) => method)).toEqual(['a', 'b'])
    expect(reader.noise).toEqual({ lines: 0, bytes: 0, first: undefined })
  })

  it('A3: a last line without its end counts where it is whole, and is noise where it is not', () => {
    expect(read(line({ method: 'a' }).trim()).messages).toHaveLength(1)
    const half = read('{"jsonrpc":"2.0","method":"a')
    expect(half.messages).toEqual([])
    expect(half.reader.noise.lines).toBe(1)
  })

  it('A3: a line that has not ended is known by its size and its start, for the diagnostic of an agent that hangs in it', () => {
    const reader = new MessageReader(() => {})
    expect(reader.open).toBeUndefined()
    expect(describeOpenLine(reader.open, String)).toBeUndefined()
    reader.push(bytes(`${line({ method: 'a' })}{"half":`))
    reader.push(bytes('"grün'))
    expect(reader.open).toEqual({ bytes: 14, start: '{"half":"grün' })
    expect(describeOpenLine(reader.open, String)).toBe('On stdout it wrote 14 bytes of a line that it has not ended: {"half":"grün')
    for (let count = 0; count < 100; count++) reader.push(bytes('ü'.repeat(100)))
    expect(describeOpenLine(reader.open, String)).toMatch(/ 20014 bytes .*: \{"half":"grünü{187} …$/)
    reader.push(bytes('\n'))
    expect(reader.open).toBeUndefined()
    expect(reader.noise.lines).toBe(1)
  })

  it('A3: an agent that leaves jsonrpc out is understood', () => {
    expect(read('{"method":"a"}\n').messages).toEqual([{ jsonrpc: '2.0', method: 'a' }])
  })
})

describe('noise', () => {
  it('A3: banners, log lines, numbers, arrays, objects that are no message and NUL bytes are skipped, counted, and the first is kept', () => {
    const { messages, reader } = read(
      `Starting agent v1\n42\n[]\n{"level":"info"}\n{"id":{},"method":"x"}\n\0\0{"method":"a"}\n${line({ method: 'a' })}`,
    )
    expect(messages).toHaveLength(1)
    expect(reader.noise).toMatchObject({ lines: 6, first: 'Starting agent v1' })
    expect(describeNoise(reader.noise, String)).toBe('On stdout it wrote 6 lines that are no messages, the first: Starting agent v1')
  })

  it('A3: messages framed by headers, and JSON over several lines, are noise, and the diagnostic says which', () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, result: {} })
    const headers = read(`Content-Length: ${body.length}\r\n\r\n${body}Content-Length: 2\r\n\r\n{}`)
    expect(headers.messages).toEqual([])
    expect(describeNoise(headers.reader.noise, String)).toContain('It frames its messages by headers, as language servers do')
    const pretty = read(`${JSON.stringify({ jsonrpc: '2.0', id: 0, result: { a: [1] } }, null, 2)}\n`)
    expect(pretty.messages).toEqual([])
    expect(pretty.reader.noise.first).toBe('{')
  })

  it('A3: more noise than the cap, and a line longer than the cap, end the reading', () => {
    expect(() => read('noise\n'.repeat(10), 3, { noiseBytes: 40 })).toThrow(FramingError)
    expect(() => read('x'.repeat(100), 7, { lineBytes: 90 })).toThrow('it wrote a line of more than 90 bytes')
    expect(read('x'.repeat(90), 7, { lineBytes: 90 }).reader.noise.lines).toBe(1)
  })

  it('A3: the line cap is 32 MiB', () => {
    const reader = new MessageReader(() => {})
    const chunk = new Uint8Array(1024 * 1024).fill(0x20)
    for (let each = 0; each < 32; each++) reader.push(chunk)
    expect(() => reader.push(Uint8Array.of(0x20))).toThrow('33554432')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteTail } from '../../src/processes/byte-tail.ts'

describe('the tail of a stream', () => {
  it('A22: is the end of all that came, however it came in pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (chunks) => {
        const tail = new ByteTail(16)
        for (const chunk of chunks) tail.add(chunk.map((byte) => byte & 0x7f))
        const all = Buffer.concat(chunks).map((byte) => byte & 0x7f)
        expect(tail.toString()).toBe(Buffer.from(all.subarray(-16)).toString())
      }),
    )
  })

  it('A22: is cut at whole code points, at both ends', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(40), (text, cut) => {
        const bytes = Buffer.from(text)
        const tail = new ByteTail(16)
        tail.add(bytes.subarray(0, cut))
        const kept = tail.toString()
        // Where bytes were cut out of a code point there is one of these for it.
        expect(kept.includes('\ufffd') && !text.includes('\ufffd')).toBe(false)
        expect(bytes.subarray(0, cut).includes(Buffer.from(kept))).toBe(true)
        expect(Buffer.byteLength(kept)).toBeGreaterThan(Math.min(16, cut, bytes.length) - 7)
      }),
    )
  })

  it('A22: bytes that are no text cost no exception', () => {
    const tail = new ByteTail(4)
    tail.add(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80]))
    expect(tail.toString()).toBe('\ufffd')
    expect(new ByteTail(4).toString()).toBe('')
  })
})

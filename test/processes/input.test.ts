import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ProcessInput } from '../../src/processes/input.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** A reader that takes one piece each time it is told to. */
function createReader() {
  const taken: number[] = []
  let proceed: (() => void) | undefined
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      proceed = () => {
        taken.push(chunk.length)
        callback()
      }
    },
  })
  const clock = createSimulatedClock()
  const read = async (): Promise<void> => {
    proceed!()
    await turn()
  }
  return { clock, taken, stream, read, input: new ProcessInput(stream, clock, 100) }
}

describe('the input of a process', () => {
  it('A23: a long write to a slow reader is in time as long as some of it is taken', async () => {
    const { clock, taken, read, input } = createReader()
    let state = 'pending'
    const written = input.write(Buffer.alloc(200_000)).then(() => (state = 'written'))
    for (let i = 0; i < 4; i++) {
      clock.advance(99)
      expect(state).toBe('pending')
      await read()
    }
    await written
    expect([taken, clock.pending]).toEqual([[65_536, 65_536, 65_536, 3392], 0])
  })

  it('A23: a reader that takes nothing more fails all that waits and all that follows with one error, and the stream is closed', async () => {
    const { clock, stream, read, input } = createReader()
    const first = input.write('one')
    const [second, third] = [input.write('two'), input.write('three')].map((write) => write.catch((error: unknown) => error))
    clock.advance(50)
    await read()
    await first
    clock.advance(99)
    expect(stream.destroyed).toBe(false)
    clock.advance(1)
    const failure = await second
    expect(failure).toMatchObject({ name: 'ProcessInputError', reason: 'timeout' })
    expect([await third, await input.write('four').catch((error: unknown) => error)]).toEqual([failure, failure])
    expect([stream.destroyed, clock.pending]).toEqual([true, 0])
  })

  it('A23: an error of the stream is the cause of the failure, and no later one takes its place', async () => {
    const { clock, stream, input } = createReader()
    const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    const write = input.write('x').catch((error: unknown) => error)
    stream.destroy(cause)
    const failure = await write
    expect(failure).toMatchObject({ reason: 'closed', cause, message: 'The process takes no more input: it closed its stdin.' })
    input.end()
    input.destroy()
    expect(await input.write('y').catch((error: unknown) => error)).toBe(failure)
    expect(clock.pending).toBe(0)
  })

  it('A23: what was written before the end still goes out; what comes after it is refused', async () => {
    const { taken, read, input } = createReader()
    const before = input.write('before')
    input.end()
    input.end()
    await expect(input.write('after')).rejects.toMatchObject({ reason: 'ended' })
    await read()
    await before
    expect(taken).toEqual([6])
  })

  it('A23: bytes can be used again once write has returned', async () => {
    const pieces: string[] = []
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, callback) => setImmediate(() => (pieces.push(chunk.toString()), callback())),
    })
    const input = new ProcessInput(stream, createSimulatedClock(), 100)
    const bytes = Buffer.from('first')
    const written = input.write(bytes)
    bytes.write('other')
    await written
    expect(pieces).toEqual(['first'])
  })
})

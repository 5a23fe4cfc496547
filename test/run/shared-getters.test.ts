import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { sharedGetters } from '../../src/run/shared-getters.ts'

interface Owner {
  reads: number
  readonly kept: readonly number[]
}
const withReads = sharedGetters<Owner, { readonly reads: number }>({ reads: (owner) => ++owner.reads })
const ownerOf = (size = 0): Owner => ({ reads: 0, kept: Array.from({ length: size }, (_, n) => n + 0.5) })

it('V3: a field is read from its own owner whenever it is asked for, and not before', () => {
  const [one, other] = [ownerOf(), ownerOf()]
  const first = withReads({ name: 'first' }, one)
  withReads({ name: 'other' }, other)
  expect(one.reads).toBe(0)
  expect([first.reads, first.reads]).toEqual([1, 2])
  expect(other.reads).toBe(0)
})

it('V3: the fields are own and enumerable, so that a spread takes them along, and no other', () => {
  const made = withReads({ name: 'it' }, ownerOf())
  expect(Object.keys(made)).toEqual(['name', 'reads'])
  expect({ ...made }).toStrictEqual({ name: 'it', reads: 1 })
  expect(Reflect.ownKeys({ ...made })).toEqual(['name', 'reads'])
})

it('V3: what inherits from the object, stands before it, or froze it reads the same', () => {
  const made = Object.freeze(withReads({}, ownerOf()))
  expect([(Object.create(made) as typeof made).reads, new Proxy(made, {}).reads, made.reads]).toEqual([1, 2, 3])
})

it('V3: a field cannot be assigned', () => {
  const made = withReads({}, ownerOf())
  expect(() => Object.assign(made, { reads: 5 })).toThrow(TypeError)
})

it('S25: what an object was made of goes with a short collection, of which a getter in a literal would keep it', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const short = () => collect({ type: 'minor' })
  const make = () => withReads({ name: 'it' }, ownerOf(10_000)).name.length
  make()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 100; n++) {
    make()
    short()
  }
  short()
  short()
  // Kept, they would be eight megabytes.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2_000_000)
})

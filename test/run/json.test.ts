import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toJson } from '../../src/run/json.ts'

it('JSON stays what it is, as a copy', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copied = toJson(value)
      // JSON has no -0.
      expect(copied).toEqual(JSON.parse(JSON.stringify(value)))
      if (typeof value === 'object' && value !== null) expect(copied).not.toBe(value)
    }),
  )
})

it('G7: whatever comes in, what goes out survives JSON.parse(JSON.stringify()) unchanged', () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withSparseArray: true,
        withNullPrototype: true,
        withObjectString: true,
      }),
      (value) => {
        const json = toJson(value)
        expect(JSON.parse(JSON.stringify(json))).toEqual(json)
      },
    ),
  )
})

it('what is not JSON is converted visibly', () => {
  class Point {
    constructor(readonly x: number) {}
    get double() {
      return this.x * 2
    }
  }
  const cases: [unknown, unknown][] = [
    [undefined, null],
    [
      [undefined, () => {}],
      [null, '[function]'],
    ],
    [{ gone: undefined, kept: null }, { kept: null }],
    [
      [NaN, Infinity, -0],
      ['NaN', 'Infinity', 0],
    ],
    [12n, '12n'],
    [Symbol('s'), '[Symbol(s)]'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Date(NaN), null],
    [new Map([['a', 1]]), [['a', 1]]],
    [new Set(['a']), ['a']],
    [new Uint8Array(3), '[binary: 3 bytes]'],
    [Buffer.from('ab'), '[binary: 2 bytes]'],
    [Object.assign(new TypeError('bad'), { code: 'E' }), { name: 'TypeError', message: 'bad', code: 'E' }],
    [new Point(2), { x: 2 }],
    [new URL('http://x/'), 'http://x/'],
    [{ toJSON: () => ({ big: 1n }) }, { big: '1n' }],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ]
  for (const [value, json] of cases) expect(toJson(value)).toEqual(json)
})

it('circles, depth and getters that throw cut a value short and break nothing', () => {
  const circle: Record<string, unknown> = { name: 'c' }
  circle.self = circle
  const shared = { x: 1 }
  expect(toJson(circle)).toEqual({ name: 'c', self: '[circular]' })
  expect(toJson([shared, shared])).toEqual([{ x: 1 }, { x: 1 }])
  expect(
    toJson({
      get bad() {
        throw new Error('no')
      },
    }),
  ).toBe('[unreadable: no]')
  let deep: unknown = 'end'
  for (let level = 0; level < 10_000; level++) deep = [deep]
  expect(JSON.stringify(toJson(deep))).toContain('[too deep]')
  const endless = { toJSON: (): unknown => ({ toJSON: endless.toJSON }) }
  expect(toJson(endless)).toBe('[too deep]')
  expect(
    toJson(
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('closed')
          },
          ownKeys: () => {
            throw new Error('closed')
          },
        },
      ),
    ),
  ).toBe('[unreadable: closed]')
})

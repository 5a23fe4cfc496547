import { describe, expect, it } from 'vitest'
import { lastJsonObject } from '../../src/structured/last-json.ts'

describe('the last JSON object of a text', () => {
  it.each([
    ['of a fenced block, whatever stands behind it', 'Here:\n```json\n{"n":1}\n```\nThat was {it}.', { n: 1 }],
    ['of the last block that holds one', '```json\n{"n":1}\n```\n```json\n{"n":2}\n```\n```js\nf()\n```', { n: 2 }],
    ['of a block that is indented and names no language', '  ```\n  {"n":1}\n  ```', { n: 1 }],
    ['of a bare text', ' {"n":{"m":[1]}} ', { n: { m: [1] } }],
    ['at the end of a sentence, whole', 'I say {"n":{"m":1}}.', { n: { m: 1 } }],
    ['of two, the last', '{"n":1} or {"n":2}', { n: 2 }],
    ['with braces in its strings', 'x {"n":"}{"}', { n: '}{' }],
    ['that is none: an array', '[1]', undefined],
    ['that is none: broken', '{"n":1', undefined],
    ['that is none: words', 'nothing at all', undefined],
  ])('A14: %s', (_, text, expected) => {
    expect(lastJsonObject(text)).toEqual(expected)
  })

  it('A14: a text of nothing but braces costs little', () => {
    const before = process.cpuUsage()
    expect(lastJsonObject('{'.repeat(300_000) + '}'.repeat(300_000))).toBeUndefined()
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
  })
})

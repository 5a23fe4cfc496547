import { describe, expect, it } from 'vitest'
import { cleanEnd, cleanStart, createRedactor } from '../../src/agents/environment-secrets.ts'

/** No part of it that is worth anything. */
const holds = (text: string, secret: string, least = 5): boolean =>
  Array.from({ length: secret.length - least + 1 }, (_, at) => secret.slice(at, at + least)).some((part) => text.includes(part))

describe('the values of an environment in a text', () => {
  const value = 'pläin words "quoted"/+ & 100%'
  const safe = createRedactor({ SECRET: value })

  it('A21: are found as they are, in JSON, in a URL and in base64, also as a part of something longer', () => {
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    const forms = [
      value,
      JSON.stringify({ value }),
      `https://host/?a=${encodeURIComponent(value)}&b`,
      `a=${encodeURIComponent(value).replaceAll('%20', '+')}`,
      base64(value),
      base64(`u:${value}`),
      base64(`user:${value}.`),
      base64(`use:${value}..`),
      Buffer.from(value).toString('base64url'),
    ]
    for (const form of forms) {
      const clean = safe(form)
      expect(clean).toContain('[SECRET]')
      expect(holds(clean, value)).toBe(false)
    }
  })

  it('A21: each line of a value with several is one', () => {
    const key = createRedactor({ KEY: '-----BEGIN-----\nfirst line\r\nsecond line\nab\n' })
    expect(key('a second line of first line, ab')).toBe('a [KEY] of [KEY], ab')
  })

  it('A21: short ones are where they were given under a name of a secret', () => {
    const env = { PIN: '4711', WORD: '4712', API_TOKEN: 'abc', HOST_TOKEN: '4713' }
    expect(createRedactor(env, { PIN: '4711', WORD: '4712', API_TOKEN: 'abc' })('4711 4712 abc 4713')).toBe('[PIN] 4712 abc 4713')
  })

  it('A21: none is half in a text that is cut, wherever it stands', () => {
    const words = 'correct horse battery staple'
    const cutter = createRedactor({ SECRET: words, LONG: 'zigzag '.repeat(300) })
    for (let before = 0; before < 12_000; before += 7) {
      const text = `${'N'.repeat(before)}${words}${'M'.repeat(12_000 - before)}`
      const start = cleanStart(text, 200, cutter).slice(0, 200)
      const end = cleanEnd(text, 200, cutter, true)
      // The start of the text is whole, its end may be half.
      if (holds(start, words) || holds(cleanEnd(text.slice(before + 10), 200, cutter, true), words)) expect({ before, start }).toBe('clean')
      if (holds(end, words)) expect({ before, end }).toBe('clean')
    }
    const many = `${words} `.repeat(2000)
    for (let from = 0; from < words.length; from++)
      expect(holds(cleanStart(many.slice(from), 200, cutter), words.slice(-9), 9) && from === 0).toBe(false)
  })

  it('A22: the end of a text starts with a whole code point, and is all of a short one', () => {
    expect(cleanEnd('😀😀', 3, safe, false)).toBe('😀')
    expect(cleanEnd('short', 200, safe, false)).toBe('short')
    expect(cleanStart('short', 200, safe)).toBe('short')
  })
})

import { describe, expect, it } from 'vitest'
import { parseDuration } from '../../src/cli/duration.ts'
import { parseMaxDepth } from '../../src/cli/max-depth.ts'
import { nearest } from '../../src/run/nearest.ts'
import { shellQuote } from '../../src/cli/shell-quote.ts'

describe('values on the command line', () => {
  it('C3: --timeout takes ms, s, m and h', () => {
    expect(['1ms', '1500ms', '90s', '2m', '1.5m', '1h'].map((text) => parseDuration(text))).toEqual([
      1, 1500, 90_000, 120_000, 90_000, 3_600_000,
    ])
    for (const wrong of ['', '2', 'm', '-1s', '2 m', '1d', '0s', '0.1ms', '1000h', '1e3s'])
      expect(() => parseDuration(wrong), wrong).toThrow('such as 90s or 2m')
  })

  it('C3: --max-depth takes whole numbers from 0', () => {
    expect(['0', '1', '12'].map(parseMaxDepth)).toEqual([0, 1, 12])
    for (const wrong of ['', '-1', '1.5', 'x', '1e1', '0x1', '99999999999999999999'])
      expect(() => parseMaxDepth(wrong), wrong).toThrow('not a whole number')
  })

  it('C7: a suggestion is near to what was typed, or there is none', () => {
    const known = ['deepseek', 'openai', 'anthropic']
    expect(nearest('deepsek', known)).toBe('deepseek')
    expect(nearest('OpenAI', known)).toBe('openai')
    expect(nearest('antrhopic', known)).toBe('anthropic')
    expect(nearest('mistral', known)).toBeUndefined()
  })

  it('C3: a proposed command is one word where it has to be', () => {
    expect(['TODO', 'a b', 'say "hi"', "it's $1", "it's here"].map(shellQuote)).toEqual([
      'TODO',
      '"a b"',
      `'say "hi"'`,
      `'it'\\''s $1'`,
      `"it's here"`,
    ])
  })
})

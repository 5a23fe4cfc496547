import { describe, expect, it } from 'vitest'
import { formatElapsed } from '../../../src/cli/output/elapsed.ts'
import { safeLine, safeText } from '../../../src/cli/output/safe-text.ts'
import { secretFilter } from '../../../src/run/secrets.ts'

describe('text on a terminal', () => {
  it('C7: has no escape sequence, control character or change of direction in it', () => {
    expect(safeText('\u001b[31mred\u001b[0m \u001b]0;title\u0007x\u001b]8;;http://a\u001b\\link\u001b]8;;\u001b\\')).toBe('red xlink')
    expect(safeText('a\rb\u0008c\u009b2Jd\u007fe\u202Ef\u2066g')).toBe('abcdefg')
    expect(safeText('one\n\ttwo ü 漢 😀')).toBe('one\n\ttwo ü 漢 😀')
  })

  it('C7: fits the width', () => {
    expect(safeLine('a\n b\t\tc')).toBe('a b c')
    expect(safeLine('abcdef', 4)).toBe('abc…')
    expect(safeLine('abc😀def', 5)).toBe('abc…')
  })

  it('C3: has no key of the environment in it, in plain text or in JSON', () => {
    const clean = secretFilter({
      DEEPSEEK_API_KEY: 'sk-1234567890',
      MY_API_KEY: 'with"quote-and-more',
      SHORT_API_KEY: 'ollama',
      HOME: '/home/somebody',
    })
    expect(clean('key sk-1234567890, again sk-1234567890.')).toBe('key [redacted], again [redacted].')
    expect(clean(JSON.stringify({ a: 'with"quote-and-more' }))).toBe('{"a":"[redacted]"}')
    expect(clean('ollama /home/somebody')).toBe('ollama /home/somebody')
  })

  it('C3: has no key with white space in it either, when that was collapsed, lost or cut at a line', () => {
    const clean = secretFilter({
      A_API_KEY: 'first-part\nsecond-part\u0007third',
      B_API_KEY: 'pass  word (1)',
      C_API_KEY: '\u0001'.repeat(9),
    })
    expect(clean(safeLine('Bearer first-part\n second-part\u0007third!'))).toBe('Bearer [redacted]!')
    expect(clean('it ends in second-part\u0007third')).toBe('it ends in [redacted]')
    expect(clean('from first-part on, and pass word (1)')).toBe('from [redacted] on, and [redacted]')
    expect(clean('pass word 1, a b')).toBe('pass word 1, a b')
  })

  it('C5: tells time in the unit that fits', () => {
    expect([0, 84.4, 999.4, 1000, 3249, 59_949, 59_960, 125_000].map(formatElapsed)).toEqual([
      '0ms',
      '84ms',
      '999ms',
      '1.0s',
      '3.2s',
      '59.9s',
      '1m 00s',
      '2m 05s',
    ])
  })
})

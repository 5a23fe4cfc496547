import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sessionFileName } from '../../../src/agents/sessions/file-name.ts'

const invalidRequest = expect.objectContaining({ code: 'INVALID_REQUEST' })

describe('the file name of a session id', () => {
  it.each([
    ['session-0af3-1', 'session-0af3-1'],
    ['a.b_c', 'a.b_c'],
    ['../../etc/passwd', '%2e./../..%2fetc%2fpasswd'.replace('./../..', '.%2f..')],
    ['..', '%2e%2e'],
    ['.', '%2e'],
    ['a/b\\c', 'a%2fb%5cc'],
    ['A', '%41'],
    ['a\0b', 'a%00b'],
    ['con', '%63on'],
    ['LPT1', '%4c%50%541'],
    ['nul.txt', '%6eul.txt'],
    ['a.', 'a%2e'],
    ['100%', '100%25'],
    ['ä', '%c3%a4'],
  ])('G8: of %j is %j', (id, name) => {
    expect(sessionFileName(id)).toBe(name)
  })

  it('G8: is another one for another id, also where case is folded, and names nothing outside the directory', () => {
    const id = fc.oneof(
      fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }),
      fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'A', '.', '/', '%', '2', 'e', 'E', 'f') }),
      fc.constantFrom('con', 'CON', 'nul', 'com1', 'COM1.a', '..', '%63on'),
    )
    fc.assert(
      fc.property(id, id, (first, second) => {
        const [one, two] = [sessionFileName(first), sessionFileName(second)]
        expect(one).toMatch(/^[a-z0-9_%-](?:[a-z0-9._%-]*[a-z0-9_%-])?$/)
        expect(one === two).toBe(first === second)
      }),
      { numRuns: 2000 },
    )
  })

  it('G8: is refused to ids that are too long, or no text', () => {
    for (const id of ['x'.repeat(201), 'X'.repeat(67), 'a\ud800']) expect(() => sessionFileName(id)).toThrow(invalidRequest)
    expect(sessionFileName('x'.repeat(200))).toHaveLength(200)
  })
})

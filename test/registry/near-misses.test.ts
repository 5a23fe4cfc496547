import { describe, expect, it } from 'vitest'
import { harness } from '../run/harness.ts'

describe('fields of requests that look mistyped', () => {
  it('S11: pass, with one warning a name that says what was probably meant', () => {
    const { start, provider, warnings } = harness({ hang: true })
    for (let run = 0; run < 3; run++) start({ outputShema: { type: 'object' }, timeout: 5 } as never)
    expect(warnings).toEqual([
      'A request has the field outputShema, which is left to its provider. Did you mean outputSchema?',
      'A request has the field timeout, which is left to its provider. Did you mean timeoutMs?',
    ])
    expect(provider.children[0]!.request).toMatchObject({ outputShema: { type: 'object' }, timeout: 5 })
  })

  it('S11: are not made of a provider’s own, nor of one that is too short to tell', () => {
    const { start, warnings } = harness({ hang: true })
    start({ apiKey: 'k', region: 'eu', cid: 1, ['x'.repeat(100_000)]: 1 } as never)
    start({ id: 'own', label: 'one', signal: undefined, maxDepth: 3, cancelGraceMs: 1, releaseGraceMs: 1, timeoutMs: 9 } as never)
    expect(warnings).toEqual([])
  })

  it('S11: are remembered by name up to a bound, beyond which none is looked at', () => {
    const { start, warnings } = harness({ hang: true })
    for (let name = 0; name < 100; name++) start({ [`own${name}x`]: 1 } as never)
    start({ promt: 1 } as never)
    expect(warnings).toEqual([])
  })
})

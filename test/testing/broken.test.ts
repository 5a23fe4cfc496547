import { describe, expect, it } from 'vitest'
import { describeProvider, ProviderCaseError, providerCases, runCase } from '../../src/testing/index.ts'
import type { ProviderCase } from '../../src/testing/index.ts'
import type { Broken } from './broken/broken.ts'
import * as all from './broken/index.ts'
import { honest } from './honest.ts'

// What the broken ones are made of passes everything, so that what fails is the one thing that was changed.
await describeProvider('an honest provider', honest())

const broken = Object.values(all) as readonly Broken[]

function caseOf({ id, sentence }: Broken): ProviderCase {
  const found = providerCases().find((each) => each.id === id && each.sentence === sentence)
  if (!found) throw new Error(`No case ${id}: ${sentence}`)
  return found
}

describe('K3: a broken provider', () => {
  it('K3: there are at least twelve of them', () => {
    expect(broken.length).toBeGreaterThanOrEqual(12)
    expect(new Set(broken.map(({ name }) => name)).size).toBe(broken.length)
  })

  it.each(broken)('K3: that $name fails in the case $id, and its author is told why', async (each) => {
    const failure = await runCase(caseOf(each), each.make).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ProviderCaseError)
    const { message, expected, seen, look } = failure as ProviderCaseError
    expect(seen).toMatch(each.seen)
    expect(look).toMatch(each.look)
    for (const part of [`${each.id}: ${each.sentence}`, expected, seen, look]) expect(message).toContain(part)
  })
})

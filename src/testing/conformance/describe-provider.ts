/** The cases as tests of a test runner. */
import { absent, absentControls, concerns } from './applicable.ts'
import { caseTitle } from './case.ts'
import type { ProviderCase } from './case.ts'
import { ProviderCaseError } from './failure.ts'
import { providerCases } from './provider-cases.ts'
import type { ProviderCasesOptions } from './provider-cases.ts'
import type { CaseId } from './requirements.ts'
import { runCase } from './run-case.ts'
import type { RunCaseOptions } from './run-case.ts'
import { skipProblem } from './skips.ts'
import { controls } from './subject.ts'
import type { ControlName, MakeProvider, ProviderSubject } from './subject.ts'
import { createSimulatedClock } from '../simulated-clock.ts'

/** What of a test runner is needed; vitest and node:test fit. */
export interface TestRunner {
  /** Groups the tests that `define` registers. */
  describe(name: string, define: () => void | Promise<void>): unknown
  /** Registers one test. It fails where its promise rejects, and calls `context.skip` where there is one. */
  it(name: string, test: (context?: { skip?(reason?: string): unknown }) => Promise<void>): unknown
}

/** How the cases are run, and by whom. */
export interface DescribeProviderOptions extends RunCaseOptions, ProviderCasesOptions {
  /** @default describe and it of the global scope where they are there, else of vitest */
  readonly runner?: TestRunner
}

/**
 * Registers a test for every case, in a `describe` of this name. What the provider cannot do is skipped with a reason, and
 * an unneeded skip is a test that fails.
 *
 * Under vitest, with globals and with a runner that is passed, the tests are registered when the call returns; else when
 * the promise has resolved.
 *
 * @throws Error where there is no test runner
 *
 * @example
 * ```ts
 * await describeProvider('mine', ({ clock }) => {
 *   const children = []
 *   return {
 *     provider: mine({ clock, onChild: (child) => children.push(child) }),
 *     settle: (text, child) => children[child].finish(text),
 *     ignoreCancel: …
 *   }
 * }, { skip: { A13: 'it never asks for a permission' } })
 * ```
 */
export async function describeProvider(name: string, makeProvider: MakeProvider, options: DescribeProviderOptions = {}): Promise<void> {
  const { describe, it } = options.runner ?? globalRunner() ?? vitestAtWork() ?? (await importedVitest())
  const cases = providerCases(options)
  await describe(name, async () => {
    const subject = await probe(makeProvider)
    if ('error' in subject) {
      it('makeProvider gives a subject', () => Promise.reject(subject.error))
      return
    }
    const { runnable, missing } = sort(cases, subject.subject)
    for (const each of runnable)
      it(caseTitle(each), async (context) => {
        const outcome = await runCase(each, makeProvider, options)
        if (outcome.status === 'skipped') context?.skip?.(outcome.reason)
      })
    const skip = options.skip ?? {}
    for (const [control, [first, ...others]] of missing)
      if (skip[controls[control].id] === undefined)
        it(`${controls[control].id}: the subject has control ${control}, which ${others.length + 1} of the cases need`, () =>
          Promise.reject(new ProviderCaseError(first!, absent(control, subject.subject), [], [])))
    for (const [id, reason] of Object.entries(skip) as [CaseId, string][])
      it(`${id} is skipped, and has to be: ${reason}`, async () => {
        const problem = await skipProblem(id, skip, cases, makeProvider, options)
        if (problem) throw new Error(problem)
      })
  })
}

interface Sorted {
  readonly runnable: readonly ProviderCase[]
  /** Cases by the first control that they lack: one test tells of all of them. */
  readonly missing: ReadonlyMap<ControlName, readonly ProviderCase[]>
}

function sort(cases: readonly ProviderCase[], subject: ProviderSubject): Sorted {
  const runnable: ProviderCase[] = []
  const missing = new Map<ControlName, ProviderCase[]>()
  for (const each of cases) {
    if (!concerns(each, subject.provider)) continue
    const lacking = absentControls(each, subject)
    if (lacking.length === 0) runnable.push(each)
    for (const control of lacking) missing.set(control, [...(missing.get(control) ?? []), each])
  }
  return { runnable, missing }
}

/** A subject to look at, of which nothing is started. */
async function probe(makeProvider: MakeProvider): Promise<{ readonly subject: ProviderSubject } | { readonly error: unknown }> {
  const quiet = (): void => {}
  try {
    const subject = await makeProvider({ clock: createSimulatedClock(), logger: { debug: quiet, warn: quiet, error: quiet } })
    void [subject.provider.capabilities, subject.settle]
    await subject.cleanUp?.()
    return { subject }
  } catch (error) {
    return { error }
  }
}

function globalRunner(): TestRunner | undefined {
  const { describe, it } = globalThis as Partial<TestRunner>
  return typeof describe === 'function' && typeof it === 'function' ? { describe, it } : undefined
}

/** In a worker of vitest it is there already, whoever has it installed: by the name that `import.meta.vitest` reads. */
function vitestAtWork(): TestRunner | undefined {
  return (globalThis as { readonly __vitest_index__?: TestRunner }).__vitest_index__
}

async function importedVitest(): Promise<TestRunner> {
  try {
    const { describe, it } = await import('vitest')
    return { describe, it } as unknown as TestRunner
  } catch (cause) {
    throw new Error(
      'describeProvider: there is no test runner. Run it under vitest, or pass one: { runner: { describe, it } }. For others take providerCases() and runCase().',
      { cause },
    )
  }
}

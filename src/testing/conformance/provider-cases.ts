/** All cases: a path each, and what no path shows. */
import { runPaths } from '../paths/run-paths.ts'
import type { ProviderCase } from './case.ts'
import { conductCases } from './conduct-cases.ts'
import { pathCases } from './path-cases.ts'

/** Which cases are made. */
export interface ProviderCasesOptions {
  /** Which paths through the run machine are taken. @default 'simple', which is all there are */
  readonly paths?: 'shortest' | 'simple'
}

const made = new Map<string, readonly ProviderCase[]>()

/**
 * The cases that every provider has to pass, as data: requirement, sentence, path, what to do, what must be seen. Run them
 * by `runCase`, or all of them by `describeProvider`.
 */
export function providerCases({ paths = 'simple' }: ProviderCasesOptions = {}): readonly ProviderCase[] {
  let cases = made.get(paths)
  if (!cases) made.set(paths, (cases = Object.freeze([...conductCases, ...pathCases(runPaths({ kind: paths }))])))
  return cases
}

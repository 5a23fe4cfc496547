/** Skips are for what a provider cannot do: each has a reason, and is needed. */
import type { ProviderCase } from './case.ts'
import { requirements } from './requirements.ts'
import type { CaseId } from './requirements.ts'
import { runCase } from './run-case.ts'
import type { RunCaseOptions, Skips } from './run-case.ts'
import { controls } from './subject.ts'
import type { MakeProvider } from './subject.ts'

/** The cases that a skip of this requirement covers. */
export function casesUnder(id: CaseId, cases: readonly ProviderCase[]): ProviderCase[] {
  return cases.filter(({ ids, needs }) => ids.includes(id) || needs.some((name) => controls[name].id === id))
}

/**
 * Runs the cases that are skipped, each until one fails.
 * @returns one sentence for each skip that is unknown, has no reason, or is not needed
 */
export async function skipProblems(
  cases: readonly ProviderCase[],
  makeProvider: MakeProvider,
  { skip = {}, ...options }: RunCaseOptions,
): Promise<string[]> {
  const problems: string[] = []
  for (const id of Object.keys(skip) as CaseId[]) {
    const problem = await skipProblem(id, skip, cases, makeProvider, options)
    if (problem) problems.push(problem)
  }
  return problems
}

export async function skipProblem(
  id: CaseId,
  skip: Skips,
  cases: readonly ProviderCase[],
  makeProvider: MakeProvider,
  options: RunCaseOptions,
): Promise<string | undefined> {
  if (!Object.hasOwn(requirements, id)) return `skip: no case stands for ${id}. There are ${Object.keys(requirements).join(', ')}.`
  const reason: unknown = skip[id]
  if (typeof reason !== 'string' || reason.trim() === '')
    return `skip: ${id} has no reason. Say why the provider cannot do this: ${requirements[id]}`
  const { [id]: _, ...others } = skip
  for (const each of casesUnder(id, cases)) {
    try {
      await runCase(each, makeProvider, { ...options, skip: others })
    } catch {
      return undefined
    }
  }
  return `skip: ${id} is not needed, the provider passes every case of it. Take it out: ${JSON.stringify(reason)}`
}

/** Runs one case against a provider. */
import { createSubagentService } from '../../index.ts'
import { describeThrown } from '../../run/contain.ts'
import { watchProcess } from '../process-faults.ts'
import { turns } from '../turns.ts'
import { applies, perform } from './acts.ts'
import { absent, absentControls, concerns, lacksControlOf } from './applicable.ts'
import type { ProviderCase } from './case.ts'
import { checkOutcome, checkTraces } from './check.ts'
import { Found, ProviderCaseError } from './failure.ts'
import { checkNothingLeft, closeStage, finish } from './finish.ts'
import type { CaseId } from './requirements.ts'
import { setStage } from './stage.ts'
import type { CreateService, Stage } from './stage.ts'
import { controls } from './subject.ts'
import type { MakeProvider, ProviderSubject } from './subject.ts'

/** Requirements that a provider cannot meet, with the reason. */
export type Skips = { readonly [Id in CaseId]?: string }

/** What is left out, and how long is waited. */
export interface RunCaseOptions {
  /**
   * A case that wants a control which the subject does not have is `skipped` under the requirement of that control. Where
   * the subject has all controls of a requirement, a case that stands for it may fail, and is `skipped` then.
   */
  readonly skip?: Skips
  /**
   * Real milliseconds to wait for a child, where some hundred turns of the event loop are not enough: for children that live
   * outside of this process. A case that fails takes as long.
   * @default 0
   */
  readonly patienceMs?: number
  /** The service to run on, for testing the engine itself. @default createSubagentService */
  readonly createService?: CreateService
}

/** What a case came to, where it did not fail: one that fails throws. */
export type CaseOutcome = { readonly status: 'passed' } | { readonly status: 'skipped' | 'not applicable'; readonly reason: string }

/**
 * Makes a provider, does what the case says, and checks what must be seen. Everything it started is disposed then, also
 * where it fails.
 *
 * While it runs, handlers of `unhandledRejection` and `uncaughtException` are set aside: what reaches the process counts
 * as a failure of the case.
 *
 * @throws ProviderCaseError naming the case, what was expected, what was seen, what to look at
 *
 * @example
 * ```ts
 * import test from 'node:test'
 * for (const each of providerCases()) test(caseTitle(each), () => runCase(each, makeProvider))
 * ```
 */
export async function runCase(each: ProviderCase, makeProvider: MakeProvider, options: RunCaseOptions = {}): Promise<CaseOutcome> {
  const { faults, stop } = watchProcess()
  let stage: Stage | undefined
  let isClosed = false
  try {
    stage = await setStage(makeProvider, each, {
      patienceMs: options.patienceMs ?? 0,
      createService: options.createService ?? createSubagentService,
    })
    if (!concerns(each, stage.subject.provider))
      return { status: 'not applicable', reason: `the capability ${each.capability!.name} is ${String(!each.capability!.claimed)}` }
    const [missing] = absentControls(each, stage.subject)
    if (missing) throw new Found(absent(missing, stage.subject))
    for (const act of each.act) if (applies(stage, act)) await perform(stage, act)
    await checkOutcome(stage, each)
    await finish(stage)
    checkTraces(stage, each)
    await checkNothingLeft(stage)
    isClosed = true
    await closeStage(stage)
    await turns(2)
    if (faults.length > 0) throw new Found(unhandled(faults))
    return { status: 'passed' }
  } catch (thrown) {
    const logged = stage?.logged ?? []
    const reason = skipReason(each, options.skip, stage?.subject)
    const failure = new ProviderCaseError(
      each,
      finding(thrown, faults),
      stage?.done ?? [],
      logged,
      thrown instanceof Found ? thrown.cause : thrown,
    )
    if (reason === undefined) throw failure
    return { status: 'skipped', reason }
  } finally {
    if (stage && !isClosed) await cleanUp(stage)
    stop()
  }
}

/** A skip that is there for a control which is absent covers nothing else. */
function skipReason(each: ProviderCase, skip: Skips = {}, subject: ProviderSubject | undefined): string | undefined {
  if (!subject) return undefined
  const lacking = absentControls(each, subject).map((name) => controls[name].id)
  const ids = lacking.length > 0 ? lacking : each.ids.filter((id) => !lacksControlOf(id, subject))
  const id = ids.find((candidate) => skip[candidate] !== undefined)
  return id && skip[id]
}

async function cleanUp(stage: Stage): Promise<void> {
  await finish(stage)
  await closeStage(stage).catch(() => {})
  await turns(2)
}

function finding(thrown: unknown, faults: readonly unknown[]): Found {
  if (thrown instanceof Found) return thrown
  // Whatever else is thrown comes out of the subject's own code.
  return new Found({
    expected: 'makeProvider, and what it returns, to do their work',
    seen: describeThrown(thrown),
    look: faults.length > 0 ? unhandled(faults).look : 'the subject: see the cause of this error',
  })
}

function unhandled(faults: readonly unknown[]): Found {
  return new Found(
    {
      expected: 'nothing to reach the process unhandled',
      seen: faults.map(describeThrown).join('; '),
      look: 'promises of the provider that nobody awaits, and callbacks that throw: every promise that can reject needs a handler from the start',
    },
    faults[0],
  )
}

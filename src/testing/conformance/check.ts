/** What must be seen in the end of a case: how it started, the result, the disposal, the lifecycle events. */
import { SubagentError } from '../../errors.ts'
import { describeThrown } from '../../run/contain.ts'
import type { ContentBlock, SubagentEndEvent, SubagentResult, SubagentUpdateEvent } from '../../types.ts'
import { until } from '../turns.ts'
import type { ProviderCase, ProviderExpectation, ResultExpectation } from './case.ts'
import { conductRules } from './conduct.ts'
import { Found } from './failure.ts'
import type { Finding } from './failure.ts'
import type { Stage, StagedRun } from './stage.ts'

/** Before anything is cleaned up. @throws Found */
export async function checkOutcome(stage: Stage, { act, expect }: ProviderCase): Promise<void> {
  checkStart(stage, expect.start ?? 'returns')
  const starts = stage.runs.filter(({ run }) => run !== undefined).length
  const expected = expect.started ?? (expect.start === 'throws' ? 1 : starts)
  if (stage.watch.starts !== expected)
    throw new Found({
      expected: `provider.start to be called ${expected} times`,
      seen: `${stage.watch.starts} times`,
      look: 'who calls start() of the provider beside the service',
    })
  for (const each of expect.results ?? []) {
    const run = stage.runs[each.child ?? 0]
    // An act that did not apply has made no run.
    if (run?.run) await checkResult(stage, run, each)
    else if (!act.some(({ do: what }) => what === 'resume')) throw new Found({ expected: 'a run', seen: 'none', look: 'start()' })
  }
  if (expect.disposal) await checkDisposal(stage, expect.disposal)
}

/** When all is over. @throws Found */
export function checkTraces(stage: Stage, { expect }: ProviderCase): void {
  checkEvents(stage, expect)
  for (const rule of expect.conduct ?? [])
    for (const child of stage.watch.children) {
      const finding = conductRules[rule](child, stage)
      if (finding) throw new Found(finding)
    }
}

function checkStart({ runs: [first], watch }: Stage, expected: NonNullable<ProviderExpectation['start']>): void {
  const thrown = first?.thrown
  const seen = thrown ? `it threw ${describeThrown(thrown.error)}` : 'it returned a run'
  const fail = (wanted: string, look: string): never => {
    throw new Found({ expected: `service.start() to ${wanted}`, seen, look }, thrown?.error)
  }
  if (expected === 'returns') {
    if (thrown)
      fail(
        'return a run',
        'start() of the provider: it returns { result: Promise, cancel(), dispose() } at once; what is known only later settles result',
      )
  } else if (expected === 'throws') {
    if (!thrown) fail('throw', 'control failStart: it has to make the next start() of the provider throw')
    else if (thrown.error !== watch.thrown[0])
      fail('throw what start() of the provider throws', 'what start() returned: it has to throw, not to give back something that is no run')
  } else if (!thrown || !SubagentError.is(thrown.error, expected))
    fail(`throw ${expected}`, 'request() of the subject: it has to leave the fields of the case alone')
}

async function checkResult(stage: Stage, run: StagedRun, expectation: ResultExpectation): Promise<void> {
  const { is, text, exact, failure } = expectation
  if (is !== 'none') await until(() => run.settled !== undefined, stage.patienceMs)
  const { settled } = run
  const which = expectation.child ? ` of child ${expectation.child}` : ''
  const fail = (expected: string, look: string): never => {
    throw new Found(
      { expected: `result${which} ${expected}`, seen: resultText(settled), look },
      settled && 'error' in settled ? settled.error : undefined,
    )
  }
  if (!settled) {
    if (is !== 'none') fail(`to be ${is}`, 'the promise result of the run that start() gave')
    return
  }
  if (is === 'none') return fail('to be pending', 'when the child settles: nothing has told it to')
  if (is === 'rejects') {
    const cause = stage.rejections.get(expectation.child ?? 0)
    if (!('error' in settled)) fail('to reject', 'control reject: it has to make the promise result reject')
    else if (cause && settled.error !== cause)
      fail(`to reject with the error of the control, untouched (${cause.message})`, 'what the promise result rejects with')
    return
  }
  if ('error' in settled)
    return fail(
      `to be ${is}`,
      'what result resolves with: { output: content blocks, stopReason }; whatever becomes of the child, also a failure, is a result and no rejection',
    )
  const { result } = settled
  if (result.stopReason !== is) fail(`to be ${is}`, `stopReason of what result resolves with`)
  if (text === '' && result.output.length > 0) fail('to have no output', 'nothing of the child counts here')
  if (text !== undefined && !textOf(result.output).includes(text))
    fail(`to have ${JSON.stringify(text)} in its output`, 'output of what result resolves with; what was streamed counts where it is empty')
  if (exact !== undefined && textOf(result.output) !== exact)
    fail(
      `to have the output ${JSON.stringify(exact)} and no more`,
      'output of what result resolves with: it is what this run came to, not what was said before',
    )
  if (failure !== undefined && (failure === 'any' ? !isFailure(result.failure) : result.failure?.code !== failure))
    fail(
      failure === 'any' ? 'to have a failure { code, phase, retryable, message }' : `to have the failure ${failure}`,
      'failure of what result resolves with',
    )
  if (expectation.structured !== undefined && JSON.stringify(result.structured) !== JSON.stringify(expectation.structured))
    fail(
      `to have structured ${JSON.stringify(expectation.structured)}`,
      'structured of what result resolves with: a provider with the capability outputSchema gives it, else the capability is false',
    )
}

async function checkDisposal(stage: Stage, expected: NonNullable<ProviderExpectation['disposal']>): Promise<void> {
  const run = stage.runs[0]!
  const isOver = (): boolean => run.disposal === 'resolves' || run.disposal === 'rejects'
  if (expected !== 'none') await until(isOver, stage.patienceMs)
  const seen = isOver() ? run.disposal : 'none'
  if (seen === expected) return
  const look =
    expected === 'rejects'
      ? 'control failRelease or holdRelease: it has to keep the release from ending well'
      : 'dispose() of the run that start() gave: its promise'
  throw new Found({
    expected: `dispose() ${expected === 'none' ? 'not to be over' : `that ${expected}`}`,
    seen: seen === 'none' ? 'it is pending' : `it ${seen}`,
    look,
  })
}

function checkEvents({ events, runs, watch }: Stage, expect: ProviderExpectation): void {
  const [first] = runs
  if (!first) return
  const own = events.filter((event) => 'runId' in event && event.runId === first.runId)
  const types = own.map(({ type }) => type).filter((type) => type !== 'subagent/update')
  const wanted = expect.events ?? (first.run ? ['subagent/start', 'subagent/end'] : [])
  const fail = (finding: Finding): never => {
    throw new Found(finding)
  }
  if (types.join() !== wanted.join())
    fail({
      expected: wanted.length === 0 ? 'no lifecycle event' : wanted.join(', '),
      seen: types.join(', ') || 'none',
      look: 'what start() threw, or whether the run has ended',
    })
  const updates = own.filter((event): event is SubagentUpdateEvent => event.type === 'subagent/update')
  const at = (type: string): number => own.findIndex((event) => event.type === type)
  const inside = updates.every(
    (event) => own.indexOf(event) > at('subagent/start') && (at('subagent/end') < 0 || own.indexOf(event) < at('subagent/end')),
  )
  if (!inside) fail({ expected: 'updates between start and end', seen: own.map(({ type }) => type).join(', '), look: 'context.update()' })
  const end = own.find((event): event is SubagentEndEvent => event.type === 'subagent/end')
  if (end && first.settled && 'result' in first.settled && end.stopReason !== first.settled.result.stopReason)
    fail({
      expected: `subagent/end with ${first.settled.result.stopReason}`,
      seen: end.stopReason,
      look: 'stopReason of what result resolves with',
    })
  if (end && end.provider !== watch.provider.name)
    fail({ expected: `events of provider ${watch.provider.name}`, seen: end.provider, look: 'name of the provider: it stays' })
}

function resultText(settled: StagedRun['settled']): string {
  if (!settled) return 'it is pending'
  if ('error' in settled) return `it rejected with ${describeThrown(settled.error)}`
  const { stopReason, output, failure, structured } = settled.result
  const parts = [stopReason, `output ${JSON.stringify(textOf(output))}`]
  if (failure) parts.push(`failure ${JSON.stringify(failure)}`)
  if (structured !== undefined) parts.push(`structured ${JSON.stringify(structured)}`)
  return parts.join(', ')
}

const textOf = (output: readonly ContentBlock[]): string =>
  output.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('')

function isFailure(failure: SubagentResult['failure']): boolean {
  const phases: readonly unknown[] = ['starting', 'running', 'settling']
  return (
    failure !== undefined &&
    failure.code !== '' &&
    phases.includes(failure.phase) &&
    typeof failure.message === 'string' &&
    failure.message !== ''
  )
}

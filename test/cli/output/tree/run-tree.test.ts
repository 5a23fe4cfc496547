import { describe, expect, it } from 'vitest'
import { createRunTree } from '../../../../src/cli/output/tree/run-tree.ts'
import { watchRuns } from '../../../../src/cli/watch-runs.ts'
import { createSubagentService, rootAgent } from '../../../../src/index.ts'
import { createSimulatedClock, scriptedProvider } from '../../../../src/testing/index.ts'
import type { ScriptedRunStep } from '../../../../src/testing/index.ts'
import type { Logger, SubagentStartRequest } from '../../../../src/types.ts'

const silent: Logger = { debug: () => {}, warn: () => {}, error: () => {} }
const parent = rootAgent()

/** A tree of the runs of a real service, whose children the test drives. */
function watched(script: readonly ScriptedRunStep[], options: { readonly maxConcurrentRuns?: number } = {}) {
  const clock = createSimulatedClock()
  const tree = createRunTree((text) => text.replaceAll('secret', '***'))
  const provider = scriptedProvider([...script], { signalsReady: true })
  const service = createSubagentService({
    providers: [provider],
    clock,
    logger: silent,
    inspect: watchRuns((snapshot) => tree.snapshot(snapshot, clock.now())),
    ...options,
  })
  service.on('*', (event) => tree.event(event))
  const words: string[] = []
  const note = () => words.push(tree.runs().at(-1)?.state.word ?? 'nothing')
  const start = (request: Partial<SubagentStartRequest> = {}) =>
    service.start('scripted', { parent, prompt: 'do it', cancelGraceMs: 10, releaseGraceMs: 10, ...request })
  const views = () => tree.runs().map(({ activity, ...run }) => ({ ...run, activity: activity() }))
  return { clock, tree, views, provider, service, words, note, start }
}
const hanging = { hang: true, deaf: true } as const

describe('the runs of the tree', () => {
  it('C5: are in the state that the run machine is in, and after it in the one they ended with', async () => {
    const { clock, provider, words, note, start } = watched([hanging])
    note()
    const run = start()
    note()
    provider.children[0]!.ready()
    note()
    const asked = provider.children[0]!.ask()
    note()
    asked.answer()
    note()
    run.cancel()
    note()
    clock.advance(10)
    note()
    await run.dispose()
    note()
    expect(words).toEqual(['nothing', 'starting', 'running', 'awaiting permission', 'running', 'settling', 'aborted', 'aborted'])
  })

  it('C5: wait in the queue, are given up there, or do not come about; one that is refused was never there', () => {
    const { tree, note, words, start } = watched([hanging, { startError: new Error('no') }, hanging], { maxConcurrentRuns: 1 })
    const first = start()
    const second = start()
    note()
    second.cancel()
    note()
    expect(() => start({ prompt: '' })).toThrow('prompt')
    expect(tree.runs()).toHaveLength(2)
    first.cancel()
    expect(words).toEqual(['queued', 'aborted'])
    const failing = watched([{ startError: new Error('no') }])
    expect(() => failing.start()).toThrow('no')
    failing.note()
    expect(failing.words).toEqual(['not started'])
  })

  it('C5: have label, lineage, times, tokens of their own, and what they did last', async () => {
    const { clock, views, provider, service, start } = watched([hanging, hanging])
    clock.advance(100)
    const run = start({ label: 'the secret part' })
    provider.children[0]!.ready()
    clock.advance(50)
    const child = service.start('scripted', { parent: { ...parent, id: run.id }, prompt: 'a part of it' })
    const [above, below] = provider.children
    above!.update({ type: 'usage', usage: { totalTokens: 12 } })
    above!.update({ type: 'tool-call', toolCallId: '1', name: 'read_file', input: { path: 'secret.txt', lines: 5, raw: true } })
    below!.ready()
    expect(views()).toMatchObject([
      {
        runId: run.runId,
        parentRunId: undefined,
        label: 'the *** part',
        since: 100,
        durationMs: undefined,
        tokens: 12,
        activity: 'read_file ***.txt 5',
      },
      { runId: child.runId, parentRunId: run.runId, label: 'scripted', since: 150, tokens: undefined, activity: '' },
    ])
    clock.advance(30)
    below!.settle({ output: [{ type: 'text', text: 'Found a secret.\nAnd more.' }], usage: { totalTokens: 5 } })
    await child.result
    above!.settle({ stopReason: 'error', failure: { code: 'X', phase: 'running', retryable: false, message: 'the secret broke' } })
    await run.result
    expect(views()).toMatchObject([
      { state: { word: 'error', ended: true }, durationMs: 80, tokens: 12, activity: 'the *** broke' },
      { state: { word: 'completed', ended: true }, durationMs: 30, tokens: 5, activity: 'Found a ***.' },
    ])
    await service.close()
  })
})

import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine } from 'xstate'
import { rootAgent } from '../../src/parent.ts'
import type { ProviderRun, RunContext, SubagentResult } from '../../src/types.ts'
import { harness, promises, stateOf, text, typesOf } from './harness.ts'

const started = (run: Partial<ProviderRun>): ProviderRun => ({
  result: Promise.resolve<SubagentResult>({ output: [], stopReason: 'completed' }),
  cancel: () => {},
  dispose: async () => {},
  ...run,
})

/** A harness whose provider starts what `begin` gives. */
function begun(begin: (context: RunContext) => ProviderRun, options: Parameters<typeof harness>[1] = {}) {
  const parts = harness('', options)
  Object.assign(parts.provider, { start: (_request: unknown, context: RunContext) => begin(context) })
  return parts
}

describe('a provider that is not asked', () => {
  it('R18, R16: ready() of one that does not declare it says nothing; of one that does, the first counts', async () => {
    const plain = harness({ hang: true })
    plain.start()
    plain.provider.children[0]!.ready()
    expect(typesOf(plain.events)).toEqual(['subagent/start'])

    const signalling = harness({ hang: true }, { signalsReady: true })
    const run = signalling.start()
    const [child] = signalling.provider.children
    child!.ready()
    child!.ready()
    expect([typesOf(signalling.events), stateOf(run)]).toEqual([['subagent/start', 'subagent/update'], { running: 'active' }])
    child!.settle()
    await run.result
    child!.ready()
    expect([typesOf(signalling.events).at(-1), run.late]).toEqual(['subagent/end', 0])
  })

  it('R18, R4: everything at once on the stack of start: the first cause decides, and start and end stand round it', async () => {
    let resolve!: (result: SubagentResult) => void
    const { start, events, service } = begun(
      (context) => {
        context.update({ type: 'text', text: 'early' })
        context.ready()
        context.ready()
        context.ask({ id: 'early', title: 'May I?', options: [] })
        service.ref.send({ type: 'run.cancel', runId: context.runId })
        service.ref.send({ type: 'run.dispose', runId: context.runId })
        resolve({ output: [text('all')], stopReason: 'completed' })
        return started({ result })
      },
      { signalsReady: true },
    )
    const result = new Promise<SubagentResult>((each) => (resolve = each))
    const run = start({ timeoutMs: 5 })
    expect(stateOf(run)).toEqual({ settling: 'draining' })
    expect((await run.result).stopReason).toBe('aborted')
    await run.dispose()
    expect(typesOf(events)).toEqual(['subagent/start', 'subagent/update', 'subagent/update', 'subagent/update', 'subagent/end'])
  })

  it('R12, R4: a result that resolves again, or rejects after, settles once', async () => {
    const then: ProviderRun['result']['then'] = ((onResolve: (result: unknown) => void, onReject: (error: unknown) => void) => {
      onResolve({ output: [text('first')], stopReason: 'completed' })
      onResolve({ output: [text('second')], stopReason: 'completed' })
      onReject(new Error('and a rejection'))
    }) as never
    const { start, events } = begun(() => started({ result: { then } as never }))
    const run = start()
    expect((await run.result).output).toEqual([text('first')])
    await promises()
    expect([typesOf(events), run.late]).toEqual([['subagent/start', 'subagent/end'], 0])
  })

  it('R6: a context that is kept and used after its start threw reaches nobody', async () => {
    let kept: RunContext | undefined
    const { start, events, warnings } = begun((context) => {
      kept = context
      throw new Error('cannot start')
    })
    expect(() => start()).toThrow('cannot start')
    kept!.ready()
    kept!.update({ type: 'text', text: 'from nowhere' })
    kept!.ask({ id: 'late', title: 'May I?', options: [] }).answer()
    await promises()
    expect([events, warnings, kept!.signal.aborted]).toEqual([[], [], false])
  })

  it('S22, S12: below a parent that has ended already the child is never started, and XState has nothing to say', async () => {
    const gone = createActor(createMachine({ initial: 'over', states: { over: { type: 'final' } } })).start()
    const { start, events, provider } = harness({ hang: true })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const run = start({ parent: { ...rootAgent(), ref: gone } as never })
    expect(await run.result).toEqual({
      output: [],
      stopReason: 'aborted',
      diagnostic: expect.stringContaining('The parent, agent root, is disposed'),
    })
    await run.dispose()
    expect([typesOf(events), provider.children.length, warn.mock.calls]).toEqual([['subagent/start', 'subagent/end'], 0, []])
    warn.mockRestore()
  })
})

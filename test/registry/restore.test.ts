import { createActor } from 'xstate'
import type { Snapshot } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent, subagentRegistry, subagentService } from '../../src/index.ts'
import type { RunSnapshot, SubagentProvider, SubagentStartRequest } from '../../src/index.ts'
import { runMachine } from '../../src/machines/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { collectLogger, line, stopActor } from './drivers.ts'
import { harness } from '../run/harness.ts'
import { liveRuns, until } from './live-runs.ts'

const parent = rootAgent()
const go: SubagentStartRequest = { parent, prompt: 'go' }

/** A registry with a run in every state that lasts. */
async function inEveryState() {
  const providers: SubagentProvider[] = [
    scriptedProvider(() => ({ hang: true, deaf: true, release: 'never' }), { name: 'quick' }),
    scriptedProvider(() => ({ hang: true, deaf: true }), { name: 'slow', signalsReady: true }),
  ]
  const [quick] = providers as ReturnType<typeof scriptedProvider>[]
  const service = createSubagentService({ providers, logger: collectLogger(), clock: createSimulatedClock(), maxConcurrentRuns: 6 })
  service.start('slow', { ...go, id: 'starting', label: 'short', timeoutMs: 5000 })
  service.start('quick', { ...go, id: 'running' })
  service.start('quick', { ...go, id: 'child', parent: { ...parent, id: 'running' } })
  service.start('quick', { ...go, id: 'asking' })
  quick!.children[2]!.ask()
  service.start('quick', { ...go, id: 'draining' }).cancel('enough')
  service.start('quick', { ...go, id: 'held' })
  quick!.children[4]!.settle()
  const releasing = service.start('quick', { ...go, id: 'releasing' })
  quick!.children[5]!.settle()
  await releasing.result
  void releasing.dispose().catch(() => {})
  for (let filler = 0; filler < 2; filler++) service.start('slow', go)
  service.start('quick', { ...go, id: 'queued' })
  const states = Object.fromEntries(
    Object.entries((service.ref.getPersistedSnapshot() as unknown as { runs: Record<string, { value: unknown }> }).runs).map(
      ([runId, { value }]) => [runId, value],
    ),
  )
  return { service, states }
}

/** The registry as it comes out of a file, in a process where its children are gone. */
function restored(persisted: unknown) {
  const ref = createActor(subagentRegistry, { snapshot: JSON.parse(JSON.stringify(persisted)) as never, input: {} })
  const service = subagentService(ref)
  const seen: string[] = []
  service.on('*', (event) => void seen.push(event.type === 'subagent/end' ? `${line(event)} ${event.failure?.code ?? '-'}` : line(event)))
  return { ref, service, seen }
}

describe('a persisted registry', () => {
  it('R3: survives JSON with a run in every state', async () => {
    const { service, states } = await inEveryState()
    const persisted = service.ref.getPersistedSnapshot()
    expect(JSON.parse(JSON.stringify(persisted))).toEqual(persisted)
    expect(states).toMatchObject({
      starting: 'starting',
      running: { running: 'active' },
      child: { running: 'active' },
      asking: { running: 'awaitingPermission' },
      draining: { settling: 'draining' },
      held: { settling: 'held' },
      releasing: { settling: 'releasing' },
      queued: { validating: 'queued' },
    })
    stopActor(service.ref)
  })

  it('R3: restored, its live runs are lost: they settle as error with code LOST, the waiting and the cancelled as aborted, and all go', async () => {
    const { service } = await inEveryState()
    const persisted = service.ref.getPersistedSnapshot()
    stopActor(service.ref)
    const { ref, service: again, seen } = restored(persisted)
    expect(seen).toEqual([])
    ref.start()
    const ends = seen.filter((entry) => entry.startsWith('subagent/end') && !entry.includes('run-'))
    expect(ends).toEqual([
      'subagent/end slow starting error LOST',
      'subagent/end quick running error LOST',
      'subagent/end quick child error LOST',
      'subagent/end quick asking error LOST',
      'subagent/end quick draining aborted -',
      'subagent/end quick queued aborted -',
    ])
    // What was announced in the process before is not announced again; the one that waited gets its pair.
    expect(seen.filter((entry) => entry.startsWith('subagent/start'))).toEqual(['subagent/start quick queued'])
    await until(() => liveRuns(again).length === 0)
    expect(ref.getSnapshot()).toMatchObject({ value: 'open', status: 'active' })
  })

  it('R3: restored, it has no providers, and works on with those it is given', async () => {
    const { service } = await inEveryState()
    const persisted = service.ref.getPersistedSnapshot()
    stopActor(service.ref)
    const { ref, service: again } = restored(persisted)
    ref.start()
    expect(again.list()).toEqual([])
    again.registerProvider(scriptedProvider(['anew'], { name: 'quick' }))
    expect((await again.delegate('quick', { ...go, id: 'running' })).output).toEqual([{ type: 'text', text: 'anew' }])
    await again.close()
    expect(ref.getSnapshot().value).toBe('closed')
  })

  it('R3, S6: restored in the middle of its closing, it closes', async () => {
    const { service } = await inEveryState()
    void service.close()
    const persisted = service.ref.getPersistedSnapshot()
    stopActor(service.ref)
    expect(persisted).toMatchObject({ value: 'draining' })
    const { ref, service: again } = restored(persisted)
    ref.start()
    expect(() => again.start('quick', go)).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
    await again.close()
    expect([ref.getSnapshot().value, liveRuns(again)]).toEqual(['closed', []])
  })

  it('R3, S6: restored when it was closed, it is closed', async () => {
    const before = createSubagentService()
    await before.close()
    const { ref, service } = restored(before.ref.getPersistedSnapshot())
    ref.start()
    expect(() => service.start('quick', go)).toThrow(expect.objectContaining({ code: 'REGISTRY_CLOSED' }))
    await service.close()
    expect(ref.getSnapshot()).toMatchObject({ value: 'closed', status: 'done' })
  })

  it('R3: each run in it reads, by itself, as it was', async () => {
    const { service, states } = await inEveryState()
    const { runs } = JSON.parse(JSON.stringify(service.ref.getPersistedSnapshot())) as { runs: Record<string, Snapshot<unknown>> }
    const read = (runId: string): RunSnapshot =>
      createActor(runMachine, { snapshot: runs[runId]!, input: undefined as never }).getSnapshot() as unknown as RunSnapshot
    for (const [runId, value] of Object.entries(states)) expect([runId, read(runId).value]).toEqual([runId, value])
    expect(read('starting').context).toEqual({
      runId: 'starting',
      provider: 'slow',
      label: 'short',
      timeoutMs: 5000,
      cancelGraceMs: 5000,
      releaseGraceMs: 10000,
    })
    expect(read('child').context.parentRunId).toBe('running')
    expect(read('draining').context.stop).toEqual({ by: 'cancel', phase: 'running' })
    stopActor(service.ref)
  })
})

it('R3: a restored registry has the logger, the clock and the limits of its input', () => {
  const { service } = harness({ hang: true })
  const snapshot = JSON.parse(JSON.stringify(service.ref.getPersistedSnapshot()))
  const { provider, clock } = harness({ hang: true })
  const restored = createActor(subagentRegistry, {
    snapshot,
    input: { clock, providers: [provider], maxConcurrentRuns: 1, timeoutMs: 100 },
  }).start()
  const again = subagentService(restored)
  const runs = [again.start('scripted', { parent, prompt: 'x' }), again.start('scripted', { parent, prompt: 'x' })]
  expect(runs.map((run) => run.ref.getSnapshot().value)).toEqual([{ running: 'active' }, { validating: 'queued' }])
  clock.advance(100)
  expect(provider.children[0]!.cancels).toEqual(['deadline'])
})

/**
 * The paths through the run machine, from @xstate/graph, and what takes one of them: every edge is caused through start,
 * cancel, dispose, the signal, the clock and the provider's child; the machine is never sent an event.
 */
import { createTestModel } from '@xstate/graph'
import type { AnyActorRef, InspectionEvent } from 'xstate'
import type { RunEvent, RunSnapshot } from '../../src/machines/run.ts'
import { runMachine } from '../../src/machines/run.ts'
import type { createSubagentService } from '../../src/service.ts'
import { rootAgent } from '../../src/parent.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedChild } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import type { SubagentLifecycleEvent, SubagentRun } from '../../src/types.ts'

export interface GeneratedPath {
  readonly description: string
  readonly steps: readonly { readonly event: RunEvent['type']; readonly value: RunSnapshot['value'] }[]
}

const question = { id: 'q', title: 'May I?', options: [] }
const variants: RunEvent[] = [
  { type: 'accept' },
  { type: 'wait' },
  { type: 'slot' },
  { type: 'reject' },
  { type: 'abort-before-start' },
  { type: 'start-failed' },
  { type: 'ready' },
  { type: 'settle', stopReason: 'completed' },
  { type: 'cancel' },
  { type: 'deadline' },
  { type: 'give-up' },
  { type: 'ask', request: question },
  { type: 'answer' },
  { type: 'dispose' },
  { type: 'released' },
  { type: 'release-failed' },
]

/** A run that never had a child has nothing whose release could fail. */
function canHappen(state: RunSnapshot, event: RunEvent): boolean {
  const { outcome, stop } = state.context
  const childless = outcome?.keep === 'nothing' && !stop && !outcome.rejected
  return state.can(event) && !(event.type === 'release-failed' && childless)
}

export const runInput = { runId: 'run', provider: 'scripted', cancelGraceMs: 500, releaseGraceMs: 900, timeoutMs: 10_000 }

export function generatePaths(kind: 'shortest' | 'simple'): GeneratedPath[] {
  const model = createTestModel(runMachine as never)
  const options = { input: runInput, events: (state: RunSnapshot) => variants.filter((event) => canHappen(state, event)) } as never
  const paths = kind === 'shortest' ? model.getShortestPaths(options) : model.getSimplePaths(options)
  return paths.map(({ steps }) => {
    const moves = steps.slice(1).map(({ event, state }) => ({ event: (event as RunEvent).type, value: (state as unknown as RunSnapshot).value }))
    return { description: moves.map(({ event }) => event).join(' → '), steps: moves }
  })
}

/** How an edge that has several causes is caused. */
export interface Causes {
  readonly cancel: 'cancel()' | 'signal'
  readonly releaseFailed: 'error' | 'grace'
}

export interface Taken {
  readonly events: readonly SubagentLifecycleEvent[]
  readonly thrown: unknown
  readonly run: SubagentRun | undefined
  readonly settled: { readonly result: unknown } | { readonly error: unknown } | undefined
  readonly disposal: 'done' | 'failed' | undefined
  /** What is left after everything was disposed and closed. */
  readonly left: { readonly runs: number; readonly actors: number; readonly timers: number; readonly listeners: number }
}

/** Takes the path and throws where the run's state is not the generated one. */
export async function takePath(path: GeneratedPath, causes: Causes, create: typeof createSubagentService): Promise<Taken> {
  const events = path.steps.map(({ event }) => event)
  const clock = createSimulatedClock()
  const caller = countedController()
  const startError = new Error('no child today')
  const provider = scriptedProvider([{ hang: true, deaf: true, release: 'never', ...(events.includes('start-failed') && { startError }) }], { signalsReady: true })
  const blocker = scriptedProvider([{ hang: true }], { name: 'blocker' })
  const warnings: string[] = []
  const logger = { debug: () => {}, warn: (message: string) => void warnings.push(message), error: (message: string) => void warnings.push(message) }
  const actors = new Set<AnyActorRef>()
  const inspect = (inspected: InspectionEvent): void => {
    if (inspected.type === '@xstate.actor' && (inspected.actorRef as AnyActorRef).src === 'run') actors.add(inspected.actorRef as AnyActorRef)
  }
  const service = create({ providers: [provider, blocker], clock, logger, inspect, ...(events.includes('wait') && { maxConcurrentRuns: 1 }) })
  const parent = rootAgent()
  const seen: SubagentLifecycleEvent[] = []
  const blocking = events.includes('wait') ? service.start('blocker', { parent, prompt: 'hold the slot' }) : undefined
  service.on('*', (event) => void ('runId' in event && event.runId === 'run' && seen.push(event)))

  let run: SubagentRun | undefined
  let thrown: unknown
  let settled: Taken['settled']
  let disposal: Taken['disposal']
  let ask: { answer(): void } | undefined
  const child = (): ScriptedChild => provider.children[0]!
  const start = (prompt = 'do it'): void => {
    const { timeoutMs, cancelGraceMs, releaseGraceMs } = runInput
    try {
      run = service.start('scripted', { id: 'run', parent, prompt, signal: caller.signal, timeoutMs, cancelGraceMs, releaseGraceMs })
      run.result.then(
        (result) => (settled = { result }),
        (error: unknown) => (settled = { error }),
      )
    } catch (error) {
      thrown = error
    }
  }
  const stop = (): void => (causes.cancel === 'signal' ? caller.abort() : run!.cancel('enough'))
  const dispose = (): void =>
    void run!.dispose().then(
      () => (disposal = 'done'),
      () => (disposal = 'failed'),
    )

  for (const [index, { event, value }] of path.steps.entries()) {
    const first = index === 0
    if (event === 'accept' || event === 'wait') start()
    else if (event === 'reject' && first) start('')
    else if (event === 'abort-before-start' && first) {
      caller.abort()
      start()
    } else if (event === 'abort-before-start' || event === 'cancel') stop()
    else if (event === 'slot') blocking!.cancel()
    else if (event === 'ready') child().ready()
    else if (event === 'settle') child().settle({ output: [{ type: 'text', text: 'answer' }] })
    else if (event === 'reject') child().reject(new Error('the line broke'))
    else if (event === 'deadline') clock.advance(runInput.timeoutMs)
    else if (event === 'give-up') clock.advance(runInput.cancelGraceMs)
    else if (event === 'ask') ask = child().ask(question)
    else if (event === 'answer') ask!.answer()
    else if (event === 'dispose') dispose()
    else if (event === 'released') provider.children[0]?.release()
    else if (event === 'release-failed') {
      if (causes.releaseFailed === 'error') child().release(new Error('it would not let go'))
      else clock.advance(runInput.releaseGraceMs)
    }
    await promises()
    // Where one call causes two edges, only the second can be read: a start that throws, a release without a child.
    const passed = path.steps[index + 1]?.event === 'start-failed' || (event === 'dispose' && provider.children.length === 0)
    const actual = run?.ref.getSnapshot().value
    if (run && !passed && JSON.stringify(actual) !== JSON.stringify(value))
      throw new Error(`After ${events.slice(0, index + 1).join(' → ')} the run is in ${JSON.stringify(actual)}, the chart says ${JSON.stringify(value)}`)
    if (!run && !passed && JSON.stringify(value) !== '"disposed"') throw new Error(`After ${event} there is no run, the chart says ${JSON.stringify(value)}`)
  }
  const ended = { run, thrown, settled, disposal }

  // Whatever the path left open is brought to its end, and then nothing may be left.
  if (run && !disposal) dispose()
  provider.children[0]?.settle()
  await promises()
  provider.children[0]?.release()
  const closed = service.close()
  await promises()
  blocker.children[0]?.release()
  await closed
  const runs = Object.keys((service.ref.getPersistedSnapshot() as unknown as { runs: object }).runs).length
  const active = [...actors].filter((actor) => actor.getSnapshot().status === 'active').length
  return { ...ended, events: seen, left: { runs, actors: active, timers: clock.pending, listeners: caller.listeners() } }
}

/** Long enough for every promise that is settled to have told so. */
async function promises(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

/** A controller that counts who listens to its signal. */
function countedController(): { readonly signal: AbortSignal; abort(): void; listeners(): number } {
  const controller = new AbortController()
  const { signal } = controller
  let count = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = ((type: string, listener: never, options: never) => {
    count++
    add(type, listener, options)
  }) as never
  signal.removeEventListener = ((type: string, listener: never) => {
    count--
    remove(type, listener)
  }) as never
  return { signal, abort: () => controller.abort(), listeners: () => count }
}

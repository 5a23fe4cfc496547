import { createActor } from 'xstate'
import { describe, expect, it, vi } from 'vitest'
import { runMachine } from '../../src/machines/run.ts'
import type { RunEvent, RunSnapshot } from '../../src/machines/run.ts'
import { ProviderCaseError, providerCases, runCase, runPaths } from '../../src/testing/index.ts'
import { scriptedSubject } from '../testing/subjects/scripted.ts'

const runInput = { runId: 'run', provider: 'scripted', cancelGraceMs: 500, releaseGraceMs: 900, timeoutMs: 10_000 }

/** `state --event--> target`, as the chart has it. */
function edges(): string[] {
  const found: string[] = []
  const visit = (path: string, node: any): void => {
    for (const [event, edge] of Object.entries<any>(node.on ?? {})) {
      const target = typeof edge === 'string' ? edge : edge.target
      found.push(`${path} --${event}--> ${target ?? 'nowhere'}`)
    }
    for (const [name, child] of Object.entries(node.states ?? {})) visit(path ? `${path}.${name}` : name, child)
  }
  visit('', runMachine.config)
  return found
}

function at(...types: RunEvent['type'][]): RunSnapshot {
  const actor = createActor(runMachine, { input: runInput })
  actor.start()
  for (const type of types) actor.send({ type, stopReason: 'completed', request: { id: 'q', title: '', options: [] } } as never)
  return actor.getSnapshot() as unknown as RunSnapshot
}

describe('the run machine', () => {
  it("R1: has the contract's edges and no other", () => {
    expect(edges()).toEqual([
      ' --xstate.error.actor.*--> nowhere',
      'validating.checking --accept--> #run.starting',
      'validating.checking --wait--> queued',
      'validating.checking --reject--> #run.disposed',
      'validating.checking --abort-before-start--> #run.settling.held',
      'validating.queued --slot--> #run.starting',
      'validating.queued --abort-before-start--> #run.settling.held',
      'starting --start-failed--> disposed',
      'starting --ready--> running',
      'starting --settle--> #run.settling.held',
      'starting --reject--> #run.settling.held',
      'starting --cancel--> #run.settling.draining',
      'starting --deadline--> #run.settling.draining',
      'running --settle--> #run.settling.held',
      'running --reject--> #run.settling.held',
      'running --cancel--> #run.settling.draining',
      'running.active --deadline--> #run.settling.draining',
      'running.active --ask--> awaitingPermission',
      'running.awaitingPermission --answer--> active',
      'settling.draining --settle--> #run.settling.held',
      'settling.draining --reject--> #run.settling.held',
      'settling.draining --give-up--> #run.settling.held',
      'settling.held --dispose--> releasing',
      'settling.releasing --released--> #run.disposed',
      'settling.releasing --release-failed--> #run.disposed',
    ])
  })

  it('R1, R2: moves by events only: no always, no invoke, no after, no guards', () => {
    const keys = new Set<string>()
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [key, part] of Object.entries(value)) {
        keys.add(key)
        visit(part)
      }
    }
    visit(runMachine.config)
    for (const word of ['always', 'invoke', 'after', 'guard', 'delay', 'spawn']) expect([...keys]).not.toContain(word)
  })

  it('R1: an event that the state does not take changes nothing, in settling and in disposed', () => {
    for (const events of [
      ['accept', 'ready', 'settle'],
      ['accept', 'ready', 'settle', 'dispose', 'released'],
    ] as const) {
      const actor = createActor(runMachine, { snapshot: JSON.parse(JSON.stringify(at(...events))), input: runInput })
      const before = actor.getSnapshot()
      for (const type of ['ready', 'settle', 'cancel', 'deadline', 'give-up', 'accept'] as const) actor.send({ type } as never)
      expect(actor.getSnapshot().value).toEqual(before.value)
      expect(actor.getSnapshot().context).toEqual(before.context)
    }
  })

  it("R1: a child actor's error does not stop the run", () => {
    const actor = createActor(runMachine, { input: runInput })
    actor.start()
    actor.send({ type: 'accept' })
    actor.send({ type: 'xstate.error.actor.child', error: new Error('the child broke'), actorId: 'child' } as never)
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', value: 'starting' })
  })

  it('R3: a snapshot survives JSON in every state and reads the same when restored, with actions that do nothing', () => {
    for (const { steps, description } of runPaths()) {
      const actor = createActor(runMachine, { input: runInput })
      actor.start()
      for (const { event } of steps) {
        actor.send(event)
        const persisted = actor.getPersistedSnapshot()
        const restored = createActor(runMachine, { snapshot: JSON.parse(JSON.stringify(persisted)), input: runInput })
        restored.start()
        expect(restored.getSnapshot().value, description).toEqual(actor.getSnapshot().value)
        expect(restored.getSnapshot().context, description).toEqual(JSON.parse(JSON.stringify(actor.getSnapshot().context)))
      }
    }
  })
})

/** The machine without one of its edges. */
function without(state: string, event: string): typeof runMachine {
  const drop = (path: string, node: any): any => ({
    ...node,
    ...(node.on && { on: Object.fromEntries(Object.entries(node.on).filter(([name]) => !(path === state && name === event))) }),
    ...(node.states && {
      states: Object.fromEntries(Object.entries(node.states).map(([name, child]) => [name, drop(path ? `${path}.${name}` : name, child)])),
    }),
  })
  const Machine = runMachine.constructor as new (config: unknown, implementations: unknown) => typeof runMachine
  return new Machine(drop('', runMachine.config), runMachine.implementations)
}

describe('taking one edge out of the chart', () => {
  const cases = providerCases().filter(({ path }) => path)
  // The inert edge has no path of its own; the test of a failing child above is the one that misses it.
  const removable = edges()
    .slice(1)
    .map(
      (edge) =>
        edge
          .split(' --')
          .flatMap((part) => part.split('--> '))
          .slice(0, 2) as [string, string],
    )

  it.each(removable)('R5: %s --%s--> is missed by a generated path', async (state, event) => {
    vi.resetModules()
    vi.doMock('../../src/machines/run.ts', async (original) => ({ ...(await original<object>()), runMachine: without(state, event) }))
    const { createSubagentService: createService } = await import('../../src/service.ts')
    vi.doUnmock('../../src/machines/run.ts')
    const leaf = state.split('.').at(-1)!
    const crossing = cases.filter(({ path }) => {
      const { steps } = path!
      return steps.some((step) => step.event.type === event) && (leaf === 'checking' || JSON.stringify(steps).includes(leaf))
    })
    expect(crossing.length).toBeGreaterThan(0)
    let missed: unknown
    for (const each of crossing) {
      await runCase(each, scriptedSubject, { createService }).catch((error: unknown) => (missed = error))
      if (missed) break
    }
    expect(missed).toBeInstanceOf(ProviderCaseError)
  })
})

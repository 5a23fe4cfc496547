import { assign, createActor, setup } from 'xstate'
import { describe, expect, it } from 'vitest'
import { fromSubagent } from '../src/embed.ts'
import { SubagentError } from '../src/errors.ts'
import { subagentRegistry } from '../src/service.ts'
import { scriptedProvider } from '../src/testing/scripted-provider.ts'
import type { SubagentResult, SubagentStartRequest } from '../src/types.ts'
import { harness, parent, promises, text } from './run/harness.ts'

/** A machine that delegates in its first state, by `logic`. */
function machineWith(logic: ReturnType<typeof fromSubagent>) {
  return setup({
    types: {} as {
      context: { request: SubagentStartRequest; result?: SubagentResult; error?: unknown }
      events: { type: 'leave' }
      input: SubagentStartRequest
    },
    actors: { research: logic },
  }).createMachine({
    context: ({ input }) => ({ request: input }),
    initial: 'researching',
    states: {
      researching: {
        invoke: {
          id: 'research',
          src: 'research',
          input: ({ context }) => context.request,
          onDone: { target: 'done', actions: assign({ result: ({ event }) => event.output as SubagentResult }) },
          onError: { target: 'failed', actions: assign({ error: ({ event }) => event.error }) },
        },
        on: { leave: 'left' },
      },
      done: {},
      failed: {},
      left: {},
    },
  })
}
const go = { parent, prompt: 'do it' }

describe('fromSubagent', () => {
  it('S24: delegates as part of a statechart; onDone gets the result, and the run is disposed', async () => {
    const { service, provider } = harness('the answer')
    const actor = createActor(machineWith(fromSubagent(service, 'scripted')), { input: go }).start()
    expect(actor.getSnapshot().value).toBe('researching')
    await promises()
    expect(actor.getSnapshot().value).toBe('done')
    expect(actor.getSnapshot().context.result).toEqual({ output: [text('the answer')], stopReason: 'completed' })
    expect(provider.children[0]!.disposals).toBe(1)
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it.each([
    ['cancelled', (parts: ReturnType<typeof harness>) => parts.service.ref.send({ type: 'run.cancel', runId: 'r1' }), 'aborted'],
    ['failed', (parts: ReturnType<typeof harness>) => parts.provider.children[0]!.settle({ stopReason: 'error' }), 'error'],
    ['timed-out', (parts: ReturnType<typeof harness>) => parts.clock.advance(50), 'timed-out'],
  ] as const)('S24: a %s result arrives in onDone with its stop reason', async (_, cause, stopReason) => {
    const parts = harness({ hang: true })
    const actor = createActor(machineWith(fromSubagent(parts.service, 'scripted')), { input: { ...go, id: 'r1', timeoutMs: 50 } }).start()
    cause(parts)
    await promises()
    expect(actor.getSnapshot().value).toBe('done')
    expect(actor.getSnapshot().context.result?.stopReason).toBe(stopReason)
  })

  it('S24: what start throws and what rejects goes to onError', async () => {
    const { service } = harness({ reject: new Error('the line broke') })
    const broken = createActor(machineWith(fromSubagent(service, 'scripted')), { input: go }).start()
    await promises()
    expect(broken.getSnapshot().value).toBe('failed')
    expect(broken.getSnapshot().context.error).toEqual(new Error('the line broke'))
    const refused = createActor(machineWith(fromSubagent(service, 'nobody')), { input: go }).start()
    expect(refused.getSnapshot().value).toBe('failed')
    expect(SubagentError.is(refused.getSnapshot().context.error, 'NO_PROVIDER')).toBe(true)
  })

  it('S24: leaving the state, and stopping the actor, cancels and disposes the run', async () => {
    for (const leave of ['leave', 'stop'] as const) {
      const { service, provider } = harness({ hang: true })
      const actor = createActor(machineWith(fromSubagent(service, 'scripted')), { input: go }).start()
      if (leave === 'leave') actor.send({ type: 'leave' })
      else actor.stop()
      expect(provider.children[0]!.cancels).toEqual(['disposed'])
      await promises()
      expect(provider.children[0]!.disposals).toBe(1)
      expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
    }
  })

  it('S24: finds a registry of the same system by its systemId', async () => {
    const provider = scriptedProvider(['found'])
    const machine = setup({ actors: { registry: subagentRegistry, research: fromSubagent('subagents', 'scripted') } }).createMachine({
      invoke: { src: 'registry', systemId: 'subagents', input: { providers: [provider] } },
      initial: 'researching',
      states: { researching: { invoke: { src: 'research', input: go, onDone: 'done', onError: 'failed' } }, done: {}, failed: {} },
    })
    const actor = createActor(machine).start()
    await promises()
    expect(actor.getSnapshot().value).toBe('done')
    actor.stop()
  })

  it('S24: says so where there is no such registry, and where the target is none', () => {
    const run = (logic: ReturnType<typeof fromSubagent>): unknown =>
      createActor(machineWith(logic), { input: go }).start().getSnapshot().context.error
    expect(run(fromSubagent('nowhere', 'scripted'))).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('"nowhere"'),
    })
    expect(run(fromSubagent(createActor(machineWith(fromSubagent('x', 'y')), { input: go }) as never, 'scripted'))).toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  it('S24: shows its run id, and one restored in mid-run fails as LOST', async () => {
    const { service } = harness({ hang: true })
    const logic = fromSubagent(service, 'scripted')
    const actor = createActor(logic, { input: { ...go, id: 'r1' } }).start()
    expect(actor.getSnapshot()).toMatchObject({ status: 'active', runId: 'r1' })
    const persisted = JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
    const restored = createActor(logic, { snapshot: persisted, input: go })
    const errors: unknown[] = []
    restored.subscribe({ error: (error) => errors.push(error) })
    restored.start()
    expect(errors).toEqual([expect.objectContaining({ code: 'LOST', message: expect.stringContaining('r1') })])
    actor.stop()
  })

  it('S24: settles nothing in an actor that was stopped on the way, without a warning', async () => {
    const { service, provider } = harness({ hang: true, deaf: true })
    const actor = createActor(machineWith(fromSubagent(service, 'scripted')), { input: go }).start()
    actor.stop()
    provider.children[0]!.settle()
    await promises()
    expect(actor.getSnapshot().status).toBe('stopped')
  })
})

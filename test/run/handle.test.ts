import { describe, expect, it, vi } from 'vitest'
import { createActor, createMachine, fromCallback } from 'xstate'
import { SubagentError } from '../../src/errors.ts'
import { harness, parent, promises, stateOf, text, typesOf } from './harness.ts'

describe('the handle', () => {
  it('V5: has sendMessage and resume only where the child can', () => {
    const plain = harness({ hang: true }).start()
    expect('sendMessage' in plain).toBe(false)
    expect('resume' in plain).toBe(false)
    const able = harness({ hang: true }, { steerable: true, resumable: true }).start()
    expect('sendMessage' in able).toBe(true)
    expect('resume' in able).toBe(true)
  })

  it('V5: gains them when a run that waited has its child', async () => {
    const { start } = harness({ hang: true }, { steerable: true, service: { maxConcurrentRuns: 1 } })
    const first = start()
    const second = start()
    expect('sendMessage' in second).toBe(false)
    first.cancel()
    await first.result
    expect('sendMessage' in second).toBe(true)
  })

  it('V5: sends blocks, and refuses what is none and what comes too late', async () => {
    const { provider, start } = harness({ hang: true }, { steerable: true })
    const run = start()
    run.sendMessage!('look again')
    expect(provider.children[0]!.messages).toEqual([[text('look again')]])
    expect(() => run.sendMessage!('')).toThrow(/content must be/)
    provider.children[0]!.settle()
    await run.result
    expect(() => run.sendMessage!('hello?')).toThrow(/has settled/)
  })

  it('V5: resume goes on in a new run with events of its own, and only of a settled run', async () => {
    const { start, events, provider } = harness([{ hang: true }, 'second answer'], { resumable: true })
    const run = start({ id: 'first', label: 'work' })
    expect(() => run.resume!('too early')).toThrow(SubagentError)
    provider.children[0]!.settle()
    await run.result
    const again = run.resume!('go on')
    expect(again.runId).not.toBe('first')
    expect((await again.result).output).toEqual([text('second answer')])
    expect(typesOf(events).filter((type) => type !== 'subagent/update')).toEqual([
      'subagent/start',
      'subagent/end',
      'subagent/start',
      'subagent/end',
    ])
    await Promise.all([run.dispose(), again.dispose()])
  })

  it("S14: its id is the child agent's, until there is one the run's", () => {
    expect(harness({ hang: true, id: 'agent-7' }).start({ id: 'r1' })).toMatchObject({ id: 'agent-7', runId: 'r1', provider: 'scripted' })
    expect(harness({ hang: true }).start({ id: 'r1' }).id).toBe('r1')
  })
})

describe('starting', () => {
  it('S8: inside a subagent/start listener is synchronous and complete', () => {
    const { service, start, events } = harness({ hang: true })
    let inner: ReturnType<typeof start> | undefined
    let stateInside: unknown
    const { unsubscribe } = service.on('subagent/start', () => {
      unsubscribe()
      inner = start({ id: 'inner' })
      stateInside = stateOf(inner)
    })
    const outer = start({ id: 'outer' })
    expect(stateInside).toEqual({ running: 'active' })
    expect(stateOf(outer)).toEqual({ running: 'active' })
    expect(stateOf(inner!)).toEqual({ running: 'active' })
    expect(events.map((event) => 'runId' in event && event.runId)).toEqual(['inner', 'outer'])
  })

  it("S8: inside another run's callbacks works: in start, in an update, in an end, in a cancel", async () => {
    const started: string[] = []
    const { service, start, provider } = harness((_request, _context, index) => {
      if (index === 0) started.push(start({ id: 'in start' }).runId)
      return { hang: true }
    })
    const outer = start({ id: 'outer' })
    service.on('subagent/update', () => void started.push(start({ id: 'in update' }).runId))
    service.on('subagent/end', ({ runId }) => void (runId === 'outer' && started.push(start({ id: 'in end' }).runId)))
    provider.children.find(({ runId }) => runId === 'outer')!.update({ type: 'text', text: 'x' })
    outer.cancel()
    await outer.result
    expect(started).toEqual(['in start', 'in update', 'in end'])
  })

  it('R2: inside subagent/start the run reads starting or running, inside subagent/end settling.held', async () => {
    for (const signalsReady of [false, true]) {
      const { service, start, provider } = harness({ hang: true }, { signalsReady })
      const states: unknown[] = []
      const refs = new Map<string, any>()
      service.ref.system.inspect((event: any) => event.type === '@xstate.actor' && refs.set(event.actorRef.id, event.actorRef))
      service.on(
        '*',
        (event) => 'runId' in event && event.type !== 'subagent/update' && states.push(refs.get(event.runId).getSnapshot().value),
      )
      start()
      if (signalsReady) provider.children[0]!.ready()
      provider.children[0]!.settle()
      await promises()
      expect(states).toEqual(['starting', { settling: 'held' }])
    }
  })

  it('R18: a provider that gives back no run, or half of one, is named with what is missing, and nothing is left', async () => {
    const { service } = harness('unused')
    const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }
    const result = Promise.resolve({ output: [], stopReason: 'completed' })
    let disposed = 0
    const dispose = async (): Promise<void> => void disposed++
    const broken: [string, unknown, RegExp][] = [
      ['nothing', undefined, /undefined in place of a run/],
      ['null', null, /null in place of a run/],
      ['text', 'run', /string in place of a run/],
      ['promise', Promise.resolve({ result }), /start is synchronous/],
      ['no result', { cancel() {}, dispose }, /without a promise as result/],
      ['no cancel', { result, dispose }, /without cancel/],
      ['no dispose', { result, cancel() {} }, /without dispose/],
    ]
    for (const [name, run, message] of broken) {
      service.registerProvider({ name, capabilities, start: () => run as never })
      expect(() => service.start(name, { parent, prompt: 'x' })).toThrow(
        expect.objectContaining({ code: 'INVALID_PROVIDER', message: expect.stringMatching(message) }),
      )
    }
    expect(disposed).toBe(2)
    expect((service.ref.getPersistedSnapshot() as any).runs).toEqual({})
  })

  it('S8: inside an action of another actor is synchronous and complete, and XState has nothing to say about it', () => {
    const complaint = vi.spyOn(console, 'warn')
    const { start } = harness({ hang: true })
    let seen: unknown
    const machine = createMachine({ on: { go: { actions: () => void (seen = stateOf(start())) } } })
    const actor = createActor(machine).start()
    actor.send({ type: 'go' })
    expect(seen).toEqual({ running: 'active' })
    expect(complaint).not.toHaveBeenCalled()
    complaint.mockRestore()
  })
})

it("S25: an actor made from outside with the run's actor as its parent is stopped with the run", async () => {
  const { start } = harness({ hang: true })
  const run = start()
  const child = createActor(
    fromCallback(() => {}),
    { parent: run.ref } as never,
  ).start()
  expect(child.getSnapshot().status).toBe('active')
  await run.dispose()
  expect(child.getSnapshot().status).toBe('stopped')
})

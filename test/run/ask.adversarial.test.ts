import { describe, expect, it } from 'vitest'
import type { RunContext } from '../../src/types.ts'
import { harness, promises, stateOf, typesOf } from './harness.ts'

const question = (id: string) => ({ id, title: `May I ${id}?`, options: [] })

describe('questions out of turn', () => {
  it.each([false, true])(
    'R9: one asked while provider.start is on the stack is waited for once the run is ready (signals it: %s)',
    async (signalsReady) => {
      let asked: { answer(): void } | undefined
      const { clock, provider, start, events } = harness(
        (_request, context: RunContext) => {
          asked = context.ask(question('early'))
          return { hang: true }
        },
        { signalsReady },
      )
      const run = start({ timeoutMs: 100 })
      if (signalsReady) provider.children[0]!.ready()
      expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
      clock.advance(1000)
      expect(stateOf(run)).toEqual({ running: 'awaitingPermission' })
      asked!.answer()
      expect(stateOf(run)).toEqual({ running: 'active' })
      clock.advance(100)
      expect((await run.result).stopReason).toBe('timed-out')
      expect(events.filter((event) => event.type === 'subagent/update' && event.update.type === 'permission')).toHaveLength(1)
    },
  )

  it.each(['while provider.start is on the stack', 'once it has returned'])(
    'R9, A13: one asked %s stops the clock of a run that is not ready yet, until it is answered',
    async (when) => {
      let asked: { answer(): void } | undefined
      const { clock, provider, start } = harness(
        (_request, context: RunContext) => {
          if (when.startsWith('while')) asked = context.ask(question('early'))
          return { hang: true }
        },
        { signalsReady: true },
      )
      const run = start({ timeoutMs: 100 })
      asked ??= provider.children[0]!.ask()
      clock.advance(1000)
      expect([stateOf(run), clock.pending]).toEqual(['starting', 0])
      asked.answer()
      clock.advance(99)
      expect(stateOf(run)).toBe('starting')
      clock.advance(1)
      expect((await run.result).stopReason).toBe('timed-out')
    },
  )

  it('R9: one asked and answered while provider.start is on the stack holds nobody', () => {
    const { start } = harness((_request, context: RunContext) => {
      context.ask(question('early')).answer()
      return { hang: true }
    })
    expect(stateOf(start())).toEqual({ running: 'active' })
  })

  it('R9, R4: one asked after the cancel is published and waits for nobody; its answer comes to nothing', async () => {
    const { provider, start, events } = harness({ hang: true, deaf: true })
    const run = start()
    run.cancel()
    const asked = provider.children[0]!.ask()
    expect(stateOf(run)).toEqual({ settling: 'draining' })
    asked.answer()
    provider.children[0]!.settle()
    await run.result
    provider.children[0]!.ask().answer()
    expect(typesOf(events)).toEqual(['subagent/start', 'subagent/update', 'subagent/end'])
    expect([stateOf(run), run.droppedUpdates]).toEqual([{ settling: 'held' }, 1])
  })

  it('R9, R16: one answered inside its own update never holds the run', async () => {
    const { service, provider, start } = harness({ hang: true })
    const open: { answer(): void }[] = []
    service.on('subagent/update', () => void Promise.resolve().then(() => open.pop()?.answer()))
    const run = start({ timeoutMs: 50 })
    open.push(provider.children[0]!.ask())
    await promises()
    expect(stateOf(run)).toEqual({ running: 'active' })
  })

  it('R9, R4: a run that settles while a question is open is settled, and the clock is given back', async () => {
    const { clock, provider, start } = harness({ hang: true })
    const run = start({ timeoutMs: 50 })
    const asked = provider.children[0]!.ask()
    provider.children[0]!.settle()
    expect((await run.result).stopReason).toBe('completed')
    asked.answer()
    expect([clock.pending, stateOf(run)]).toEqual([0, { settling: 'held' }])
  })
})

import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent, SubagentError } from '../../src/index.ts'
import type { SubagentStartRequest, SubagentUpdate } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { collectLogger, entrances, line } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'

const parent = rootAgent()
const go: SubagentStartRequest = { parent, prompt: 'go' }
const hang = (): { hang: true } => ({ hang: true })

describe.each(entrances)('slots, through %s', (_, create) => {
  it('S21: without a limit nobody waits', () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted] })
    for (let start = 0; start < 50; start++) driver.start('scripted', go)
    expect(scripted.children).toHaveLength(50)
  })

  it('S21: over the limit runs wait and start first come, first served, each when a run before it has settled', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 2 })
    driver.seen.length = 0
    const runs = [1, 2, 3, 4, 5].map(() => driver.start('scripted', go))
    expect(runs.map(({ runId }) => runId)).toEqual(['run-1', 'run-2', 'run-3', 'run-4', 'run-5'])
    expect(driver.seen).toEqual(['subagent/start scripted run-1', 'subagent/start scripted run-2'])
    scripted.children[1]!.settle()
    await runs[1]!.result
    scripted.children[0]!.settle()
    await runs[0]!.result
    // A settled run that nobody disposes holds no slot (R17).
    expect(driver.seen.slice(2)).toEqual([
      'subagent/end scripted run-2 completed',
      'subagent/start scripted run-3',
      'subagent/end scripted run-1 completed',
      'subagent/start scripted run-4',
    ])
    expect(scripted.children.map(({ runId }) => runId)).toEqual(['run-1', 'run-2', 'run-3', 'run-4'])
    expect(liveRuns(driver.service)).toEqual(['run-1', 'run-2', 'run-3', 'run-4', 'run-5'])
    scripted.children[2]!.settle()
    await runs[2]!.result
    scripted.children[4]!.settle()
    scripted.children[3]!.settle()
    await Promise.all([runs[3]!.result, runs[4]!.result])
    expect(driver.seen.filter((entry) => entry.includes('/start')).map((entry) => entry.at(-1))).toEqual(['1', '2', '3', '4', '5'])
  })

  it('S21: a provider has a limit of its own; who waits for it does not hold up the others', async () => {
    const [a, b] = [scriptedProvider(hang, { name: 'a' }), scriptedProvider(hang, { name: 'b' })]
    const driver = create({ providers: [a, b], maxConcurrentPerProvider: 1, maxConcurrentRuns: 2 })
    const runs = ['a', 'a', 'b', 'b', 'a'].map((name) => driver.start(name, go))
    const started = (): string[] =>
      driver.seen.filter((entry) => entry.includes('/start')).map((entry) => entry.replace('subagent/start ', ''))
    expect(started()).toEqual(['a run-1', 'b run-3'])
    b.children[0]!.settle()
    await runs[2]!.result
    expect(started().slice(2)).toEqual(['b run-4'])
    a.children[0]!.settle()
    await runs[0]!.result
    expect(started().slice(3)).toEqual(['a run-2'])
    b.children[1]!.settle()
    await runs[3]!.result
    // A slot is free, but not one of provider a.
    expect(started().slice(4)).toEqual([])
    a.children[1]!.settle()
    await runs[1]!.result
    expect(started().slice(4)).toEqual(['a run-5'])
  })

  it('S21: a slot that comes free goes to the one that waits longest, of whatever provider', async () => {
    const [a, b] = [scriptedProvider(hang, { name: 'a' }), scriptedProvider(hang, { name: 'b' })]
    const driver = create({ providers: [a, b], maxConcurrentRuns: 1 })
    const order = ['a', 'b', 'a', 'b'].map((name) => driver.start(name, go))
    for (const [index, child] of [0, 0, 1].entries()) {
      ;(index % 2 === 0 ? a : b).children[child]!.settle()
      await order[index]!.result
    }
    expect(driver.seen.filter((entry) => entry.includes('/start'))).toEqual(
      ['a run-1', 'b run-2', 'a run-3', 'b run-4'].map((run) => `subagent/start ${run}`),
    )
  })

  it("S21: under queue 'reject' the start over the limit is refused, and the next after a settlement is taken", async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1, queue: 'reject' })
    const first = driver.start('scripted', go)
    expect(() => driver.start('scripted', { ...go, id: 'again' })).toThrow(expect.objectContaining({ code: 'CONCURRENCY_LIMIT' }))
    expect(liveRuns(driver.service)).toEqual([first.runId])
    scripted.children[0]!.settle()
    await first.result
    expect(driver.start('scripted', { ...go, id: 'again' }).runId).toBe('again')
  })

  it("S21: a start that queue 'reject' refuses is told which limit is reached, and what raises it", () => {
    const providers = ['a', 'b'].map((name) => scriptedProvider(hang, { name }))
    const refused = (limits: object, name: string): string => {
      const driver = create({ providers, queue: 'reject', ...limits })
      driver.start('a', go)
      try {
        driver.start(name, go)
      } catch (error) {
        return (error as Error).message
      }
      throw new Error('It was taken.')
    }
    const then = (raise: string): string => `Start again when a run has settled, raise ${raise}, or use queue: 'wait'.`
    expect(refused({ maxConcurrentRuns: 1 }, 'b')).toBe(
      `No slot is free for provider "b": maxConcurrentRuns is 1, for all providers together. ${then('that')}`,
    )
    expect(refused({ maxConcurrentRuns: 9, maxConcurrentPerProvider: 1 }, 'a')).toBe(
      `No slot is free for provider "a": maxConcurrentPerProvider is 1. ${then('that')}`,
    )
    expect(refused({ maxConcurrentRuns: 1, maxConcurrentPerProvider: 1 }, 'a')).toBe(
      `No slot is free for provider "a": maxConcurrentRuns is 1, for all providers together, and maxConcurrentPerProvider is 1. ${then('both')}`,
    )
  })

  it('S21: a run of a live run’s child takes no slot, so that a tree cannot deadlock on itself', async () => {
    const scripted = scriptedProvider((_request, { runId }) => ({ id: `agent of ${runId}`, hang: true }))
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    const top = driver.start('scripted', go)
    const nested = driver.start('scripted', { ...go, parent: { ...parent, id: top.id } })
    driver.start('scripted', { ...go, parent: { ...parent, id: nested.id } })
    const waiting = driver.start('scripted', go)
    expect(scripted.children.map(({ runId }) => runId)).toEqual(['run-1', 'run-2', 'run-3'])
    // Nor does it give one back.
    scripted.children[2]!.settle()
    scripted.children[1]!.settle()
    await nested.result
    expect(scripted.children).toHaveLength(3)
    scripted.children[0]!.settle()
    await top.result
    expect(scripted.children[3]!.runId).toBe(waiting.runId)
  })

  it('S21: a waiter that is cancelled ends at once as aborted, with its pair of events, and is never started', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    const first = driver.start('scripted', go)
    const second = driver.start('scripted', go)
    const third = driver.start('scripted', go)
    driver.seen.length = 0
    driver.cancel(second.runId, 'changed my mind')
    expect(driver.seen).toEqual(['subagent/start scripted run-2', 'subagent/end scripted run-2 aborted'])
    expect(await second.result).toEqual({ output: [], stopReason: 'aborted' })
    scripted.children[0]!.settle()
    await first.result
    expect(scripted.children.map(({ runId }) => runId)).toEqual(['run-1', third.runId])
  })

  it('S21, R10: a waiter that is disposed ends as aborted and is gone', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    driver.start('scripted', go)
    const second = driver.start('scripted', go)
    driver.dispose(second.runId)
    expect(await second.result).toEqual({ output: [], stopReason: 'aborted' })
    await until(() => liveRuns(driver.service).length === 1)
    expect(driver.seen.slice(-2)).toEqual(['subagent/start scripted run-2', 'subagent/end scripted run-2 aborted'])
    expect(scripted.children).toHaveLength(1)
  })

  it('S21, S12: a waiter whose signal aborts ends at once', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    driver.start('scripted', go)
    const controller = new AbortController()
    const second = driver.start('scripted', { ...go, signal: controller.signal })
    controller.abort()
    expect(driver.seen.at(-1)).toBe('subagent/end scripted run-2 aborted')
    expect(await second.result).toEqual({ output: [], stopReason: 'aborted' })
    expect(scripted.children).toHaveLength(1)
  })

  it('S13, S21: where provider.start throws after the wait, the result rejects with its error, no event fires, and the slot goes on', async () => {
    const error = new Error('no room')
    const scripted = scriptedProvider([{ hang: true }, { startError: error }, 'third'])
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    const first = driver.start('scripted', go)
    const second = driver.start('scripted', go)
    const third = driver.start('scripted', go)
    const rejected = expect(second.result).rejects.toBe(error)
    driver.seen.length = 0
    scripted.children[0]!.settle()
    await first.result
    await rejected
    expect((await third.result).stopReason).toBe('completed')
    expect(driver.seen.filter((entry) => entry.includes('run-2'))).toEqual([])
    expect(liveRuns(driver.service)).toEqual(['run-1', 'run-3'])
  })

  it('S21, S11: a waiter starts with what was asked, whatever the caller did to its request meanwhile', async () => {
    const scripted = scriptedProvider(hang)
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    const first = driver.start('scripted', go)
    const request = {
      ...go,
      prompt: [{ type: 'text' as const, text: 'as asked' }],
      toolFilter: { allow: ['search'] },
      outputSchema: { type: 'object', properties: {} },
      agentOptions: { headers: { a: 1 } } as object,
      label: 'mine',
    }
    driver.start('scripted', request)
    request.prompt[0]!.text = 'changed'
    request.prompt.push({ type: 'text', text: 'more' })
    request.toolFilter.allow.push('delete')
    Object.assign(request.outputSchema.properties, { more: {} })
    ;(request.agentOptions as { headers: { a: number } }).headers.a = 2
    request.label = 'changed'
    scripted.children[0]!.settle()
    await first.result
    const { prompt, toolFilter, outputSchema, agentOptions, label } = scripted.children[1]!.request
    expect({ prompt, toolFilter, outputSchema, agentOptions, label }).toEqual({
      prompt: [{ type: 'text', text: 'as asked' }],
      toolFilter: { allow: ['search'] },
      outputSchema: { type: 'object', properties: {} },
      agentOptions: { headers: { a: 1 } },
      label: 'mine',
    })
  })
})

describe('the handle of a waiter', () => {
  const waiting = (steps: Parameters<typeof scriptedProvider>[0], options?: Parameters<typeof scriptedProvider>[1]) => {
    const scripted = scriptedProvider(steps, options)
    let made = 0
    const service = createSubagentService({
      providers: [scripted],
      maxConcurrentRuns: 1,
      logger: collectLogger(),
      createId: () => `run-${++made}`,
    })
    const seen: string[] = []
    service.on('*', (event) => void seen.push(line(event)))
    const first = service.start('scripted', go)
    return { scripted, service, seen, first, run: service.start('scripted', go) }
  }

  it('S21, V5: reads queued, has the run id, and shows what the child can only when there is one', async () => {
    const { scripted, first, run } = waiting(() => ({ id: 'agent', hang: true }), { steerable: true })
    expect([run.ref.getSnapshot().value, run.id, 'sendMessage' in run, 'sendMessage' in first]).toEqual([
      { validating: 'queued' },
      'run-2',
      false,
      true,
    ])
    scripted.children[0]!.settle()
    await first.result
    expect([run.ref.getSnapshot().value, run.id, 'sendMessage' in run]).toEqual([{ running: 'active' }, 'agent', true])
  })

  it('S21, R16: its updates can be read from the beginning, and end also where its start fails after the wait', async () => {
    const { scripted, run } = waiting([{ hang: true }, { startError: new Error('no room') }])
    const reading = (async () => {
      const updates: SubagentUpdate[] = []
      for await (const update of run.updates) updates.push(update)
      return updates
    })()
    scripted.children[0]!.settle()
    await expect(run.result).rejects.toThrow('no room')
    expect(await reading).toEqual([])
    await run.dispose()
  })

  it('S21, R9: the deadline of a run counts from its start, not from its wait', async () => {
    const scripted = scriptedProvider(hang)
    const clock = createSimulatedClock()
    const service = createSubagentService({ providers: [scripted], maxConcurrentRuns: 1, logger: collectLogger(), clock })
    const first = service.start('scripted', go)
    const run = service.start('scripted', { ...go, timeoutMs: 1000 })
    clock.advance(5000)
    expect(run.ref.getSnapshot().value).toEqual({ validating: 'queued' })
    scripted.children[0]!.settle()
    await first.result
    clock.advance(999)
    expect(run.ref.getSnapshot().value).toEqual({ running: 'active' })
    clock.advance(1)
    expect((await run.result).stopReason).toBe('timed-out')
  })

  it('S21, S8: a start inside the end of a run does not overtake one that waits', async () => {
    const { scripted, service, seen, first, run } = waiting(hang)
    const inside: string[] = []
    service.on('subagent/end', ({ runId }) => {
      if (runId === first.runId) inside.push(service.start('scripted', go).runId)
    })
    scripted.children[0]!.settle()
    await first.result
    expect(inside).toEqual(['run-3'])
    expect(scripted.children.map(({ runId }) => runId)).toEqual(['run-1', run.runId])
    scripted.children[1]!.settle()
    await run.result
    expect(seen.filter((entry) => entry.includes('/start'))).toEqual(
      ['run-1', 'run-2', 'run-3'].map((runId) => `subagent/start scripted ${runId}`),
    )
  })
})

it('S21: limits that are none are refused', () => {
  for (const wrong of [0, -1, 0.5, Number.NaN, '2', null]) {
    for (const option of ['maxConcurrentRuns', 'maxConcurrentPerProvider'])
      expect(() => createSubagentService({ [option]: wrong } as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining(option) as unknown }),
      )
  }
  expect(() => createSubagentService({ queue: 'drop' as never })).toThrow(SubagentError)
  createSubagentService({ maxConcurrentRuns: Infinity })
})

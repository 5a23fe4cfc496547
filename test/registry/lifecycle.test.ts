import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { ContentBlock, Logger, SubagentEndEvent, SubagentLifecycleEvent, SubagentResult } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedRun } from '../../src/testing/scripted-provider.ts'
import { collectLogger, entrances, line } from './drivers.ts'
import type { Driver } from './drivers.ts'
import { processFaults } from './process-faults.ts'

const parent = rootAgent()
const go = { parent, prompt: 'go' }
const contained = ['subagent/start', 'subagent/update', 'subagent/end', 'subagent/provider-removed'] as const

/** A value that cannot be looked at. */
function unspeakable(): object {
  return new Proxy(
    {},
    {
      get: () => {
        throw new Error('no property of it can be read')
      },
      getPrototypeOf: () => {
        throw new Error('nor its prototype')
      },
    },
  )
}

const misbehaviours: readonly (readonly [string, () => unknown])[] = [
  [
    'throws an error',
    () => {
      throw new Error('a bad day')
    },
  ],
  [
    'throws undefined',
    () => {
      throw undefined
    },
  ],
  [
    'throws a value whose toString throws',
    () => {
      throw {
        toString: () => {
          throw new Error('not even that')
        },
      }
    },
  ],
  [
    'throws a value that cannot be looked at',
    () => {
      throw unspeakable()
    },
  ],
  ['rejects', () => Promise.reject(new Error('a bad day'))],
  [
    'rejects with a value whose toString throws',
    async () => {
      throw {
        toString: () => {
          throw new Error('not even that')
        },
      }
    },
  ],
  [
    'returns a thenable that throws',
    () => ({
      then: () => {
        throw new Error('a bad promise')
      },
    }),
  ],
  ['returns a value whose then cannot be read', () => unspeakable()],
]

async function wholeRun(driver: Driver): Promise<void> {
  const run = driver.start('scripted', go)
  await run.result
  driver.unregister('scripted')
}

const whole = [
  'subagent/start scripted run-1',
  'subagent/update scripted run-1 text',
  'subagent/end scripted run-1 completed',
  'subagent/provider-removed scripted',
]

describe.each(entrances)('lifecycle events, through %s', (_, create) => {
  it('S15: the end carries who, how and how long, and comes before any reaction to the result', async () => {
    const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } as const
    const usage = { inputTokens: 3, outputTokens: 4 }
    const scripted = scriptedProvider([{ id: 'agent-7', delayMs: 250, text: 'half', stopReason: 'error', failure, usage }])
    const driver = create({ providers: [scripted] })
    const order: unknown[] = []
    driver.service.on('subagent/end', (event) => void order.push(event))
    driver.clock.advance(1000)
    const run = driver.start('scripted', go)
    void run.result.then(() => order.push('reaction'))
    driver.clock.advance(250)
    await run.result
    const end: SubagentEndEvent = {
      type: 'subagent/end',
      provider: 'scripted',
      id: 'agent-7',
      runId: 'run-1',
      stopReason: 'error',
      lastAssistantMessage: [{ type: 'text', text: 'half' }],
      failure,
      usage,
      durationMs: 250,
    }
    expect(order).toEqual([end, 'reaction'])
  })

  it('S15: the end waits for no listener', async () => {
    const driver = create({ providers: [scriptedProvider(['done'])] })
    const heard: string[] = []
    for (const type of contained) driver.service.on(type, () => new Promise(() => {}))
    driver.service.on('subagent/end', () => void heard.push('end'))
    expect((await driver.start('scripted', go).result).stopReason).toBe('completed')
    expect(heard).toEqual(['end'])
  })

  it('S16: a listener cannot change what another listener or the caller sees', async () => {
    const answer: SubagentResult = { output: [{ type: 'resource', resource: { uri: 'a:b', text: 'as it was' } }], stopReason: 'completed' }
    const driver = create({ providers: [scriptedProvider([{ result: answer }])] })
    const before = structuredClone(answer)
    const heard: unknown[] = []
    const frozen: boolean[] = []
    driver.service.on('subagent/end', ({ lastAssistantMessage }) => {
      const [block] = lastAssistantMessage as ContentBlock[]
      // Looked at outside: what an expectation throws in here is contained.
      frozen.push(Object.isFrozen(lastAssistantMessage), Object.isFrozen(block), Object.isFrozen((block as { resource: object }).resource))
      ;(block as { resource: { text: string } }).resource.text = 'changed'
    })
    driver.service.on('subagent/end', ({ lastAssistantMessage }) => void heard.push(lastAssistantMessage))
    const result = await driver.start('scripted', go).result
    expect(frozen).toEqual([true, true, true])
    expect(heard).toEqual([before.output])
    expect(result.output).toEqual(before.output)
    // The caller's is its own: not the event's, not the provider's, and not frozen.
    expect([
      result.output === heard[0],
      result.output === answer.output,
      Object.isFrozen(result.output),
      Object.isFrozen(result.output[0]),
    ]).toEqual([false, false, false, false])
    result.output.push({ type: 'text', text: 'mine' })
    expect([heard, answer]).toEqual([[before.output], before])
    expect(driver.warnings).toHaveLength(1)
  })

  it('S16: nor by changing the event itself, its failure or its usage', async () => {
    const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } as const
    const driver = create({
      providers: [
        scriptedProvider([
          { stopReason: 'error', failure, usage: { totalTokens: 7 } },
          { hang: true, deaf: true },
        ]),
      ],
    })
    const heard: unknown[] = []
    const vandals: ((event: any) => void)[] = [
      (event) => (event.stopReason = 'completed'),
      (event) => delete event.lastAssistantMessage,
      (event) => (event.failure.code = 'FINE'),
      (event) => (event.usage.totalTokens = 0),
    ]
    for (const vandal of vandals) driver.service.on('subagent/end', vandal)
    driver.service.on(
      'subagent/end',
      ({ stopReason, failure: heardFailure, usage, lastAssistantMessage }) =>
        void heard.push({ stopReason, code: heardFailure?.code, usage, lastAssistantMessage }),
    )
    const result = await driver.start('scripted', go).result
    expect(heard).toEqual([{ stopReason: 'error', code: 'MODEL_ERROR', usage: { totalTokens: 7 }, lastAssistantMessage: [] }])
    expect(result).toMatchObject({ stopReason: 'error', failure, usage: { totalTokens: 7 } })
    const deaf = driver.start('scripted', go)
    driver.cancel(deaf.runId)
    driver.clock.advance(5000)
    expect((await deaf.result).failure?.code).toBe('DEAF')
    expect(driver.warnings).toHaveLength(vandals.length * 2)
  })

  it('S16: an empty output is carried as [], and a rejected result carries none', async () => {
    const ends: SubagentEndEvent[] = []
    const driver = create({ providers: [scriptedProvider([{}, { reject: new Error('the wire broke') }])] })
    driver.service.on('subagent/end', (event) => void ends.push(event))
    expect(await driver.start('scripted', go).result).toEqual({ output: [], stopReason: 'completed' })
    await expect(driver.start('scripted', go).result).rejects.toThrow('the wire broke')
    const of = (runId: string): object => ({ type: 'subagent/end', provider: 'scripted', id: runId, runId, durationMs: 0 })
    expect(ends).toEqual([
      { ...of('run-1'), stopReason: 'completed', lastAssistantMessage: [] },
      { ...of('run-2'), stopReason: 'error' },
    ])
    expect('lastAssistantMessage' in ends[1]!).toBe(false)
  })

  it('S16: an output that cannot be cloned costs the event its message, not its stop reason, and is warned of', async () => {
    const odd = { output: [{ type: 'text', text: 'x', callback: () => {} }], stopReason: 'max-tokens' }
    const cyclic: unknown[] = [{ type: 'text', text: 'x' }]
    cyclic.push({ type: 'resource', resource: { uri: 'file:///x', text: 'x', cyclic } })
    const ends: SubagentEndEvent[] = []
    const driver = create({ providers: [scriptedProvider([{ result: odd }, { result: { output: cyclic, stopReason: 'refusal' } }])] })
    driver.service.on('subagent/end', (event) => void ends.push(event))
    expect((await driver.start('scripted', go).result).output).toHaveLength(1)
    expect((await driver.start('scripted', go).result).output).toHaveLength(2)
    expect(ends.map((event) => [event.stopReason, 'lastAssistantMessage' in event])).toEqual([
      ['max-tokens', false],
      ['refusal', false],
    ])
    for (const runId of ['run-1', 'run-2'])
      expect(driver.warnings.some((warning) => warning.includes(runId) && warning.includes('subagent/end goes out without it'))).toBe(true)
  })

  it.each(misbehaviours)(
    'S17: a listener that %s is warned of, later listeners hear, and the process is not bothered',
    async (_what, misbehave) => {
      const driver = create({ providers: [scriptedProvider([{ text: 'done' }])] })
      const later: string[] = []
      for (const type of contained) {
        driver.service.on(type, misbehave)
        driver.service.on(type, (event: SubagentLifecycleEvent) => void later.push(line(event)))
      }
      expect(await processFaults(() => wholeRun(driver))).toEqual([])
      expect(later).toEqual(whole)
      const warned = driver.warnings.map((warning) => /^A listener of (subagent\/[a-z-]+) (threw|rejected)/.exec(warning)?.[1])
      // A promise that cannot be looked at is no promise: there is nothing to warn of.
      if (_what !== 'returns a value whose then cannot be read') expect(warned.toSorted()).toEqual([...contained].toSorted())
    },
  )

  it.each<[string, Logger]>([
    ['throws', { debug: broken, warn: broken, error: broken }],
    ['rejects', { debug: brokenLater, warn: brokenLater, error: brokenLater }],
  ])('S17: a logger that %s changes nothing either', async (_what, logger) => {
    const driver = create({ logger, providers: [scriptedProvider([{ text: 'done', release: { error: new Error('no release') } }])] })
    const later: string[] = []
    for (const type of contained) {
      driver.service.on(type, () => {
        throw new Error('a bad day')
      })
      driver.service.on(type, async () => {
        throw new Error('a bad day')
      })
      driver.service.on(type, (event: SubagentLifecycleEvent) => void later.push(line(event)))
    }
    const faults = await processFaults(async () => {
      await wholeRun(driver)
      driver.dispose('run-1')
      await driver.close()
    })
    expect([faults, later]).toEqual([[], whole])
  })

  it('S18: a dispatch sees the listeners that existed when it began', async () => {
    const driver = create({ providers: [scriptedProvider(['one', 'two'])] })
    const heard: string[] = []
    let count = 0
    driver.service.on('subagent/start', ({ runId }) => {
      heard.push(`first ${runId}`)
      if (count++ > 0) return
      second.unsubscribe()
      driver.service.on('subagent/start', (event) => void heard.push(`added ${event.runId}`))
      driver.service.on('*', (event) => event.type === 'subagent/start' && heard.push(`added to all ${event.runId}`))
    })
    const second = driver.service.on('subagent/start', ({ runId }) => void heard.push(`second ${runId}`))
    driver.start('scripted', go)
    expect(heard).toEqual(['first run-1', 'second run-1'])
    driver.start('scripted', go)
    expect(heard.slice(2)).toEqual(['first run-2', 'added run-2', 'added to all run-2'])
  })

  it('S18, S3: so does the dispatch that can refuse', () => {
    const driver = create()
    const heard: string[] = []
    driver.service.on('subagent/provider-added', ({ name }) => {
      heard.push(name)
      driver.service.on('subagent/provider-added', () => {
        throw new Error('refused')
      })
    })
    driver.register(scriptedProvider([], { name: 'a' }))
    expect(() => driver.register(scriptedProvider([], { name: 'b' }))).toThrow('refused')
    expect([heard, driver.service.list()]).toEqual([['a', 'b'], ['a']])
  })

  it("S19: listeners of a type hear before those of '*'; each subscription ends once, by itself", async () => {
    const driver = create({ providers: [scriptedProvider(['one', 'two', 'three'])] })
    const heard: string[] = []
    const all = driver.service.on('*', (event) => event.type === 'subagent/start' && heard.push('*'))
    const listener = (): unknown => heard.push('typed')
    const first = driver.service.on('subagent/start', listener)
    driver.service.on('subagent/start', listener)
    driver.start('scripted', go)
    expect(heard).toEqual(['typed', 'typed', '*'])
    first.unsubscribe()
    first.unsubscribe()
    all.unsubscribe()
    driver.start('scripted', go)
    expect(heard.slice(3)).toEqual(['typed'])
  })

  it('S27: raw listeners of the registry actor hear the same events, each after the contained ones', async () => {
    const driver = create()
    const order: (readonly [string, SubagentLifecycleEvent])[] = []
    for (const type of ['subagent/provider-added', ...contained] as const)
      driver.service.ref.on(type, (event) => order.push(['raw', event]))
    driver.service.on('*', (event) => order.push(['contained', event]))
    driver.register(scriptedProvider([{ text: 'done' }]))
    await wholeRun(driver)
    const lines = order.map(([which, event]) => `${which} ${line(event)}`)
    expect(lines).toEqual(['subagent/provider-added scripted', ...whole].flatMap((event) => [`contained ${event}`, `raw ${event}`]))
    for (let at = 0; at < order.length; at += 2) expect(order[at + 1]![1]).toBe(order[at]![1])
  })
})

function broken(): never {
  throw new Error('a broken logger')
}
async function brokenLater(): Promise<never> {
  throw new Error('a logger whose wire broke')
}

describe('the boundary to providers', () => {
  const service = (script: ScriptedRun | undefined, start?: (context: { update(update: never): void }) => void) => {
    const logger = collectLogger()
    const scripted = scriptedProvider(script ? [script] : [])
    const made = createSubagentService({
      logger,
      providers: [
        {
          ...scripted,
          start: (request, context) => {
            start?.(context as never)
            return scripted.start(request, context)
          },
        },
      ],
      createId: () => 'run-1',
    })
    const seen: string[] = []
    made.on('*', (event) => void seen.push(line(event)))
    return { service: made, seen, logger }
  }

  it('S17, R12: an answer whose fields cannot be read rejects the result as INVALID_RESULT, with the reason as its cause', async () => {
    const error = new Error('not now')
    const unreadable = (field: string): unknown =>
      Object.defineProperty({ output: [], stopReason: 'completed' }, field, {
        enumerable: true,
        get: () => {
          throw error
        },
      })
    const answers = [
      unreadable('output'),
      unreadable('stopReason'),
      unreadable('usage'),
      unreadable('diagnostic'),
      unreadable('structured'),
      unreadable('sessionId'),
      { output: [unspeakable()], stopReason: 'completed' },
    ]
    for (const answer of answers) {
      const { service: made, seen } = service({ result: answer })
      const faults = await processFaults(async () => {
        const run = made.start('scripted', { ...go, outputSchema: { type: 'object' } })
        await expect(run.result).rejects.toMatchObject({ code: 'INVALID_RESULT', cause: expect.anything() as unknown })
        await run.dispose()
      })
      expect([faults, seen]).toEqual([[], ['subagent/start scripted run-1', 'subagent/end scripted run-1 error']])
    }
  })

  it('S17: an update that is none is dropped; the provider is not troubled by it', async () => {
    const { service: made, seen } = service({ text: 'x' }, ({ update }) => {
      for (const odd of [undefined, null, 7, unspeakable()]) expect(() => update(odd as never)).not.toThrow()
    })
    expect((await made.delegate('scripted', go)).stopReason).toBe('completed')
    expect(seen).toEqual(['subagent/start scripted run-1', 'subagent/update scripted run-1 text', 'subagent/end scripted run-1 completed'])
  })
})

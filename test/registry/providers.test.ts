import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent, subagentService } from '../../src/index.ts'
import type { SubagentProvider } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger, entrances, line } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'
import { processFaults } from './process-faults.ts'

const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }
const provider = (name: string): SubagentProvider => ({
  name,
  capabilities,
  start: () => ({ result: new Promise(() => {}), cancel: () => {}, dispose: async () => {} }),
})
const parent = rootAgent()

describe.each(entrances)('providers, through %s', (_, create) => {
  it('S1: a second provider of a name is refused before anything changed, and no event fires', () => {
    const driver = create()
    const first = provider('a')
    driver.register(first)
    expect(() => driver.register(provider('a'))).toThrow('A provider named "a" is registered already')
    expect(driver.service.getProvider('a')).toBe(first)
    expect(driver.seen).toEqual(['subagent/provider-added a'])
  })

  it('S1: what is no provider is refused, and the refusal says what is missing', () => {
    const driver = create()
    const start = (): never => {
      throw new Error('never called')
    }
    const cases: readonly (readonly [unknown, string])[] = [
      [null, 'is null'],
      [undefined, 'is undefined'],
      ['spawn', 'is string'],
      [{ capabilities, start }, 'has no name'],
      [{ name: '', capabilities, start }, 'has no name'],
      [{ name: 7, capabilities, start }, 'has no name'],
      [{ name: 'a', capabilities }, '"a" has no start()'],
      [{ name: 'a', capabilities, start: {} }, '"a" has no start()'],
      [{ name: 'a', start }, '"a" has no capabilities'],
      [{ name: 'a', capabilities: null, start }, '"a" has no capabilities'],
      [{ name: 'a', capabilities: { outputSchema: false, depthLimit: true }, start }, 'toolFilter'],
      [{ name: 'a', capabilities: { outputSchema: 1, depthLimit: true, toolFilter: true }, start }, 'outputSchema'],
      [{ name: 'a', capabilities: { ...capabilities, persona: 'yes' }, start }, 'persona'],
    ]
    for (const [candidate, message] of cases) expect(() => driver.register(candidate as SubagentProvider), message).toThrow(message)
    expect(driver.service.list()).toEqual([])
    expect(driver.seen).toEqual([])
  })

  it('S2: the provider is stored before the event, which carries the name and the live provider', () => {
    const driver = create()
    const added: unknown[] = []
    const live = provider('a')
    driver.service.on('subagent/provider-added', ({ name, provider: heard }) =>
      added.push(name, heard === live, driver.service.getProvider('a') === live, driver.service.list()),
    )
    driver.register(live)
    expect(added).toEqual(['a', true, true, ['a']])
  })

  it('S3: a listener that throws refuses the registration; those before it hear that the provider went, those after it hear nothing', () => {
    const driver = create()
    const heard: string[] = []
    driver.register(provider('kept'))
    driver.service.on('subagent/provider-added', ({ name }) => void heard.push(`first added ${name}`))
    const refusing = driver.service.on('subagent/provider-added', ({ name }) => {
      throw new Error(`${name} is not wanted`)
    })
    driver.service.on('subagent/provider-added', ({ name }) => void heard.push(`last added ${name}`))
    driver.service.on(
      'subagent/provider-removed',
      ({ name }) => void heard.push(`removed ${name}, still there: ${driver.service.getProvider(name) !== undefined}`),
    )
    expect(() => driver.register(provider('a'))).toThrow('a is not wanted')
    expect(heard).toEqual(['first added a', 'removed a, still there: false'])
    expect(driver.service.list()).toEqual(['kept'])

    refusing.unsubscribe()
    driver.register(provider('a'))
    expect(heard.slice(2)).toEqual(['first added a', 'last added a'])
    expect(driver.service.list()).toEqual(['kept', 'a'])
  })

  it('S3: where the first listener refuses, nobody heard of the provider and no removal goes out', () => {
    const driver = create()
    const removed: string[] = []
    driver.service.on('subagent/provider-removed', ({ name }) => void removed.push(name))
    driver.service.on('subagent/provider-added', () => {
      throw new Error('no')
    })
    // The entrance that listens to everything comes after the listeners of the type, so it hears nothing either.
    expect(() => driver.register(provider('a'))).toThrow('no')
    expect([removed, driver.seen, driver.service.list()]).toEqual([[], [], []])
  })

  it('S3: a refusal rolls back its own registration only, not one that a listener made meanwhile', () => {
    const driver = create()
    driver.service.on('subagent/provider-added', ({ name }) => {
      if (name !== 'outer') return
      driver.service.registerProvider(provider('inner'))
      throw new Error('outer is not wanted')
    })
    expect(() => driver.register(provider('outer'))).toThrow('outer is not wanted')
    expect(driver.service.list()).toEqual(['inner'])
  })

  it('S3: a listener that rejects refuses nothing; it is logged and reaches the process as nothing', async () => {
    const driver = create()
    driver.service.on('subagent/provider-added', async () => {
      throw new Error('too late')
    })
    expect(await processFaults(() => driver.register(provider('a')))).toEqual([])
    expect(driver.service.list()).toEqual(['a'])
    expect(driver.warnings).toEqual(['A listener of subagent/provider-added rejected, which refuses nothing: Error: too late'])
  })

  it('S4: a removal takes the provider away first and then says so; a second one says nothing', () => {
    const driver = create()
    driver.register(provider('a'))
    driver.service.on('subagent/provider-removed', ({ name }) =>
      driver.seen.push(`gone: ${driver.service.getProvider(name) === undefined}`),
    )
    driver.unregister('a')
    driver.unregister('a')
    driver.unregister('never there')
    expect(driver.seen.toSorted()).toEqual(['gone: true', 'subagent/provider-added a', 'subagent/provider-removed a'])
  })

  it('S5: names come in the order of registration, and one that is registered again moves to the end', () => {
    const driver = create()
    for (const name of ['b', 'a', '10', '9']) driver.register(provider(name))
    expect(driver.service.list()).toEqual(['b', 'a', '10', '9'])
    driver.unregister('a')
    expect([driver.service.list(), driver.service.getProvider('a')]).toEqual([['b', '10', '9'], undefined])
    driver.register(provider('a'))
    expect(driver.service.list()).toEqual(['b', '10', '9', 'a'])
    for (const name of ['toString', '__proto__', '']) expect(driver.service.getProvider(name)).toBeUndefined()
  })

  it('S7: removing a provider refuses new starts and leaves its live runs alone, whose end still carries its name', async () => {
    const scripted = scriptedProvider([{ hang: true }], { name: 'a' })
    const driver = create({ providers: [scripted] })
    const run = driver.start('a', { parent, prompt: 'go' })
    driver.unregister('a')
    expect(() => driver.start('a', { parent, prompt: 'go' })).toThrow('No provider is named "a"')
    expect(liveRuns(driver.service)).toEqual([run.runId])
    scripted.children[0]!.settle()
    expect(await run.result).toEqual({ output: [], stopReason: 'completed' })
    expect(driver.seen).toEqual([
      'subagent/provider-added a',
      `subagent/start a ${run.runId}`,
      'subagent/provider-removed a',
      `subagent/end a ${run.runId} completed`,
    ])
    driver.dispose(run.runId)
    await until(() => liveRuns(driver.service).length === 0)
    expect(scripted.children[0]!.disposals).toBe(1)
  })

  it('S7: a run that waits for a slot when its provider is removed is live, and starts when its slot comes', async () => {
    const scripted = scriptedProvider([{ hang: true }, 'second'], { name: 'a' })
    const driver = create({ providers: [scripted], maxConcurrentRuns: 1 })
    driver.start('a', { parent, prompt: 'one' })
    const waiting = driver.start('a', { parent, prompt: 'two' })
    driver.unregister('a')
    scripted.children[0]!.settle()
    expect(await waiting.result).toMatchObject({ stopReason: 'completed', output: [{ type: 'text', text: 'second' }] })
  })
})

describe('the disposer of a registration', () => {
  const create = (): { service: ReturnType<typeof createSubagentService>; seen: string[] } => {
    const service = createSubagentService({ logger: collectLogger() })
    const seen: string[] = []
    service.on('*', (event) => void seen.push(line(event)))
    return { service, seen }
  }

  it('S4: is callable and Disposable, works once, and a stale one never removes a later registration', () => {
    const { service, seen } = create()
    const first = service.registerProvider(provider('a'))
    first()
    const second = provider('a')
    service.registerProvider(second)
    first()
    first[Symbol.dispose]()
    expect(service.getProvider('a')).toBe(second)
    {
      using _ = service.registerProvider(provider('b'))
      expect(service.list()).toEqual(['a', 'b'])
    }
    expect(service.list()).toEqual(['a'])
    expect(seen).toEqual([
      'subagent/provider-added a',
      'subagent/provider-removed a',
      'subagent/provider-added a',
      'subagent/provider-added b',
      'subagent/provider-removed b',
    ])
  })

  it('S4: a stale one does not remove a later registration of the very same provider', () => {
    const { service, seen } = create()
    const same = provider('a')
    const stale = service.registerProvider(same)
    service.ref.send({ type: 'provider.unregister', name: 'a' })
    service.registerProvider(same)
    stale()
    expect(service.getProvider('a')).toBe(same)
    expect(seen).toEqual(['subagent/provider-added a', 'subagent/provider-removed a', 'subagent/provider-added a'])
  })

  it('S4, S17: a listener of the removal that throws is contained, and the removal stands', () => {
    const { service } = create()
    const heard: string[] = []
    service.on('subagent/provider-removed', () => {
      throw new Error('not so fast')
    })
    service.on('subagent/provider-removed', ({ name }) => void heard.push(name))
    service.registerProvider(provider('a'))()
    expect([service.list(), heard]).toEqual([[], ['a']])
  })

  it('S3, S4: a listener of the registration that takes the provider away again leaves a stale disposer', () => {
    const { service, seen } = create()
    service.on('subagent/provider-added', ({ name }) => service.ref.send({ type: 'provider.unregister', name }))
    const dispose = service.registerProvider(provider('a'))
    expect(service.list()).toEqual([])
    dispose()
    expect(seen.filter((entry) => entry === 'subagent/provider-removed a')).toHaveLength(1)
  })

  it('S3: a refusal does not undo a registration of the same provider that a listener made in its place', () => {
    const { service } = create()
    const same = provider('a')
    let nested = false
    service.on('subagent/provider-added', ({ name }) => {
      if (nested) return
      nested = true
      service.ref.send({ type: 'provider.unregister', name })
      service.registerProvider(same)
      throw new Error('the first one is not wanted')
    })
    expect(() => service.registerProvider(same)).toThrow('the first one is not wanted')
    expect(service.getProvider('a')).toBe(same)
  })

  it('S3: the very value that a listener threw reaches the registrant', () => {
    const { service } = create()
    const odd = Object.create(null) as object
    service.on('subagent/provider-added', () => {
      throw odd
    })
    let caught: unknown
    try {
      service.registerProvider(provider('a'))
    } catch (thrown) {
      caught = thrown
    }
    expect(caught).toBe(odd)
  })
})

describe('odd providers', () => {
  it('S1: a provider is known by the name it had when it was registered, whatever becomes of that name', async () => {
    const scripted = scriptedProvider(['done'], { name: 'a' }) as { -readonly [Key in keyof SubagentProvider]: SubagentProvider[Key] }
    const service = createSubagentService({ logger: collectLogger(), createId: () => 'run-1' })
    const seen: string[] = []
    service.on('*', (event) => void seen.push(line(event)))
    const dispose = service.registerProvider(scripted)
    scripted.name = 'b'
    expect([service.list(), service.getProvider('b')]).toEqual([['a'], undefined])
    const run = service.start('a', { parent, prompt: 'go' })
    expect(run.provider).toBe('a')
    await run.result
    dispose()
    expect(seen.filter((entry) => !entry.includes('update'))).toEqual([
      'subagent/provider-added a',
      'subagent/start a run-1',
      'subagent/end a run-1 completed',
      'subagent/provider-removed a',
    ])
  })

  it('S1: a getter of a provider that throws is provider code: its error passes untouched and nothing changed', () => {
    const service = createSubagentService({ logger: collectLogger() })
    const error = new Error('not now')
    const broken = {
      ...provider('a'),
      get capabilities(): never {
        throw error
      },
    }
    expect(() => service.registerProvider(broken)).toThrow(error)
    expect(service.list()).toEqual([])
  })

  it('S1: a frozen provider, and one whose methods are inherited, are providers', async () => {
    class Inherited implements SubagentProvider {
      readonly name = 'inherited'
      readonly capabilities = capabilities
      readonly #inner = scriptedProvider(['from a class'])
      start(...args: Parameters<SubagentProvider['start']>): ReturnType<SubagentProvider['start']> {
        return this.#inner.start(...args)
      }
    }
    const service = createSubagentService({ providers: [Object.freeze(scriptedProvider(['frozen'], { name: 'frozen' })), new Inherited()] })
    expect((await service.delegate('frozen', { parent, prompt: 'go' })).output).toEqual([{ type: 'text', text: 'frozen' }])
    expect((await service.delegate('inherited', { parent, prompt: 'go' })).output).toEqual([{ type: 'text', text: 'from a class' }])
  })

  it('S1: a service whose providers clash is not made', () => {
    expect(() => createSubagentService({ providers: [provider('a'), provider('a')] })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_PROVIDER' }),
    )
    expect(() => createSubagentService({ providers: [{} as SubagentProvider] })).toThrow(
      expect.objectContaining({ code: 'INVALID_PROVIDER' }),
    )
    expect(() => createSubagentService({ providers: {} as never })).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})

it('S5: the face of one registry can be had twice, and both are the same registry', () => {
  const service = createSubagentService()
  const other = subagentService(service.ref)
  const dispose = other.registerProvider(provider('a'))
  expect(service.list()).toEqual(['a'])
  dispose()
  expect(service.list()).toEqual([])
})

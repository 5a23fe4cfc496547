import { createActor, createMachine } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createSubagentService } from '../../src/index.ts'
import type { ProviderRun } from '../../src/index.ts'
import { caseTitle, describeProvider, ProviderCaseError, providerCases, runCase, skipProblems } from '../../src/testing/index.ts'
import type { CaseId, MakeProvider, ProviderCase, ProviderSubject, RunCaseOptions } from '../../src/testing/index.ts'
import { honest, HonestChild } from './honest.ts'
import { scriptedSubject } from './subjects/scripted.ts'

const cases = providerCases()
const named = (id: CaseId, part: string): ProviderCase => cases.find((each) => each.id === id && each.sentence.includes(part))!
const alongPath = (way: string): ProviderCase => cases.find(({ sentence }) => sentence === `takes ${way}`)!
const toTheEnd = named('R10', 'after the end')

async function failureOf(each: ProviderCase, make: MakeProvider, options?: RunCaseOptions): Promise<ProviderCaseError> {
  const failure = await runCase(each, make, options).then(
    ({ status }) => status,
    (error: unknown) => error,
  )
  expect(failure).toBeInstanceOf(ProviderCaseError)
  return failure as ProviderCaseError
}

/** The scripted subject, with some of its members changed or, as undefined, gone. */
const changed =
  (changes: Partial<Record<keyof ProviderSubject, unknown>>): MakeProvider =>
  () => {
    const subject: Record<string, unknown> = { ...scriptedSubject(), ...changes }
    for (const [name, value] of Object.entries(subject)) if (value === undefined) delete subject[name]
    return subject as unknown as ProviderSubject
  }

describe('the cases', () => {
  it('K2: are data: JSON through and through, with requirement, sentence, what to do and what must be seen', () => {
    expect(JSON.parse(JSON.stringify(cases))).toEqual(cases)
    for (const each of cases) {
      expect(each.ids).toContain(each.id)
      expect(each.sentence).toMatch(/^\S.{5,}\S$/)
      expect(each.act.length, each.sentence).toBeGreaterThan(0)
      expect(Object.keys(each)).toEqual(expect.arrayContaining(['needs', 'expect']))
    }
    expect(new Set(cases.map(caseTitle)).size).toBe(cases.length)
  })

  it('K2: cause every edge of a path by a call, a control or the passing of time', () => {
    const acts = new Set(cases.flatMap(({ act }) => act.map((each) => each.do)))
    expect([...acts].filter((act) => /send|event/.test(act))).toEqual(['send a message'])
    for (const { path, act } of cases) {
      if (!path) continue
      const edges = act.flatMap(({ edge }) => edge ?? [])
      expect(edges).toEqual(path.steps.map(({ event }) => event.type))
    }
  })

  it('K2: a case runs by itself, without a test runner, and says that it passed', async () => {
    expect(await runCase(toTheEnd, scriptedSubject)).toEqual({ status: 'passed' })
  })

  it('K2: a case about a capability that the provider does not claim is not applicable, and the other way round', async () => {
    const none = { outputSchema: false, depthLimit: false, toolFilter: false }
    const [honours, refuses] = [named('V4', 'outputSchema'), named('S10', 'outputSchema')]
    expect(await runCase(honours, honest({ capabilities: none }))).toMatchObject({ status: 'not applicable' })
    expect(await runCase(refuses, honest({ capabilities: none }))).toEqual({ status: 'passed' })
    expect(await runCase(honours, honest())).toEqual({ status: 'passed' })
    expect(await runCase(refuses, honest())).toMatchObject({ status: 'not applicable' })
  })

  it('K2: children of the outside get the real time that was asked for', async () => {
    class Slow extends HonestChild {
      override complete(answer: string): void {
        setTimeout(() => super.complete(answer), 60)
      }
    }
    expect(await runCase(toTheEnd, honest({ Child: Slow }), { patienceMs: 5_000 })).toEqual({ status: 'passed' })
    expect((await failureOf(toTheEnd, honest({ Child: Slow }))).seen).toBe('state running.active, and nothing moves')
  })
})

describe('a child that needs a moment', () => {
  it('K2: is waited for before it is driven, and told of where it does not come up', async () => {
    let asked = 0
    expect(await runCase(toTheEnd, changed({ isUp: () => ++asked > 3 }))).toEqual({ status: 'passed' })
    expect(asked).toBe(4)
    expect(await failureOf(toTheEnd, changed({ isUp: () => false }))).toMatchObject({
      expected: 'the child to be up',
      look: expect.stringContaining('patienceMs'),
    })
  })
})

describe('what is left behind', () => {
  const withService = (change: (service: ReturnType<typeof createSubagentService>) => object): RunCaseOptions => ({
    createService: (options) => {
      const service = createSubagentService(options)
      return Object.assign(Object.create(service) as typeof service, service, change(service))
    },
  })

  it('K2: a live run is found', async () => {
    const options = withService((service) => ({
      start: (name: string, request: never) =>
        Object.defineProperty(service.start(name, request), 'dispose', { value: () => Promise.resolve() }),
    }))
    expect(await failureOf(named('R12', 'that completes'), scriptedSubject, options)).toMatchObject({
      expected: 'no live run',
      seen: 'run-0',
    })
  })

  it('K2: a listener on the signal is found', async () => {
    const options = withService((service) => ({
      start: (name: string, request: { readonly signal: AbortSignal }) => {
        request.signal.addEventListener('abort', () => {})
        return service.start(name, request as never)
      },
    }))
    expect(await failureOf(toTheEnd, scriptedSubject, options)).toMatchObject({ expected: "no listener on the caller's signal", seen: '1' })
  })

  it('K2: an actor is found, also one that is made when the run is over', async () => {
    class LeavesAnActor extends HonestChild {
      protected override async release(): Promise<void> {
        await super.release()
        setImmediate(() => createActor(createMachine({ id: 'straggler' }), { parent: this.context.self, id: 'straggler' } as never).start())
      }
    }
    const each = named('R12', 'no rejection is left unhandled when a child completes')
    expect(await failureOf(each, honest({ Child: LeavesAnActor }))).toMatchObject({ expected: 'no actor left', seen: 'straggler' })
  })

  it('K2: a timer and what the subject reports are found', async () => {
    class KeepsBeating extends HonestChild {
      protected override release(): Promise<void> {
        return Promise.resolve()
      }
    }
    expect(await failureOf(toTheEnd, honest({ Child: KeepsBeating }))).toMatchObject({
      expected: 'no timer left on the clock',
      seen: '1 set',
    })
    expect(await failureOf(toTheEnd, changed({ leftovers: () => ['a socket', 'a file'] }))).toMatchObject({ seen: 'a socket, a file' })
  })

  it('K2: nothing is left by a case that fails: it is disposed all the same, and the subject cleans up', async () => {
    const ended: string[] = []
    class Stuck extends HonestChild {
      override complete(): void {}
      protected override release(): Promise<void> {
        ended.push('released')
        return super.release()
      }
    }
    await failureOf(toTheEnd, honest({ Child: Stuck, more: () => ({ cleanUp: () => void ended.push('cleaned up') }) }))
    expect(ended).toEqual(['released', 'cleaned up'])
  })

  it('K2: handlers of unhandled faults are set aside while a case runs and are back after it, also where two run at a time', async () => {
    const before = process.listeners('unhandledRejection')
    const both = [runCase(toTheEnd, scriptedSubject), runCase(alongPath('accept → ready → settle → dispose → released'), scriptedSubject)]
    expect(process.listeners('unhandledRejection')).not.toEqual(before)
    await Promise.all(both)
    expect(process.listeners('unhandledRejection')).toEqual(before)
  })
})

describe('what an author is told of his subject', () => {
  it('K2: a control that is absent, with how to add it and how to skip it', async () => {
    const { message } = await failureOf(alongPath('accept → ready → ask → settle → dispose → released'), changed({ ask: undefined }))
    expect(message.split('\n')).toEqual([
      'A13: takes accept → ready → ask → settle → dispose → released',
      '  A13: A question of the child holds the run in running.awaitingPermission until it is answered.',
      '  expected: control ask of the subject, which makes the child ask for a permission',
      '  seen:     it is not there',
      "  look at:  what makeProvider returns: add ask(); or, where the provider cannot do such a thing, skip the requirement with the reason: { skip: { A13: 'because …' } }",
    ])
  })

  it('K2: a control that gives back nothing where it has to give back a function', async () => {
    const held = cases.find(({ act }) => act.some((each) => each.do === 'arrange' && each.control === 'holdRelease'))!
    const { message } = await failureOf(held, changed({ holdRelease: (() => {}) as never }))
    expect(message).toContain('expected: control holdRelease to give back the function that lets the release go')
    expect(message).toContain('seen:     it gave back undefined')
  })

  it('K2: control ready for a provider that does not declare signalsReady', async () => {
    const undeclared: MakeProvider = () => ({ ...scriptedSubject(), provider: { ...scriptedSubject().provider, signalsReady: false } })
    const { message } = await failureOf(
      cases.find(({ needs }) => needs.includes('ready'))!,
      undeclared,
    )
    expect(message).toContain('seen:     ready() is there, and the provider does not declare it')
    expect(message).toContain('signalsReady: true stands beside its name')
  })

  it.each([
    ['ready', () => {}, 'accept → ready → settle → dispose → released', /control ready: .*which was never called/],
    [
      'settle',
      () => {},
      'accept → ready → settle → dispose → released',
      /control settle, then the promise result of the run: it is still pending/,
    ],
    ['reject', () => {}, 'accept → ready → reject → dispose → released', /control reject, then the promise result/],
    [
      'ask',
      () => ({ answer: () => {} }),
      'accept → ready → ask → settle → dispose → released',
      /control ask: it has to make the child call context\.ask/,
    ],
    ['failStart', () => {}, 'accept → start-failed', /control failStart: it has to make the next start\(\)/],
    [
      'ignoreCancel',
      () => {},
      'accept → ready → cancel by call → give-up → dispose → released',
      /control ignoreCancel: the child has settled on the cancel/,
    ],
    [
      'holdRelease',
      () => () => {},
      'accept → ready → settle → dispose → release-failed by grace',
      /control holdRelease: the release has ended/,
    ],
    ['failRelease', () => {}, 'accept → ready → settle → dispose → release-failed by error', /control failRelease/],
  ] as const)('K2: control %s that is there and does not cause its edge', async (control, idle, way, look) => {
    const failure = await failureOf(alongPath(way), changed({ [control]: idle }))
    expect(failure.look).toMatch(look)
  })

  it('K2: a control that throws, a makeProvider that throws or gives no subject, a cleanUp that throws', async () => {
    const broken = (): never => {
      throw new Error('no connection')
    }
    expect(await failureOf(toTheEnd, changed({ settle: broken }))).toMatchObject({
      seen: 'it threw Error: no connection',
      look: expect.stringContaining('settle()'),
    })
    expect(await failureOf(toTheEnd, broken)).toMatchObject({ seen: 'Error: no connection', cause: new Error('no connection') })
    expect(await failureOf(toTheEnd, changed({ cleanUp: broken }))).toMatchObject({ look: expect.stringContaining('cleanUp()') })
    expect(await failureOf(toTheEnd, changed({ settle: undefined }))).toMatchObject({ seen: 'no settle()' })
    expect(await failureOf(toTheEnd, changed({ provider: undefined }))).toMatchObject({ seen: 'no provider' })
    expect(await failureOf(toTheEnd, (() => undefined) as never)).toMatchObject({ seen: 'undefined' })
  })

  it('K2: a provider that cannot be registered, and a run that lacks something, in the words of the service', async () => {
    expect(await failureOf(toTheEnd, changed({ provider: { name: 'x', start: () => ({}) } }))).toMatchObject({
      seen: expect.stringContaining('has no capabilities'),
    })
    const withoutDispose = honest({ start: ({ result, cancel }) => ({ result, cancel }) as ProviderRun })
    expect(await failureOf(toTheEnd, withoutDispose)).toMatchObject({ seen: expect.stringContaining('returned a run without dispose()') })
  })

  it('K2: what the service was told to log', async () => {
    const { message } = await failureOf(
      named('R18', 'cancel()'),
      honest({
        Child: class extends HonestChild {
          override cancel(): void {
            throw new Error('the pipe is closed')
          }
        },
      }),
    )
    expect(message).toContain('logged:   cancel() of provider "honest" threw')
  })
})

describe('skips', () => {
  const asks = alongPath('accept → ready → ask → settle → dispose → released')

  it('K2: a case whose control is absent is skipped with the reason', async () => {
    const skip = { A13: 'it asks nobody' }
    expect(await runCase(asks, changed({ ask: undefined }), { skip })).toEqual({ status: 'skipped', reason: 'it asks nobody' })
    expect(await skipProblems(cases, changed({ ask: undefined }), { skip })).toEqual([])
  })

  it('K2: a skip that is there for an absent control hides no other failure', async () => {
    class Null extends HonestChild {
      override get result(): Promise<never> {
        return this.#nothing
      }
      readonly #nothing = super.result.then(() => null as never)
    }
    const make: MakeProvider = async (setting) => {
      const { reject: _, ...subject } = await honest({ Child: Null })(setting)
      return subject
    }
    const skip = { R12: 'nothing breaks under it' }
    expect(await runCase(alongPath('accept → ready → reject → dispose → released'), make, { skip })).toMatchObject({ status: 'skipped' })
    expect(await failureOf(named('R12', 'that completes'), make, { skip })).toMatchObject({
      seen: expect.stringContaining('null in place of'),
    })
  })

  it('K2: a requirement without controls that a provider cannot meet is skipped by its reason', async () => {
    class Stubborn extends HonestChild {
      #gone = false
      override async dispose(): Promise<void> {
        if (this.#gone) throw new Error('gone')
        this.#gone = true
        await super.dispose()
      }
    }
    const skip = { R10: 'its library throws when it is closed twice' }
    expect(await runCase(named('R10', 'second'), honest({ Child: Stubborn }), { skip })).toEqual({ status: 'skipped', reason: skip.R10 })
    expect(await skipProblems(cases, honest({ Child: Stubborn }), { skip })).toEqual([])
  })

  it('K2: an unneeded skip, one without a reason and one of no requirement are told of', async () => {
    const problems = await skipProblems(cases, honest(), { skip: { P1: 'no depth', R14: ' ', X9: 'never heard of' } as never })
    expect(problems).toEqual([
      'skip: P1 is not needed, the provider passes every case of it. Take it out: "no depth"',
      expect.stringMatching(/^skip: R14 has no reason\. Say why the provider cannot do this: /),
      expect.stringMatching(/^skip: no case stands for X9\. There are A13, /),
    ])
  })
})

describe('describeProvider', () => {
  /** A runner that keeps what is registered, for the test to run it. */
  async function register(make: MakeProvider, options: Parameters<typeof describeProvider>[2] = {}) {
    const tests = new Map<string, (context?: { skip?(reason?: string): unknown }) => Promise<void>>()
    const suites: string[] = []
    await describeProvider('mine', make, {
      ...options,
      runner: { describe: (name, define) => (suites.push(name), define()), it: (name, test) => void tests.set(name, test) },
    })
    return { tests, suites }
  }

  it('K2: registers every case under its title', async () => {
    const { tests, suites } = await register(scriptedSubject)
    expect(suites).toEqual(['mine'])
    // But those about capabilities that the provider does claim, and not to claim them.
    const [refusals, others] = [cases.filter(({ id }) => id === 'S10'), cases.filter(({ id }) => id !== 'S10')]
    expect([...tests.keys()]).toEqual(others.map(caseTitle))
    expect(refusals).toHaveLength(4)
  })

  it('K2: an absent control is one test that fails, however many cases need it; skipped, it is one that passes', async () => {
    const make = changed({ ask: undefined })
    const { tests } = await register(make)
    const title = [...tests.keys()].filter((name) => name.startsWith('A13'))
    expect(title).toEqual([expect.stringMatching(/^A13: the subject has control ask, which \d\d of the cases need$/)])
    await expect(tests.get(title[0]!)!()).rejects.toThrow(/control ask of the subject/)

    const skipped = await register(make, { skip: { A13: 'it asks nobody' } })
    const skip = [...skipped.tests.keys()].filter((name) => name.includes('A13'))
    expect(skip).toEqual(['A13 is skipped, and has to be: it asks nobody'])
    await skipped.tests.get(skip[0]!)!()
  })

  it('K2: an unneeded skip is a test that fails', async () => {
    const { tests } = await register(scriptedSubject, { skip: { A13: 'it asks nobody' } })
    await expect(tests.get('A13 is skipped, and has to be: it asks nobody')!()).rejects.toThrow(/A13 is not needed/)
  })

  it('K2: a case that fails under a skip is skipped in the words of the runner', async () => {
    const make = changed({ ask: () => ({ answer: () => {} }) })
    const { tests } = await register(make, { skip: { A13: 'it asks in vain' } })
    const reasons: (string | undefined)[] = []
    await tests.get('A13: takes accept → ready → ask → settle → dispose → released')!({ skip: (reason) => reasons.push(reason) })
    expect(reasons).toEqual(['it asks in vain'])
  })

  it('K2: a makeProvider that fails is one test that says so', async () => {
    const { tests } = await register(() => Promise.reject(new Error('no such host')))
    expect([...tests.keys()]).toEqual(['makeProvider gives a subject'])
    await expect(tests.get('makeProvider gives a subject')!()).rejects.toThrow('no such host')
  })
})

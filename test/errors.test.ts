import { describe, expect, it } from 'vitest'
import {
  createSubagentService,
  defineProvider,
  errorCodes,
  failureCodes,
  rootAgent,
  SubagentDepthError,
  SubagentError,
  subagentService,
} from '../src/index.ts'
import type { SubagentErrorCode, SubagentProvider, SubagentServiceOptions, SubagentStartRequest } from '../src/index.ts'
import type * as ours from '../src/errors.ts'
import { scriptedProvider } from '../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../src/testing/simulated-clock.ts'
import { listProjectFiles, readProjectFile } from './project/source-files.ts'
import { collectLogger } from './registry/drivers.ts'

const go: SubagentStartRequest = { parent: rootAgent(), prompt: 'go' }

describe('SubagentError', () => {
  it('S20: keeps code, message and cause, and reads as an error of its name', () => {
    const cause = new Error('why')
    const error = new SubagentError('NO_MODEL', 'There is no model.', { cause })
    expect(error).toMatchObject({ name: 'SubagentError', code: 'NO_MODEL', message: 'There is no model.', cause })
    expect([error instanceof Error, String(error), error.stack?.startsWith('SubagentError: There is no model.')]).toEqual([
      true,
      'SubagentError: There is no model.',
      true,
    ])
    expect('cause' in new SubagentError('NO_MODEL', 'x')).toBe(false)
    // The brand is nobody's business: it is neither printed nor serialised.
    expect(Object.keys(error).toSorted()).toEqual(['code', 'name'])
  })

  it('S20: is told across two copies of the package', async () => {
    const file = '../src/errors.ts?second-copy'
    const copy = (await import(/* @vite-ignore */ file)) as Pick<typeof ours, 'SubagentError'>
    const theirs = new copy.SubagentError('NO_PROVIDER', 'theirs')
    expect([
      copy.SubagentError === SubagentError,
      theirs instanceof SubagentError,
      SubagentError.is(theirs),
      SubagentError.is(theirs, 'NO_PROVIDER'),
      SubagentError.is(theirs, 'NO_MODEL'),
    ]).toEqual([false, false, true, true, false])
    expect(copy.SubagentError.is(new SubagentDepthError(2, 1), 'DEPTH_EXCEEDED')).toBe(true)
  })

  it('S20: nothing else is one', () => {
    for (const other of [
      undefined,
      null,
      'NO_PROVIDER',
      7,
      {},
      new Error('x'),
      { code: 'NO_PROVIDER', name: 'SubagentError' },
      Object.create(null),
      () => {},
    ])
      expect(SubagentError.is(other)).toBe(false)
  })

  it('S20: the error of depth says both depths', () => {
    expect(new SubagentDepthError(4, 3)).toMatchObject({
      name: 'SubagentDepthError',
      code: 'DEPTH_EXCEEDED',
      attemptedDepth: 4,
      maxDepth: 3,
      message: expect.stringMatching(/\b4\b.*\b3\b/) as unknown,
    })
  })
})

describe('the codes', () => {
  it('V7: each is documented with who gets it, when, and what to do', () => {
    for (const [code, text] of Object.entries({ ...errorCodes, ...failureCodes })) {
      const [, who, when, toDo] = /^(Thrown by|Rejects|Given to|Failure of) ([^.]+)\. ([A-Z].+)\.$/.exec(text) ?? []
      expect({ code, who: who !== undefined, when: (when?.length ?? 0) > 10, toDo: (toDo?.length ?? 0) > 10 }, text).toEqual({
        code,
        who: true,
        when: true,
        toDo: true,
      })
    }
    for (const text of Object.values(failureCodes)) expect(text).toMatch(/^Failure of a run whose /)
  })

  it('V7: no code is both', () => {
    expect(Object.keys(errorCodes).filter((code) => code in failureCodes)).toEqual([])
  })
})

describe('what the package throws', () => {
  const outcome = async (act: () => unknown): Promise<unknown> => {
    try {
      await act()
    } catch (thrown) {
      return thrown
    }
    throw new Error('nothing was thrown')
  }
  const open = (
    steps: Parameters<typeof scriptedProvider>[0] = [],
    options: SubagentServiceOptions = {},
    capabilities?: SubagentProvider['capabilities'],
  ) =>
    createSubagentService({
      providers: [scriptedProvider(steps, { steerable: true, resumable: true, ...(capabilities && { capabilities }) })],
      logger: collectLogger(),
      ...options,
    })
  const none = { outputSchema: false, depthLimit: false, toolFilter: false }
  const hang = (): { hang: true } => ({ hang: true })

  const ways: readonly (readonly [SubagentErrorCode, string, () => unknown])[] = [
    ['NO_PROVIDER', 'a start by an unknown name', () => open().start('nobody', go)],
    ['DUPLICATE_PROVIDER', 'a second registration', () => open().registerProvider(scriptedProvider([]))],
    ['INVALID_PROVIDER', 'a registration of what is none', () => open().registerProvider({} as SubagentProvider)],
    [
      'INVALID_PROVIDER',
      'a start that gives no run',
      () => createSubagentService({ providers: [{ name: 'a', capabilities: none, start: () => undefined as never }] }).start('a', go),
    ],
    ['INVALID_PROVIDER', 'a provider without a function', () => defineProvider({ name: 'a' } as never)],
    ['UNSUPPORTED_CAPABILITY', 'a wish that is not met', () => open([], {}, none).start('scripted', { ...go, maxDepth: 1 })],
    ['INVALID_REQUEST', 'a request without a prompt', () => open().start('scripted', { ...go, prompt: '' })],
    ['INVALID_REQUEST', 'options of a service', () => createSubagentService({ timeoutMs: -1 })],
    ['INVALID_REQUEST', 'a registry that is none', () => subagentService({} as never)],
    ['INVALID_REQUEST', 'a root without an id', () => rootAgent({ id: '' })],
    ['INVALID_REQUEST', 'a message of nothing', () => open(hang).start('scripted', go).sendMessage!([])],
    ['INVALID_REQUEST', 'a resume before the end', () => open(hang).start('scripted', go).resume!('more')],
    [
      'DUPLICATE_RUN',
      'an id that is taken',
      () => {
        const service = open(hang)
        service.start('scripted', { ...go, id: 'a' })
        service.start('scripted', { ...go, id: 'a' })
      },
    ],
    ['DEPTH_EXCEEDED', 'a child too deep', () => open().start('scripted', { ...go, maxDepth: 0 })],
    [
      'CONCURRENCY_LIMIT',
      'a start over the limit',
      () => {
        const service = open(hang, { maxConcurrentRuns: 1, queue: 'reject' })
        service.start('scripted', go)
        service.start('scripted', go)
      },
    ],
    [
      'REGISTRY_CLOSED',
      'a start after the close',
      async () => {
        const service = open()
        await service.close()
        service.start('scripted', go)
      },
    ],
    ['INVALID_RESULT', 'a result that is none', () => open([{ result: 'done' }]).start('scripted', go).result],
    [
      'RELEASE_TIMEOUT',
      'a release that does not end',
      async () => {
        const clock = createSimulatedClock()
        const run = open([{ release: 'never' }], { clock }).start('scripted', go)
        await run.result
        const disposed = run.dispose()
        clock.advance(10_000)
        await disposed
      },
    ],
  ]

  it.each(ways)('S20: is a SubagentError with the code %s for %s', async (code, _what, act) => {
    const thrown = await outcome(act)
    expect([SubagentError.is(thrown, code), code in errorCodes]).toEqual([true, true])
    // What was wrong, and what to do about it.
    expect((thrown as Error).message).toMatch(/^\S.{15,}\.$/s)
  })

  it('S20: errors of provider code pass untouched, thrown and rejected', async () => {
    const error = new TypeError('mine')
    expect(await outcome(() => open([{ startError: error }]).start('scripted', go))).toBe(error)
    expect(await outcome(() => open([{ reject: error }]).start('scripted', go).result)).toBe(error)
    const service = open([{ release: { error } }])
    const run = service.start('scripted', go)
    await run.result
    expect(await outcome(() => run.dispose())).toBe(error)
  })

  it('S20: no other kind of error is made by the service, the registry, the runs and the providers', () => {
    const others = [
      // Caught where they are made: they become the text, or the cause, of a SubagentError.
      'src/run/copy.ts TypeError',
      'src/run/settle.ts Flaw',
      // Becomes the text of a warning: an update that is none is dropped.
      'src/run/updates.ts TypeError',
      // The reason of an aborted signal is what the platform makes it.
      'src/run/effects.ts DOMException',
      // Thrown to the AI SDK, whose loop makes an error result of it.
      'src/tools/ai-tool.ts DOMException',
      'src/tools/ai-tool.ts Error',
      'src/providers/structured-output.ts Error',
      // Become the failure of a run, or the text of a SubagentError.
      'src/providers/acp/framing.ts FramingError',
      'src/providers/acp/peer.ts AgentError',
      'src/providers/acp/working-directory.ts Error',
    ]
    const made = ['src/run', 'src/registry', 'src/providers', 'src/machines', 'src/tools']
      .flatMap((folder) => listProjectFiles(folder, '.ts'))
      .concat('src/service.ts', 'src/parent.ts')
      .flatMap((path) => [...readProjectFile(path).matchAll(/\bnew (\w*(?:Error|Exception|Flaw))\(/g)].map(([, type]) => `${path} ${type}`))
      .filter((entry) => !/ Subagent(Depth)?Error$/.test(entry))
    expect([...new Set(made)].toSorted()).toEqual(others.toSorted())
  })
})

/**
 * A provider that is looked over the shoulder: it does what the provider under test does, and notes what passes between it
 * and the engine. Nothing is changed on the way.
 */
import { isThenable } from '../../run/contain.ts'
import { deferred } from '../../run/deferred.ts'
import type { ContentBlock, ProviderRun, RunContext, SubagentProvider, SubagentResult, SubagentUpdateContent } from '../../types.ts'

/** What was seen of one child. */
export interface WatchedChild {
  /** As `start` gave it. */
  run: ProviderRun
  /** At each occasion. */
  readonly ids: unknown[]
  readonly cancels: { readonly reason: string | undefined; threw?: unknown }[]
  disposals: number
  /** How often `result` came to an end. */
  settlements: number
  settled: { readonly result: SubagentResult } | { readonly error: unknown } | undefined
  /** The output as it was given, in JSON. */
  outputGiven: string | undefined
  readonly updates: { readonly content: SubagentUpdateContent; readonly late: boolean }[]
  readies: number
}

export interface Watch {
  readonly provider: SubagentProvider
  readonly children: readonly WatchedChild[]
  /** Calls of `start`. */
  readonly starts: number
  /** What `start` threw. */
  readonly thrown: readonly unknown[]
  /** Called before each start, with the call on the stack. */
  beforeStart: (() => void) | undefined
}

export function watchProvider(provider: SubagentProvider): Watch {
  const children: WatchedChild[] = []
  const thrown: unknown[] = []
  let starts = 0
  const watch: Watch = {
    provider: { ...provider, start: undefined as never },
    children,
    thrown,
    beforeStart: undefined,
    get starts() {
      return starts
    },
  }
  const begin: Begin = (context, call) => {
    starts++
    const child: WatchedChild = {
      run: undefined as never,
      ids: [],
      cancels: [],
      disposals: 0,
      settlements: 0,
      settled: undefined,
      outputGiven: undefined,
      updates: [],
      readies: 0,
    }
    watch.beforeStart?.()
    let run: ProviderRun
    try {
      run = call(watchContext(context, child))
    } catch (error) {
      thrown.push(error)
      throw error
    }
    // What is no run is refused by the engine, which says why.
    if (typeof run !== 'object' || run === null || isThenable(run)) return run
    child.run = run
    child.ids.push(run.id)
    children.push(child)
    return watchRun(run, child, begin)
  }
  Object.assign(watch.provider, {
    // Also where they are inherited, from a class.
    name: provider.name,
    capabilities: provider.capabilities,
    ...(provider.inheritsParentContext !== undefined && { inheritsParentContext: provider.inheritsParentContext }),
    ...(provider.signalsReady !== undefined && { signalsReady: provider.signalsReady }),
    ...(typeof provider.start === 'function' && {
      start: ((request, context) => begin(context, (own) => provider.start(request, own))) satisfies SubagentProvider['start'],
    }),
  })
  return watch
}

type Begin = (context: RunContext, call: (context: RunContext) => ProviderRun) => ProviderRun

function watchContext(context: RunContext, child: WatchedChild): RunContext {
  // The getters stay getters: signal and self are made when they are first read.
  return Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(context),
      ready: {
        enumerable: true,
        value: () => {
          child.readies++
          context.ready()
        },
      },
      update: {
        enumerable: true,
        value: (content: SubagentUpdateContent) => {
          child.updates.push({ content, late: child.settlements > 0 })
          context.update(content)
        },
      },
    },
  ) as RunContext
}

function watchRun(run: ProviderRun, child: WatchedChild, begin: Begin): ProviderRun {
  return {
    ...(run.id !== undefined && { id: run.id }),
    result: watchResult(run.result, child),
    ...(typeof run.cancel === 'function' && {
      cancel: (reason?: string) => {
        const call: WatchedChild['cancels'][number] = { reason }
        child.cancels.push(call)
        child.ids.push(run.id)
        const threw = (error: unknown): void => void (call.threw = error)
        try {
          const returned: unknown = run.cancel(reason)
          if (isThenable(returned)) Promise.resolve(returned).catch(threw)
          return returned
        } catch (error) {
          threw(error)
          throw error
        }
      },
    }),
    ...(typeof run.dispose === 'function' && {
      dispose: () => {
        child.disposals++
        child.ids.push(run.id)
        return run.dispose()
      },
    }),
    ...(run.sendMessage && { sendMessage: (content: ContentBlock[]) => run.sendMessage!(content) }),
    ...(run.detach && { detach: () => run.detach!() }),
    ...(run.resume && {
      resume: (content: ContentBlock[], context: RunContext) => begin(context, (own) => run.resume!(content, own)),
    }),
  } as ProviderRun
}

function watchResult(result: unknown, child: WatchedChild): Promise<SubagentResult> {
  if (!isThenable(result)) return result as never
  const noted = (settled: NonNullable<WatchedChild['settled']>): void => {
    if (child.settlements++ > 0) return
    child.settled = settled
    child.ids.push(child.run.id)
    if ('result' in settled) child.outputGiven = outputOf(child)
  }
  if (result instanceof Promise) {
    result.then(
      (answer: SubagentResult) => noted({ result: answer }),
      (error: unknown) => noted({ error }),
    )
    return result
  }
  // A promise of the provider's own making may call back more than once.
  const once = deferred<SubagentResult>()
  result.then(
    (answer) => {
      noted({ result: answer as SubagentResult })
      once.resolve(answer as SubagentResult)
    },
    (error: unknown) => {
      noted({ error })
      once.reject(error)
    },
  )
  return once.promise
}

/** The output that the child settled with, as it is now. */
export function outputOf({ settled }: WatchedChild): string | undefined {
  try {
    return settled && 'result' in settled ? JSON.stringify(settled.result.output) : undefined
  } catch {
    // What cannot be read as an output, the engine refuses.
    return undefined
  }
}

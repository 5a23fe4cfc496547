/**
 * A provider from a function or a generator: the shortest way to make any code a child (P16).
 *
 * Invariant: `result` settles no earlier than the function or the generator has ended, so that what is deaf to a cancel is
 * seen to be (R8), and `dispose` waits for the same end (R10).
 */
import { SubagentError } from '../errors.ts'
import { describeThrown, isAsyncIterable, warn } from '../run/contain.ts'
import { StreamedText } from '../run/streamed-text.ts'
import { inNextTurn } from '../run/turns.ts'
import type {
  ContentBlock,
  ProviderStartRequest,
  RunContext,
  SubagentCapabilities,
  SubagentProvider,
  SubagentResult,
  SubagentUpdateContent,
} from '../types.ts'

/** What a child comes to. A string is the text of a completed result. */
export type ProviderAnswer = SubagentResult | string
/** What a generator yields: an update, or a string for the next part of the text. */
export type ProviderYield = SubagentUpdateContent | string
/** Updates, and at their end the answer; nothing, for the text that was yielded. */
export type ProviderUpdates =
  | AsyncIterable<ProviderYield, ProviderAnswer | void, unknown>
  | Generator<ProviderYield, ProviderAnswer | void, unknown>

/** A provider's name, what it can, and the function that does its work. */
export interface DefineProviderOptions {
  /** By which it is registered and started: a non-empty string. */
  readonly name: string
  /** @default none: outputSchema, depthLimit and toolFilter are false */
  readonly capabilities?: Partial<SubagentCapabilities>
  /** @default false */
  readonly inheritsParentContext?: boolean
  /**
   * Does the work: a function, or a generator that yields updates while it works. What is yielded goes to
   * `context.update`, where it is no update it is dropped with one warning. Any async iterable of strings or updates will do.
   *
   * Contract: called once a run, after `start` has returned; `context.signal` (also `request.signal`) aborts on cancel. A
   * throw rejects the run's `result`, unless the signal has aborted: then a generator's text is kept and its run `aborted`. A
   * generator is told to `return()` as soon as the signal aborts; one that waits for something else at that time ends when
   * that does, and is given up after the run's grace (R8).
   */
  readonly run: (
    request: ProviderStartRequest,
    context: RunContext,
  ) => ProviderAnswer | ProviderUpdates | Promise<ProviderAnswer | ProviderUpdates>
  /**
   * Frees what the function keeps between runs, as a pool of connections. Contract: as `close` of a provider: called when the
   * service has closed, or the provider was unregistered, and its runs are gone; maybe more than once, and runs may follow.
   * @default nothing is kept
   */
  readonly close?: () => Promise<void> | void
}

/**
 * @throws SubagentError INVALID_PROVIDER
 *
 * @example
 * ```ts
 * const counter = defineProvider({
 *   name: 'counter',
 *   async *run(request, { signal }) {
 *     for await (const line of linesOf(request.prompt, { signal })) yield `${line}\n`
 *   },
 * })
 * ```
 */
export function defineProvider({ name, capabilities, inheritsParentContext, run, close }: DefineProviderOptions): SubagentProvider {
  if (typeof run !== 'function')
    throw new SubagentError('INVALID_PROVIDER', `defineProvider: run of ${JSON.stringify(name)} must be a function, got ${typeof run}.`)
  if (close !== undefined && typeof close !== 'function')
    throw new SubagentError('INVALID_PROVIDER', `defineProvider: close of ${JSON.stringify(name)} must be a function, got ${typeof close}.`)
  return {
    name,
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false, ...capabilities },
    ...(inheritsParentContext !== undefined && { inheritsParentContext }),
    ...(close && { close: async () => close() }),
    start: (request, context) => {
      // Called when start has returned, so that nothing it does comes before the run is announced.
      const result = Promise.resolve()
        .then(() => {
          context.signal.throwIfAborted()
          return run(request, context)
        })
        .then((given) => (isAsyncIterable(given) || isGenerator(given) ? follow(given, context) : resultOf(given)))
      return {
        result,
        // The linked signal is aborted by the engine before this is called.
        cancel: () => {},
        dispose: () => result.then(ignore, ignore),
      }
    },
  }
}

/** Yields that a generator which waits for nothing may make before others get their turn, a cancel among them. */
const yieldsATurn = 64

async function follow(updates: ProviderUpdates, { signal, update, logger }: RunContext): Promise<SubagentResult> {
  const text = new StreamedText()
  const aborted = (): SubagentResult => ({ output: text.blocks(), stopReason: 'aborted' })
  const iterator = isAsyncIterable(updates) ? updates[Symbol.asyncIterator]() : updates
  const end = async () => iterator.return?.()
  // Ends a wait for the next update, where the iterator knows how; a generator takes it up at its next yield.
  const stop = (): void => void end().catch(ignore)
  if (isAsyncIterable(updates)) signal.addEventListener('abort', stop, { once: true })
  try {
    for (let count = 1; !signal.aborted; count++) {
      const { done, value } = await iterator.next()
      if (done) return value === undefined ? (signal.aborted ? aborted() : completed(text.blocks())) : resultOf(value)
      const part = textOf(value)
      if (part) text.add(part.text, part.messageId)
      update(typeof value === 'string' ? { type: 'text', text: value } : value)
      if (count % yieldsATurn === 0) await new Promise<void>(inNextTurn)
    }
    const last = await end()
    return last?.done && last.value !== undefined ? resultOf(last.value) : aborted()
  } catch (thrown) {
    if (!signal.aborted) throw thrown
    if (thrown !== signal.reason && (thrown as { name?: unknown } | null | undefined)?.name !== 'AbortError')
      warn(logger, `A generator failed when it was cancelled: ${describeThrown(thrown)}`)
    return aborted()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The text of an update, where it has any; whether it is an update at all is told by whoever takes it. */
function textOf(update: ProviderYield): { text: string; messageId?: string } | undefined {
  if (typeof update === 'string') return { text: update }
  try {
    return update.type === 'text' && typeof update.text === 'string' ? update : undefined
  } catch {
    return undefined
  }
}

function isGenerator(value: unknown): value is Generator<ProviderYield, ProviderAnswer | void, unknown> {
  return Object.prototype.toString.call(value) === '[object Generator]'
}

function resultOf(answer: ProviderAnswer): SubagentResult {
  return typeof answer === 'string' ? completed(answer === '' ? [] : [{ type: 'text', text: answer }]) : answer
}

function completed(output: ContentBlock[]): SubagentResult {
  return { output, stopReason: 'completed' }
}

const ignore = (): void => {}

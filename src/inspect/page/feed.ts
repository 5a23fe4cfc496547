/**
 * What one viewer is sent, as the text of an event stream.
 *
 * Invariant: at most one batch of entries is on its way to a viewer and one waits; the next is fetched from the journal when the
 * viewer takes it. What a viewer is too slow for stays with the journal, or is dropped and counted there: a run never waits.
 */
import type { Clock } from '../../types.ts'
import type { Cleaner } from '../clean.ts'
import type { JournalEntry } from '../entries.ts'
import type { Layouts } from './layout/layouts.ts'
import type { PagePermissions } from './permissions.ts'
import type { PageMessages, PageMessageType, PagePermission } from './protocol.ts'
import type { PageSource } from './source.ts'

export interface FeedOptions {
  readonly source: PageSource
  readonly layouts: Layouts
  readonly permissions: PagePermissions | undefined
  readonly clean: Cleaner
  readonly clock: Clock
  /** Ends the feed after what is there. */
  readonly stop: AbortSignal
  /** The viewer is gone. */
  readonly gone: AbortSignal
  readonly onDropped: (count: number) => void
}

export async function* feed(options: FeedOptions): AsyncGenerator<string, void, undefined> {
  const { source, layouts, permissions, clean, clock, stop, gone, onDropped } = options
  /** Messages beside the entries: layouts, each once. */
  const beside: string[] = []
  let asked = permissions !== undefined && permissions.pending().length > 0
  let wake = () => {}
  const told = (change: () => void) => () => {
    change()
    wake()
  }
  const unsubscribe = permissions?.subscribe(told(() => (asked = true)))
  const signal = AbortSignal.any([stop, gone])
  const woken = () => wake()
  signal.addEventListener('abort', woken)
  const entries = source.read({ signal, onDropped })[Symbol.asyncIterator]()
  try {
    yield text('hello', { ...source.hello, now: clock.now(), canAnswer: permissions !== undefined })
    const fetch = () => {
      const step = entries.next()
      // It is looked at when the viewer has taken the one before it.
      step.catch(() => {})
      return step
    }
    let next = fetch()
    let reading = true
    let waiting = 0
    // Where the page closes, nobody waits for a drawing.
    while ((reading || beside.length > 0 || (waiting > 0 && !stop.aborted)) && !gone.aborted) {
      if (beside.length > 0) yield beside.shift()!
      else if (asked) {
        asked = false
        yield text('permissions', pendingOf(permissions!, clean))
      } else {
        const called = new Promise<undefined>((resolve) => (wake = () => resolve(undefined)))
        const step = await (reading ? Promise.race([next, called]) : called)
        if (!step) continue
        if (step.done) {
          reading = false
          continue
        }
        next = fetch()
        yield text('entries', step.value)
        for (const { chart, config } of chartsOf(step.value)) {
          waiting++
          void layouts.layoutOf(chart, config).then((layout) =>
            told(() => {
              waiting--
              if (layout) beside.push(text('layout', layout))
            })(),
          )
        }
      }
    }
    yield text('bye', {})
  } finally {
    unsubscribe?.()
    signal.removeEventListener('abort', woken)
    await entries.return?.()
  }
}

function text<Type extends PageMessageType>(type: Type, message: PageMessages[Type]): string {
  // JSON has no line breaks.
  return `event: ${type}\ndata: ${JSON.stringify(message)}\n\n`
}

function chartsOf(entries: readonly JournalEntry[]) {
  return entries.filter((entry) => entry.type === 'chart')
}

/** Who decides has to see what is asked; what is known for a secret, or looks like one, stays out of it all the same. */
function pendingOf(permissions: PagePermissions, clean: Cleaner): PagePermission[] {
  return permissions.pending().map(({ runId, request: { id, title, toolName, options } }) => ({
    runId,
    requestId: id,
    title: clean.text(title, 2000),
    ...(toolName !== undefined && { toolName: clean.text(toolName, 200) }),
    options: options.map(({ id, name, kind }) => ({ id, name: clean.text(name, 200), kind })),
  }))
}

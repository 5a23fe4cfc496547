/** The stream of the server, read in frames: what came is taken as long as a frame allows, and shown once. */
import type { JournalEntry } from '../../entries.ts'
import type { PageMessages, PageMessageType } from '../protocol.ts'
import { begin, connection, hello, history, isLive, layouts, now, questions, show, take, unread } from './store.ts'

/** Of a frame, for reading, in milliseconds: the rest is for drawing. */
const frameMs = 8
/** Entries between two looks at the clock. */
const slice = 200
/** Between two looks at what was read, while there is more to read. */
const catchUpMs = 200
/** Looking at many runs takes its time: so many of them cost a pause of a millisecond. */
const runsPerMs = 50
const tickMs = 250

export function follow(): void {
  const stream = new EventSource('events')
  let waiting: (readonly JournalEntry[])[] = []
  let isScheduled = false
  let isOver = false
  let shownAt = -Infinity
  /** Between the journal's clock and ours. */
  let offset = 0

  const on = <Type extends PageMessageType>(type: Type, take: (message: PageMessages[Type]) => void) =>
    stream.addEventListener(type, ({ data }: MessageEvent<string>) => take(JSON.parse(data) as PageMessages[Type]))

  const frame = () => {
    isScheduled = false
    const end = performance.now() + frameMs
    while (waiting.length > 0 && performance.now() < end) {
      const [first, ...others] = waiting
      take(first!.slice(0, slice))
      waiting = first!.length > slice ? [first!.slice(slice), ...others] : others
    }
    unread.value = waiting.reduce((sum, { length }) => sum + length, 0)
    const time = performance.now()
    const pause = waiting.length > 0 ? catchUpMs : history.state.runs.size / runsPerMs
    const isDue = time - shownAt >= pause
    if (isDue) {
      shownAt = time
      now.value = Date.now() - offset
      show()
    }
    if (waiting.length > 0) schedule()
    else if (!isDue) setTimeout(schedule, pause)
    else if (isOver) connection.value = 'ended'
  }
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    // A page that nobody sees gets no frames.
    if (document.hidden) setTimeout(frame, 100)
    else requestAnimationFrame(frame)
  }

  on('hello', (message) => {
    waiting = []
    offset = Date.now() - message.now
    begin(message)
  })
  on('entries', (entries) => {
    waiting.push(entries)
    schedule()
  })
  on('layout', (layout) => (layouts.value = new Map(layouts.value).set(layout.chart, layout)))
  on('permissions', (pending) => (questions.value = pending))
  on('bye', () => {
    // Else the browser would ask again.
    stream.close()
    isOver = true
    schedule()
  })
  stream.addEventListener('error', () => {
    if (isOver) return
    connection.value = hello.value ? 'lost' : 'connecting'
  })
  setInterval(() => {
    if (isLive.value && !document.hidden) now.value = Date.now() - offset
  }, tickMs)
}

export type Answered = 'taken' | 'gone' | 'unreachable'

export async function answer(runId: string, requestId: string, optionId: string): Promise<Answered> {
  try {
    const { status } = await fetch('answer', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ runId, requestId, optionId }),
    })
    return status === 204 ? 'taken' : 'gone'
  } catch {
    return 'unreachable'
  }
}

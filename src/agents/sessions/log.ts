/**
 * A session: the append-only log of one agent, or of several one after another (G7).
 *
 * Owns: numbering, freezing, the header, what of it is on disk already. Its neighbour, the turn loop, owns what is written
 * and when it has to be on disk.
 * Invariants: `seq === index`; every event is frozen JSON that nobody else holds a mutable part of; a face that was closed
 * writes nothing, whoever goes on with the session.
 */
import { SubagentError } from '../../errors.ts'
import { deepFreeze } from '../../run/copy.ts'
import { sharedGetters } from '../../run/shared-getters.ts'
import type { Clock, Session, SessionEvent, SessionHeader } from '../../types.ts'
import { toJson } from '../../run/json.ts'
import type { SessionStore } from './directory.ts'

type Unnumbered<TEvent> = TEvent extends SessionEvent ? Omit<TEvent, 'seq' | 'at'> : never
/** An event before the log has numbered and dated it. */
export type SessionEntry = Unnumbered<SessionEvent>

/** A session as its agent sees it. */
export interface SessionLog {
  /** The read-only face. Its `events` is a frozen array; read it again to see what came later. */
  readonly session: Session
  /** The live list, for readers inside this folder that keep a cursor into it. */
  readonly entries: readonly SessionEvent[]
  /** Number of the next turn, from 1. */
  nextTurn(): number
  /** Numbers, dates, freezes and keeps `entry`, whose parts have to be JSON that is not shared. */
  append(entry: SessionEntry): void
  /**
   * As `append`, for what may be there only if it is kept: it is on disk, with all before it, before it is in the log.
   * @throws SessionWriteError; then it is not in the log
   */
  commit(entry: SessionEntry): void
  /** Returns when all events are on disk, where the session is kept at all. @throws SessionWriteError; the next one tries again */
  save(): void
  /**
   * The same session for the next agent, which closes its own face; this one stays open until it is closed.
   * @throws SubagentError INVALID_REQUEST where all faces were closed and somebody else has taken the session since
   */
  handOn(): SessionLog
  /** Saves, and refuses what comes later; the last face lets the session go. @throws SessionWriteError */
  close(): void
}

export interface SessionLogOptions {
  readonly header: Omit<SessionHeader, 'version' | 'createdAt' | 'seedLength'>
  /** Copied in; `seq` has to run from 0 without gaps. */
  readonly seed?: readonly SessionEvent[]
  readonly clock: Clock
  /** Where it is kept. @default in memory alone */
  readonly store?: SessionStore
}

/** Events that a log of ours has frozen: a seed made of them is taken over without a copy. */
const frozenEvents = new WeakSet<SessionEvent>()

/** @throws SubagentError INVALID_REQUEST where the seed is no log */
export function createSessionLog({ header, seed = [], clock, store }: SessionLogOptions): SessionLog {
  const entries = seed.map(takeOver)
  const { length } = entries
  return openLog({ version: 1, createdAt: clock.now(), ...header, ...(length > 0 && { seedLength: length }) }, entries, clock, store)
}

/** The log of a session that was read from `store`, whose events become the log's own. */
export function reopenSessionLog(header: SessionHeader, events: SessionEvent[], clock: Clock, store: SessionStore): SessionLog {
  return openLog(deepFreeze(header), events.map(own), clock, store, events.length)
}

interface Shown {
  readonly entries: readonly SessionEvent[]
  /** Made when it is read, of the entries as they are then. */
  view: readonly SessionEvent[] | undefined
}

const withEvents = sharedGetters<Shown, Pick<Session, 'events'>>({
  events: (shown) => (shown.view ??= Object.freeze(shown.entries.slice())),
})

/** @param saved number of events that are on disk, with the header; undefined where there is nothing of it */
function openLog(
  header: SessionHeader,
  entries: SessionEvent[],
  clock: Clock,
  store: SessionStore | undefined,
  saved?: number,
): SessionLog {
  let turns = entries.reduce((highest, event) => (event.type === 'turn/start' ? Math.max(highest, event.turn) : highest), 0)
  const shown: Shown = { entries, view: undefined }
  let faces = 0
  const session: Session = Object.freeze(withEvents({ header: Object.freeze(header) }, shown))
  const save = (last?: SessionEvent): void => {
    const from = saved ?? 0
    if (!store || (from === entries.length && !last)) return
    let lines = saved === undefined ? line(header) : ''
    for (let index = from; index < entries.length; index++) lines += line(entries[index]!)
    if (last) lines += line(last)
    store.append(lines, (last ?? entries.at(-1))?.type === 'turn/end')
    saved = entries.length + (last ? 1 : 0)
  }
  const number = (entry: SessionEntry) => own({ seq: entries.length, at: clock.now(), ...entry } as SessionEvent)
  const keep = (event: SessionEvent): void => {
    entries.push(event)
    shown.view = undefined
  }

  const createFace = (): SessionLog => {
    let closed = false
    const checkOpen = () => {
      if (closed) throw new Error(`Session ${header.id} is closed.`)
    }
    faces++
    return {
      session,
      entries,
      nextTurn: () => ++turns,
      append(entry) {
        checkOpen()
        keep(number(entry))
      },
      commit(entry) {
        checkOpen()
        const event = number(entry)
        save(event)
        keep(event)
      },
      save: () => save(),
      handOn() {
        if (faces === 0) store?.reopen()
        return createFace()
      },
      close() {
        if (closed) return
        closed = true
        try {
          // Where nothing happened but what was inherited, nothing is left behind.
          if (saved !== undefined || entries.length > (header.seedLength ?? 0)) save()
        } finally {
          if (--faces === 0) store?.close()
        }
      },
    }
  }
  return createFace()
}

const line = (value: SessionHeader | SessionEvent): string => `${JSON.stringify(value)}\n`

function own(event: SessionEvent): SessionEvent {
  deepFreeze(event)
  frozenEvents.add(event)
  return event
}

function takeOver(event: SessionEvent, index: number): SessionEvent {
  if (typeof event !== 'object' || event === null || event.seq !== index)
    throw new SubagentError(
      'INVALID_REQUEST',
      `seed must be session events whose seq runs from 0 without gaps; the one at index ${index} has seq ${String(event?.seq)}.`,
    )
  if (frozenEvents.has(event)) return event
  return own(toJson(event) as unknown as SessionEvent)
}

/**
 * A session: the append-only log of one agent, or of several one after another (G7).
 *
 * Owns: numbering, freezing, the header. Its neighbour, the turn loop, owns what is written and when.
 * Invariants: `seq === index`; every event is frozen JSON that nobody else holds a mutable part of; a face that was closed
 * writes nothing, whoever goes on with the session.
 */
import { SubagentError } from '../../errors.ts'
import { deepFreeze } from '../../run/copy.ts'
import type { Clock, Session, SessionEvent, SessionHeader } from '../../types.ts'
import { toJson } from '../json.ts'

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
  append(entry: SessionEntry): SessionEvent
  /** The same session for the next agent, which closes its own face; this one stays open until it is closed. */
  handOn(): SessionLog
  /** Refuses what comes later. */
  close(): void
}

export interface SessionLogOptions {
  readonly header: Omit<SessionHeader, 'version' | 'createdAt' | 'seedLength'>
  /** Copied in; `seq` has to run from 0 without gaps. */
  readonly seed?: readonly SessionEvent[]
  readonly clock: Clock
}

/** Events that a log of ours has frozen: a seed made of them is taken over without a copy. */
const frozenEvents = new WeakSet<SessionEvent>()

/** @throws SubagentError INVALID_REQUEST where the seed is no log */
export function createSessionLog({ header, seed = [], clock }: SessionLogOptions): SessionLog {
  const entries = seed.map(takeOver)
  let turns = entries.reduce((highest, event) => (event.type === 'turn/start' ? Math.max(highest, event.turn) : highest), 0)
  let view: readonly SessionEvent[] | undefined
  const session: Session = Object.freeze({
    header: Object.freeze<SessionHeader>({
      version: 1,
      createdAt: clock.now(),
      ...header,
      ...(entries.length > 0 && { seedLength: entries.length }),
    }),
    get events() {
      return (view ??= Object.freeze(entries.slice()))
    },
  })
  const createFace = (): SessionLog => {
    let closed = false
    return {
      session,
      entries,
      nextTurn: () => ++turns,
      append(entry) {
        if (closed) throw new Error(`Session ${header.id} is closed.`)
        const event = deepFreeze({ seq: entries.length, at: clock.now(), ...entry } as SessionEvent)
        frozenEvents.add(event)
        entries.push(event)
        view = undefined
        return event
      },
      handOn: createFace,
      close() {
        closed = true
      },
    }
  }
  return createFace()
}

function takeOver(event: SessionEvent, index: number): SessionEvent {
  if (typeof event !== 'object' || event === null || event.seq !== index)
    throw new SubagentError(
      'INVALID_REQUEST',
      `seed must be session events whose seq runs from 0 without gaps; the one at index ${index} has seq ${String(event?.seq)}.`,
    )
  if (frozenEvents.has(event)) return event
  const taken = deepFreeze(toJson(event)) as unknown as SessionEvent
  frozenEvents.add(taken)
  return taken
}

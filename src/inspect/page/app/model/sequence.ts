/** Who sent what to whom, around one run. */
import { stateName } from '../../../state.ts'
import type { JournalEntry } from '../../../entries.ts'

export interface Message {
  readonly seq: number
  readonly at: number
  readonly event: string
  /** An actor; undefined for what came from outside. */
  readonly from: string | undefined
  readonly to: string
  /** The state that it led to, where that is another one. */
  readonly state?: string
  readonly code?: string
}

export interface Sequence {
  /** `undefined` is outside, and the first where it takes part; the others as they appeared. */
  readonly actors: readonly (string | undefined)[]
  readonly messages: readonly Message[]
}

/** @param entries of all actors that work for the run, in order */
export function sequenceOf(entries: readonly JournalEntry[]): Sequence {
  const messages: Message[] = []
  const states = new Map<string, string>()
  /** Messages whose effect is not told yet: one that an actor gets while it takes another waits its turn. */
  const open = new Map<string, number[]>()
  for (const entry of entries) {
    if (entry.type === 'actor') states.set(entry.actor, stateName(entry.value))
    else if (entry.type === 'event') {
      const { seq, at, event, source, actor, code } = entry
      open.set(actor, [...(open.get(actor) ?? []), messages.length])
      messages.push({ seq, at, event, from: source, to: actor, ...(code !== undefined && { code }) })
    } else if (entry.type === 'snapshot') {
      const waiting = open.get(entry.actor) ?? []
      const place = waiting.findIndex((index) => messages[index]!.event === entry.event)
      const index = waiting[place]
      open.set(entry.actor, waiting.slice(place + 1))
      const state = stateName(entry.value)
      if (state === '' || state === states.get(entry.actor)) continue
      states.set(entry.actor, state)
      if (index !== undefined) messages[index] = { ...messages[index]!, state }
    }
  }
  const actors = new Set(messages.flatMap(({ from, to }) => [from, to]))
  const outside = actors.delete(undefined)
  return { actors: [...(outside ? [undefined] : []), ...actors], messages }
}

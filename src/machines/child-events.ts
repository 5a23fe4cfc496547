/**
 * Events that XState makes: their types hold the id of an actor, `xstate.error.actor.<id>`. A machine remembers for life what
 * each type that it was ever asked about does, so that a machine of many actors, with children of ever new ids, must not be
 * asked about each.
 */
import type { EventObject } from 'xstate'

const childError = 'xstate.error.actor.'

/**
 * The event as a machine may be asked about it that takes no other of XState's events: under a type that does not vary.
 *
 * @returns undefined for one that moves nothing in such a machine
 */
export function ownEventOfXState(event: EventObject): EventObject | undefined {
  // Anybody may send anything; an actor whose transition throws is lost, and with it what waits for its end.
  const type: unknown = event.type
  if (typeof type !== 'string') return undefined
  if (type === 'xstate.init' || type === 'xstate.stop') return event
  return type.startsWith(childError) ? { ...event, type: `${childError}child` } : undefined
}

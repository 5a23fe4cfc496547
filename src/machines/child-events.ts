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
  const { type } = event
  if (type === 'xstate.init' || type === 'xstate.stop') return event
  return type.startsWith(childError) ? { ...event, type: `${childError}child` } : undefined
}

/**
 * Entries of a journal as messages of `@statelyai/inspect`, one each at the most, made at once and not from a timer.
 *
 * The inspector's own converter is not fed: it reads live snapshots, calls sanitizers with `undefined`, and dies of a `toJSON`
 * that throws. It is told by hand, of what the journal has sanitised already.
 */
import type { createInspector } from '@statelyai/inspect'
import type { Chart, JournalEntry, JournalEntryOf } from '../entries.ts'

export type CreateInspector = typeof createInspector
export type StatelyMessage = Parameters<Parameters<CreateInspector>[0]['send']>[0]

interface Actor {
  readonly sessionId: string
  /** What the inspector reads of an actor: its chart and its parent. */
  readonly logic?: { readonly config: Chart }
  readonly _parent?: Actor
  readonly name: string
}

export class StatelyMessages {
  readonly #charts = new Map<string, Chart>()
  readonly #live = new Map<string, Actor>()
  readonly #inspector: ReturnType<CreateInspector>
  #root: string | undefined

  constructor(create: CreateInspector, send: (message: StatelyMessage) => void) {
    // As it makes them, every actor of one chart has one name, and only actors know their root.
    const named = (message: StatelyMessage) => {
      const name = message.type === '@xstate.actor' ? { name: this.#live.get(message.sessionId)?.name ?? message.name } : {}
      send({ ...message, ...name, rootId: this.#root } as StatelyMessage)
    }
    this.#inspector = create({ send: named })
  }

  take(entry: JournalEntry): void {
    if (entry.type === 'chart') this.#charts.set(entry.chart, entry.config)
    else if (entry.type === 'actor') this.#actor(entry)
    else if (entry.type === 'event' || entry.type === 'snapshot') {
      // Of an actor that it does not know the inspector can show nothing.
      const actor = this.#live.get(entry.actor)
      if (!actor) return
      if (entry.type === 'event') this.#event(actor, entry)
      else this.#snapshot(actor, entry)
    }
  }

  #actor({ actor: sessionId, parent, kind, name, label, chart, status, value }: JournalEntryOf<'actor'>): void {
    if (kind === 'registry') this.#root = sessionId
    const config = chart === undefined ? undefined : this.#charts.get(chart)
    const above = parent === undefined ? undefined : this.#live.get(parent)
    const shown = kind === 'registry' ? kind : label === undefined ? name : `${label} (${name})`
    const actor: Actor = { sessionId, name: shown, ...(config && { logic: { config } }), ...(above && { _parent: above }) }
    this.#live.set(sessionId, actor)
    this.#inspector.actor(actor as never, { status, ...(value !== undefined && { value }) })
  }

  #event(actor: Actor, { event, source, data }: JournalEntryOf<'event'>): void {
    this.#inspector.event(actor.sessionId, { ...(data as object | undefined), type: event }, source === undefined ? {} : { source })
  }

  #snapshot(actor: Actor, { event, status, value }: JournalEntryOf<'snapshot'>): void {
    this.#inspector.snapshot(actor.sessionId, { status, ...(value !== undefined && { value }) }, { event: { type: event } })
    if (status !== 'active') this.#live.delete(actor.sessionId)
  }
}

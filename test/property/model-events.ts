/**
 * Who hears what, as the model has it: listeners, and the providers whose coming they can refuse (S1–S5, S17–S19).
 */
import type { Action, ListenerType, Manners } from './actions.ts'
import type { ModelRun } from './model-run.ts'

export interface ModelListener {
  readonly type: ListenerType
  readonly manners: Manners
  readonly first: Action | undefined
  listening: boolean
  readonly log: string[]
}

export class ModelEvents {
  readonly listeners: ModelListener[] = []
  /** Names in the order of registration, with the number of the registration. */
  readonly providers = new Map<string, number>()
  registrations = 0
  readonly #disposers = new Set<number>()
  readonly #first: (listener: number, action: Action) => void

  /** @param first what a listener does inside the first event that it hears */
  constructor(first: (listener: number, action: Action) => void) {
    this.#first = first
  }

  listen({ type, manners, first }: Extract<Action, { do: 'listen' }>): void {
    this.listeners.push({ type, manners, first, listening: true, log: [] })
  }

  /** A provider comes, unless a listener throws: the first that does is the last that hears. */
  register(name: string): 'registered' | 'refused' | 'DUPLICATE_PROVIDER' {
    if (this.providers.has(name)) return 'DUPLICATE_PROVIDER'
    const registration = this.registrations++
    this.providers.set(name, registration)
    let heard = 0
    for (const index of this.#hearing('subagent/provider-added')) {
      this.#hear(index, `added ${name}`)
      const { manners } = this.listeners[index]!
      if (manners === 'throws' || manners === 'odd') {
        if (this.providers.get(name) === registration) {
          this.providers.delete(name)
          if (heard > 0) this.#tell('subagent/provider-removed', `removed ${name}`)
        }
        return 'refused'
      }
      heard++
    }
    this.#disposers.add(registration)
    return 'registered'
  }

  unregister(name: string): void {
    if (this.providers.delete(name)) this.#tell('subagent/provider-removed', `removed ${name}`)
  }

  /** Calls the disposer of a registration; there is none where it was refused or is not through. */
  undo(registration: number): void {
    const name = [...this.providers].find(([, each]) => each === registration)?.[0]
    if (name !== undefined && this.#disposers.has(registration)) this.unregister(name)
  }

  /** An event of a run that is being told of another waits for its turn (S8). */
  announce(run: ModelRun, line: string): void {
    if (run.telling) return void run.telling.push(line)
    run.telling = []
    for (let next: string | undefined = line; next !== undefined; next = run.telling.shift())
      this.#tell(`subagent/${next.split(' ')[0]!}`, next)
    run.telling = undefined
  }

  #tell(type: string, line: string): void {
    for (const index of this.#hearing(type)) this.#hear(index, line)
  }

  /** Who listens now: those of the type before those of all. */
  #hearing(type: string): number[] {
    const of = (wanted: string): number[] =>
      [...this.listeners.keys()].filter((index) => this.listeners[index]!.listening && this.listeners[index]!.type === wanted)
    return [...of(type), ...of('*')]
  }

  #hear(index: number, line: string): void {
    const { log, first } = this.listeners[index]!
    log.push(line)
    if (first && log.length === 1) this.#first(index, first)
  }
}

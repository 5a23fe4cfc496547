/**
 * Machines as charts: of a config only what is drawn is taken. An initial context, the parameters of an action and the input
 * of an invoked actor may hold anything, and stay at home.
 */
import type { Chart, ChartState, ChartTransition, EntryDraft } from './entries.ts'

/** A journal holds so many charts, each of so many characters: whoever makes a machine a request must not fill it. */
const mostCharts = 100
const longestChart = 200_000

type Config = { readonly [field: string]: unknown }

export class Charts {
  readonly #keys = new WeakMap<object, string | undefined>()
  readonly #keysByJson = new Map<string, string>()
  readonly #emit: (entry: EntryDraft) => void

  /** @param emit hears of each chart once, before its first actor */
  constructor(emit: (entry: EntryDraft) => void) {
    this.#emit = emit
  }

  /** The key of the chart that an actor's logic follows; undefined where it has none. */
  keyOf(config: unknown): string | undefined {
    if (typeof config !== 'object' || config === null) return undefined
    if (!this.#keys.has(config)) this.#keys.set(config, this.#take(config as Config))
    return this.#keys.get(config)
  }

  #take(config: Config): string | undefined {
    if (typeof config['states'] !== 'object') return undefined
    const chart: Chart = { id: nameOf(config['id']), ...stateOf(config, 0) }
    const json = JSON.stringify(chart)
    const known = this.#keysByJson.get(json)
    if (known !== undefined) return known
    if (this.#keysByJson.size >= mostCharts || json.length > longestChart) return undefined
    const taken = new Set(this.#keysByJson.values())
    let key = chart.id
    for (let number = 2; taken.has(key); number++) key = `${chart.id}#${number}`
    this.#keysByJson.set(json, key)
    this.#emit({ type: 'chart', chart: key, config: chart })
    return key
  }
}

const types = ['atomic', 'compound', 'parallel', 'final', 'history'] as const

function stateOf(config: Config, depth: number): ChartState {
  const type = types.find((each) => each === config['type'])
  const states = Object.entries((config['states'] as { [name: string]: Config } | undefined) ?? {})
  return {
    ...(type && { type }),
    ...(typeof config['initial'] === 'string' && { initial: config['initial'] }),
    ...(typeof config['description'] === 'string' && { description: config['description'] }),
    ...some('entry', namesOf(config['entry'])),
    ...some('exit', namesOf(config['exit'])),
    ...some('invoke', listOf(config['invoke']).map(invocationOf)),
    ...edgesOf('on', config['on']),
    ...edgesOf('after', config['after']),
    ...some('always', listOf(config['always']).map(transitionOf)),
    // A chart that holds itself has no end.
    ...(states.length > 0 &&
      depth < 20 && { states: Object.fromEntries(states.map(([name, inner]) => [name, stateOf(inner, depth + 1)])) }),
  }
}

function edgesOf(field: 'on' | 'after', edges: unknown): Partial<ChartState> {
  if (typeof edges !== 'object' || edges === null) return {}
  return { [field]: Object.fromEntries(Object.entries(edges).map(([name, edge]) => [name, listOf(edge).map(transitionOf)])) }
}

function transitionOf(edge: unknown): ChartTransition {
  if (typeof edge === 'string') return { target: [edge] }
  const { target, actions, guard } = (edge ?? {}) as Config
  const targets = listOf(target).filter((each) => typeof each === 'string')
  return { ...some('target', targets), ...some('actions', namesOf(actions)), ...(guard !== undefined && { guard: nameOf(guard) }) }
}

function invocationOf(invoke: unknown): { src: string; id?: string } {
  if (typeof invoke === 'string') return { src: invoke }
  const { src, id } = (invoke ?? {}) as Config
  return { src: typeof src === 'string' ? src : 'inline', ...(typeof id === 'string' && { id }) }
}

function some<Field extends string, Item>(field: Field, list: readonly Item[]): { readonly [Name in Field]?: readonly Item[] } {
  return list.length > 0 ? ({ [field]: list } as { [Name in Field]: readonly Item[] }) : {}
}

const listOf = (value: unknown): readonly unknown[] => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value])
const namesOf = (actions: unknown): string[] => listOf(actions).map(nameOf)

function nameOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'function') return value.name || 'inline'
  const type = typeof value === 'object' && value !== null ? (value as { type?: unknown }).type : undefined
  return typeof type === 'string' ? type : 'inline'
}

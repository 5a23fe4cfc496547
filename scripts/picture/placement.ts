/**
 * Where the parts of the run machine stand in its picture. What there is to draw comes from the machine; this only says
 * where, and whatever the machine has and this has not, or the other way round, is an error.
 *
 * Two rows, read like a snake: from validating to running, then back from settling to disposed.
 */
import { arrowsOf } from '../../src/graph/arrows.ts'
import { flatten } from '../../src/graph/chart.ts'
import type { Chart } from '../../src/graph/chart.ts'

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Box extends Point {
  readonly width: number
  readonly height: number
}

/** The middle of the words. */
export interface LabelPlace extends Point {
  /** The line stops for them. */
  readonly onLine?: boolean
  /** One under the other, `apart` with the line between them. */
  readonly stacked?: boolean
  readonly apart?: boolean
}

export interface Route {
  readonly points: readonly Point[]
  /** Where its words go; `'shared'` where the route joins another that leads to the same state by the same events. */
  readonly label: LabelPlace | 'shared'
  /** The way of a run that nobody disturbs. */
  readonly main?: boolean
}

export interface Placement {
  readonly width: number
  readonly height: number
  readonly states: Readonly<Record<string, Box>>
  /** By the state that is entered first; its arrow starts with a dot. */
  readonly starts: Readonly<Record<string, readonly Point[]>>
  /** By `from → to`. */
  readonly routes: Readonly<Record<string, Route>>
}

const box = (x: number, y: number, width: number, height = 36): Box => ({ x, y, width, height })
const line = (...coordinates: readonly [number, number][]): Point[] => coordinates.map(([x, y]) => ({ x, y }))
const at = (x: number, y: number, how: Omit<LabelPlace, keyof Point> = {}): LabelPlace => ({ x, y, ...how })
const on = (x: number, y: number, how: Omit<LabelPlace, keyof Point> = {}): LabelPlace => at(x, y, { onLine: true, ...how })

export const runPlacement: Placement = {
  width: 900,
  height: 384,
  states: {
    validating: box(8, 36, 288, 104),
    'validating.checking': box(60, 84, 88),
    'validating.queued': box(204, 84, 76),
    starting: box(358, 60, 112, 64),
    running: box(532, 36, 360, 104),
    'running.active': box(582, 84, 70),
    'running.awaitingPermission': box(720, 84, 160),
    settling: box(232, 272, 534, 104),
    'settling.draining': box(614, 320, 96),
    'settling.held': box(388, 320, 68),
    'settling.releasing': box(247, 320, 84),
    disposed: box(46, 320, 88),
  },
  starts: {
    validating: line([30, 10], [30, 36]),
    'validating.checking': line([30, 102], [60, 102]),
    'running.active': line([552, 102], [582, 102]),
    'settling.draining': line([740, 338], [710, 338]),
  },
  routes: {
    'validating.checking → starting': { points: line([118, 84], [118, 72], [358, 72]), label: at(327, 63), main: true },
    'validating.checking → validating.queued': { points: line([148, 102], [204, 102]), label: at(175, 93) },
    'validating.checking → disposed': { points: line([74, 120], [74, 320]), label: on(74, 222) },
    'validating.checking → settling.held': { points: line([134, 120], [134, 176], [402, 176], [402, 320]), label: at(306, 167) },
    'validating.queued → starting': { points: line([280, 102], [358, 102]), label: at(327, 93) },
    'validating.queued → settling.held': { points: line([226, 120], [226, 176], [238, 176]), label: 'shared' },
    'starting → disposed': { points: line([376, 124], [376, 220], [108, 220], [108, 320]), label: at(306, 211) },
    'starting → running': { points: line([470, 96], [532, 96]), label: at(498, 87), main: true },
    'starting → settling.held': { points: line([422, 124], [422, 320]), label: on(422, 150, { stacked: true }) },
    'starting → settling.draining': { points: line([456, 124], [456, 248], [626, 248], [626, 320]), label: at(543, 239) },
    'running → settling.held': { points: line([560, 140], [560, 204], [442, 204], [442, 320]), label: at(509, 195), main: true },
    'running → settling.draining': { points: line([694, 140], [694, 320]), label: on(694, 176) },
    'running.active → settling.draining': { points: line([642, 120], [642, 320]), label: on(642, 176) },
    'running.active → running.awaitingPermission': { points: line([652, 95], [720, 95]), label: at(686, 86) },
    'running.awaitingPermission → running.active': { points: line([720, 109], [652, 109]), label: at(690, 119) },
    'settling.draining → settling.held': { points: line([614, 338], [456, 338]), label: at(537, 329) },
    'settling.held → settling.releasing': { points: line([388, 338], [331, 338]), label: at(360, 329), main: true },
    'settling.releasing → disposed': {
      points: line([247, 338], [134, 338]),
      label: at(184, 338, { stacked: true, apart: true }),
      main: true,
    },
  },
}

/** What has no place, and what has one for nothing: a sentence each. */
export function placementProblems(chart: Chart, { states, starts, routes }: Placement): string[] {
  const all = flatten(chart.states)
  const events = new Map(arrowsOf(chart).map(({ from, to, events: names }) => [`${from} → ${to}`, names.join(' ')]))
  const shared = Object.entries(routes).filter(([, { label }]) => label === 'shared')
  return [
    ...differences(
      'state',
      all.map(({ id }) => id),
      Object.keys(states),
    ),
    ...differences('start', [chart.initial, ...all.flatMap(({ initial }) => initial ?? [])], Object.keys(starts)),
    ...differences('arrow', [...events.keys()], Object.keys(routes)),
    ...shared.flatMap(([name]) => {
      const to = name.slice(name.indexOf('→'))
      const joined = Object.keys(routes).some(
        (other) => other !== name && other.endsWith(to) && routes[other]!.label !== 'shared' && events.get(other) === events.get(name),
      )
      return joined ? [] : [`The arrow ${name} shares a label with no other.`]
    }),
  ]
}

function differences(kind: string, wanted: readonly string[], given: readonly string[]): string[] {
  return [
    ...wanted.filter((name) => !given.includes(name)).map((name) => `The ${kind} ${name} has no place in the picture.`),
    ...given
      .filter((name) => !wanted.includes(name))
      .map((name) => `The picture has a place for the ${kind} ${name}, which the machine has not.`),
  ]
}

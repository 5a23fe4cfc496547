/** A chart at its places as an SVG that follows the reader's theme and brings no font. */
import { arrowsOf } from '../../src/graph/arrows.ts'
import type { Arrow } from '../../src/graph/arrows.ts'
import { flatten } from '../../src/graph/chart.ts'
import type { Chart, ChartState } from '../../src/graph/chart.ts'
import type { Box, LabelPlace, Placement, Point, Route } from './placement.ts'
import { placementProblems } from './placement.ts'

const stateFont = 14
const labelFont = 12
const labelLine = 15
const corner = 8

const style = `
  text { font-family: -apple-system, BlinkMacSystemFont, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif; text-anchor: middle; }
  .name { fill: #1f2328; font-size: ${stateFont}px; font-weight: 600; }
  .group { fill: #59636e; font-size: ${stateFont}px; font-weight: 600; text-anchor: start; }
  .event { fill: #0550ae; font-size: ${labelFont}px; }
  .state { fill: #ffffff; stroke: #59636e; stroke-width: 1.25; }
  .compound { fill: #818b981a; stroke: #818b98; stroke-width: 1; }
  .arrow { fill: none; stroke: #818b98; stroke-width: 1.25; }
  .main { stroke: #1f2328; stroke-width: 1.75; }
  .dot, .head { fill: #818b98; }
  .main-head { fill: #1f2328; }
  @media (prefers-color-scheme: dark) {
    .name { fill: #f0f6fc; }
    .group { fill: #9198a1; }
    .event { fill: #79c0ff; }
    .state { fill: #151b23; stroke: #9198a1; }
    .compound { fill: #9198a114; stroke: #656c76; }
    .arrow { stroke: #7d8590; }
    .main { stroke: #f0f6fc; }
    .dot, .head { fill: #7d8590; }
    .main-head { fill: #f0f6fc; }
  }
`

/** @throws Error naming what of the chart has no place */
export function toSvg(chart: Chart, placement: Placement, title: string): string {
  const problems = placementProblems(chart, placement)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const { width, height, states, starts, routes } = placement
  const all = flatten(chart.states)
  const arrows = arrowsOf(chart).map((arrow) => ({ arrow, route: routes[`${arrow.from} → ${arrow.to}`]! }))
  const labels = arrows.flatMap(({ arrow, route }) => labelOf(arrow, route) ?? [])
  const body = [
    ...all.filter(({ type }) => type === 'compound').map((state) => drawCompound(state, states[state.id]!)),
    // The lines stop short of the words that lie on them.
    '<g mask="url(#words)">',
    ...arrows.map(({ route }) => drawRoute(route)),
    ...Object.values(starts).map((points) => drawArrow(points, 'head')),
    '</g>',
    ...Object.values(starts).map(([point]) => `<circle class="dot" cx="${point!.x}" cy="${point!.y}" r="5"/>`),
    ...all.filter(({ type }) => type !== 'compound').map((state) => drawState(state, states[state.id]!)),
    ...labels.map(drawLabel),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">${escape(title)}</title>
<style>${style}</style>
<defs>
${marker('head')}
${marker('main-head')}
<mask id="words" maskUnits="userSpaceOnUse" x="0" y="0" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="#fff"/>${labels
    .filter(({ place }) => place.onLine)
    .map(drawGap)
    .join('')}</mask>
</defs>
${body.join('\n')}
</svg>
`
}

const marker = (name: string): string =>
  `<marker id="${name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="${name}" d="M0 0.5 8 4 0 7.5Z"/></marker>`

function drawCompound({ key }: ChartState, box: Box): string {
  return `<rect class="compound" ${attributes(box)} rx="10"/><text class="group" x="${box.x + 14}" y="${box.y + 22}">${escape(key)}</text>`
}

function drawState({ key, type }: ChartState, box: Box): string {
  const inner: Box = { x: box.x + 3, y: box.y + 3, width: box.width - 6, height: box.height - 6 }
  const rim = type === 'final' ? `<rect class="state" ${attributes(inner)} rx="6"/>` : ''
  return `<rect class="state" ${attributes(box)} rx="9"/>${rim}<text class="name" x="${box.x + box.width / 2}" y="${box.y + box.height / 2 + stateFont * 0.35}">${escape(key)}</text>`
}

function drawRoute({ points, label, main }: Route): string {
  // One that joins another ends on its line, without a head of its own.
  if (label === 'shared') return drawArrow(points)
  return main ? drawArrow(points, 'main-head', 'arrow main') : drawArrow(points, 'head')
}

function drawArrow(points: readonly Point[], head?: string, name = 'arrow'): string {
  return `<path class="${name}"${head ? ` marker-end="url(#${head})"` : ''} d="${rounded(points)}"/>`
}

interface Label {
  readonly place: LabelPlace
  readonly lines: readonly string[]
}

function labelOf({ events }: Arrow, { label }: Route): Label | undefined {
  if (label === 'shared') return undefined
  return { place: label, lines: label.stacked ? events : [events.join(' | ')] }
}

function drawLabel({ place: { x, y, apart }, lines }: Label): string {
  const lineHeight = apart ? labelLine * 1.4 : labelLine
  const top = y - ((lines.length - 1) * lineHeight) / 2 + labelFont * 0.35
  return `<text class="event">${lines.map((line, index) => `<tspan x="${x}" y="${round(top + index * lineHeight)}">${escape(line)}</tspan>`).join('')}</text>`
}

function drawGap({ place: { x, y }, lines }: Label): string {
  const width = Math.max(...lines.map((line) => line.length)) * labelFont * 0.55 + 6
  const height = lines.length * labelLine + 2
  return `<rect ${attributes({ x: x - width / 2, y: y - height / 2, width, height })} fill="#000"/>`
}

/** A path whose corners are rounded as far as the pieces beside them allow. */
function rounded(points: readonly Point[]): string {
  const [first, ...rest] = points as [Point, ...Point[]]
  let path = `M${first.x} ${first.y}`
  for (const [index, point] of rest.entries()) {
    const [before, after] = [points[index]!, points[index + 2]]
    if (!after) return `${path}L${point.x} ${point.y}`
    const radius = Math.min(corner, distance(before, point) / 2, distance(point, after) / 2)
    const [enter, leave] = [towards(point, before, radius), towards(point, after, radius)]
    path += `L${enter.x} ${enter.y}Q${point.x} ${point.y} ${leave.x} ${leave.y}`
  }
  return path
}

const distance = (a: Point, b: Point): number => Math.hypot(b.x - a.x, b.y - a.y)

function towards(from: Point, to: Point, length: number): Point {
  const part = length / (distance(from, to) || 1)
  return { x: round(from.x + (to.x - from.x) * part), y: round(from.y + (to.y - from.y) * part) }
}

const attributes = ({ x, y, width, height }: Box): string =>
  `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`
const round = (value: number): number => Math.round(value * 10) / 10
const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

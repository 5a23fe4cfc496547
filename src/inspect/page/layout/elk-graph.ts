/** A chart as a graph for ELK, and ELK's answer as a layout. Text is set in a font of one width, so that its size is known. */
import type { ElkEdgeSection, ElkExtendedEdge, ElkNode } from 'elkjs'
import type { Chart } from '../../entries.ts'
import type { ChartLayout, PlacedEdge, PlacedState } from '../protocol.ts'
import { arrowsOf, statesOf } from './arrows.ts'
import type { ChartArrow, FlatState } from './arrows.ts'

/** Of a character, in pixels, at the sizes that the page draws names and events with: 13 px and 11 px. */
const nameWidth = 7.85
const eventWidth = 6.65
const eventLine = 14

const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]',
  'elk.spacing.nodeNode': '16',
  'elk.spacing.edgeNode': '10',
  'elk.spacing.edgeEdge': '8',
  'elk.spacing.edgeLabel': '2',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  // Half as wide as with labels in the middle of their arrows.
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'SPACE_EFFICIENT_LAYER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
}
const inside = { 'elk.padding': '[top=40,left=14,bottom=14,right=14]' }

export function graphOf(chart: Chart): ElkNode {
  const states = statesOf(chart)
  const node = (state: FlatState): ElkNode => {
    const children = states.filter(({ parent }) => parent === state.id).map(node)
    if (children.length > 0) return { id: state.id, layoutOptions: inside, children }
    return { id: state.id, width: Math.max(72, Math.ceil(state.name.length * nameWidth) + 28), height: 34 }
  }
  return {
    // No state has an empty name.
    id: '',
    layoutOptions: options,
    children: states.filter(({ parent }) => parent === '').map(node),
    edges: arrowsOf(chart).map((arrow, index) => ({
      id: `arrow ${index}`,
      sources: [arrow.from],
      targets: [arrow.to],
      labels: [
        {
          text: arrow.events.join('\n'),
          width: Math.ceil(Math.max(...arrow.events.map(({ length }) => length)) * eventWidth) + 8,
          height: arrow.events.length * eventLine + 4,
        },
      ],
    })),
  }
}

/** @param placed what ELK made of `graphOf(chart)` */
export function layoutOf(key: string, chart: Chart, placed: ElkNode): ChartLayout {
  const nodes = new Map([...flatten(placed)].map((node) => [node.id, node]))
  const states = statesOf(chart).map(({ id, name, type, isInitial }): PlacedState => {
    const { x = 0, y = 0, width = 0, height = 0 } = nodes.get(id) ?? {}
    return { id, name, type, isInitial, x: round(x), y: round(y), width: round(width), height: round(height) }
  })
  const routes = new Map((placed.edges ?? []).map((edge) => [edge.id, edge]))
  const edges = arrowsOf(chart).map((arrow, index) => edgeOf(arrow, routes.get(`arrow ${index}`)))
  return { chart: key, width: Math.ceil(placed.width ?? 0), height: Math.ceil(placed.height ?? 0), states, edges }
}

function edgeOf({ from, to, events }: ChartArrow, route: ElkExtendedEdge | undefined): PlacedEdge {
  const { x, y, width = 0, height = 0 } = route?.labels?.[0] ?? {}
  const label = x === undefined || y === undefined ? undefined : { x: round(x), y: round(y), width, height }
  return { from, to, events, points: (route?.sections ?? []).flatMap(pointsOf), ...(label && { label }) }
}

function pointsOf({ startPoint, bendPoints = [], endPoint }: ElkEdgeSection): (readonly [number, number])[] {
  return [startPoint, ...bendPoints, endPoint].map(({ x, y }) => [round(x), round(y)] as const)
}

function* flatten(node: ElkNode): Generator<ElkNode> {
  yield node
  for (const child of node.children ?? []) yield* flatten(child)
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10

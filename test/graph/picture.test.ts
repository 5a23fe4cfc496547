import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { drawRunMachine } from '../../scripts/picture/run-machine.ts'
import { placementProblems, runPlacement } from '../../scripts/picture/placement.ts'
import { toSvg } from '../../scripts/picture/svg.ts'
import { chartOf } from '../../src/graph/chart.ts'
import { runMachine } from '../../src/machines/run.ts'

const chart = chartOf(runMachine.config)

it('K7: docs/run-machine.svg is what the machine gives now (npm run picture draws it again)', () => {
  expect(readFileSync(new URL('../../docs/run-machine.svg', import.meta.url), 'utf8')).toBe(drawRunMachine())
})

it('K7: a state or an arrow that the picture has no place for is an error, and so is a place for what the machine has not', () => {
  expect(placementProblems(chart, runPlacement)).toEqual([])
  const changed = {
    ...chart,
    states: [...chart.states, { id: 'lost', key: 'lost', type: 'final' as const, entry: [], exit: [], states: [] }],
    edges: [...chart.edges.filter(({ event }) => event !== 'ask'), { from: 'starting', event: 'lose', to: 'lost', actions: [] }],
  }
  expect(placementProblems(changed, runPlacement)).toEqual([
    'The state lost has no place in the picture.',
    'The arrow starting → lost has no place in the picture.',
    'The picture has a place for the arrow running.active → running.awaitingPermission, which the machine has not.',
  ])
  expect(() => toSvg(changed, runPlacement, 'x')).toThrow('The state lost has no place')
})

it('K7: arrows that share one label lead to the same state by the same events', () => {
  const renamed = {
    ...chart,
    edges: chart.edges.map((edge) =>
      edge.from === 'validating.queued' && edge.event === 'abort-before-start' ? { ...edge, event: 'abort' } : edge,
    ),
  }
  expect(placementProblems(renamed, runPlacement)).toEqual(['The arrow validating.queued → settling.held shares a label with no other.'])
})

it('K7: the picture shows every state and every event, follows the theme, and brings nothing from elsewhere', () => {
  const svg = drawRunMachine()
  for (const { event } of chart.edges.filter(({ from }) => from !== '')) expect(svg).toContain(event)
  for (const id of Object.keys(runPlacement.states)) expect(svg).toContain(`>${id.split('.').at(-1)}</text>`)
  expect(svg).toContain('@media (prefers-color-scheme: dark)')
  expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|url\((?!#)|@import|<script/)
})

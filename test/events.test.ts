import { expect, it } from 'vitest'
import { chartOf } from '../src/graph/chart.ts'
import { graphSubjects } from '../src/graph/index.ts'
import type { RegistryEvent, RegistryReply, RunEvent, SubagentLifecycleEvent } from '../src/index.ts'
import { readProjectFile } from './project/source-files.ts'

// Records, so that the compiler asks for a type that is missing here and refuses one that is gone.
const lifecycle: Record<SubagentLifecycleEvent['type'], true> = {
  'subagent/provider-added': true,
  'subagent/provider-removed': true,
  'subagent/start': true,
  'subagent/update': true,
  'subagent/end': true,
}
const registry: Record<RegistryEvent['type'] | RegistryReply['type'], true> = {
  'provider.register': true,
  'provider.unregister': true,
  'run.start': true,
  'run.cancel': true,
  'run.dispose': true,
  close: true,
  quiet: true,
  'run.started': true,
  'run.settled': true,
  'run.rejected': true,
}
const machine: Record<RunEvent['type'], true> = {
  accept: true,
  wait: true,
  slot: true,
  reject: true,
  'abort-before-start': true,
  'start-failed': true,
  ready: true,
  settle: true,
  cancel: true,
  deadline: true,
  'give-up': true,
  ask: true,
  answer: true,
  dispose: true,
  released: true,
  'release-failed': true,
}

/** The rows of the table of a section, each a list of cells. */
function tableOf(page: string, heading: string): string[][] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  const rows = section?.split('\n').filter((row) => row.startsWith('|')) ?? []
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const table = tableOf(readProjectFile('docs/design.md'), 'Events')
const namesIn = (column: number): string[] =>
  [...new Set(table.slice(2).flatMap((row) => [...row[column]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)))].toSorted()

it('V6: one table names every event, in the three places it shows', () => {
  expect(table[0]).toEqual(['what happens', 'lifecycle event', 'registry event', 'machine event'])
  expect(table.every((row) => row.length === 4 && row[0] !== '')).toBe(true)
  expect(namesIn(1)).toEqual(Object.keys(lifecycle).toSorted())
  expect(namesIn(2)).toEqual(Object.keys(registry).toSorted())
  expect(namesIn(3)).toEqual(Object.keys(machine).toSorted())
})

it('V6: the events of the table are those of the charts', () => {
  const edges = (name: 'run' | 'registry'): string[] =>
    [...new Set(chartOf(graphSubjects[name]).edges.map(({ event }) => event))].toSorted()
  expect(edges('run').filter((event) => !event.startsWith('xstate.'))).toEqual(namesIn(3))
  const replies = ['run.rejected', 'run.settled', 'run.started']
  expect([...edges('registry'), ...replies].toSorted()).toEqual(namesIn(2))
})

it('V6: no two rows say the same, and every row names something', () => {
  const rows = table.slice(2).map(([what]) => what)
  expect(new Set(rows).size).toBe(rows.length)
  expect(table.slice(2).filter(([, ...cells]) => cells.every((cell) => cell === ''))).toEqual([])
})

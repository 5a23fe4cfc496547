import { describe, expect, it } from 'vitest'
import { arrowsOf } from '../../src/graph/arrows.ts'
import { chartOf, flatten } from '../../src/graph/chart.ts'
import type { Chart } from '../../src/graph/chart.ts'
import { graphFormats, graphOf, graphSubjects } from '../../src/graph/index.ts'
import { runMachine } from '../../src/machines/run.ts'

const run = chartOf(runMachine.config)

describe('the chart of a config', () => {
  it('K7: has the states of the run machine in their nesting, each compound one with what is entered first', () => {
    expect(run.initial).toBe('validating')
    expect(flatten(run.states).map(({ id, type, initial }) => [id, type, initial])).toEqual([
      ['validating', 'compound', 'validating.checking'],
      ['validating.checking', 'atomic', undefined],
      ['validating.queued', 'atomic', undefined],
      ['starting', 'atomic', undefined],
      ['running', 'compound', 'running.active'],
      ['running.active', 'atomic', undefined],
      ['running.awaitingPermission', 'atomic', undefined],
      ['settling', 'compound', 'settling.draining'],
      ['settling.draining', 'atomic', undefined],
      ['settling.held', 'atomic', undefined],
      ['settling.releasing', 'atomic', undefined],
      ['disposed', 'final', undefined],
    ])
  })

  it('K7, R1: has the edges of the contract, with the events that are named there', () => {
    expect(arrowsOf(run).map(({ from, to, events }) => `${from} --${events.join(' | ')}--> ${to}`)).toEqual([
      'validating.checking --accept--> starting',
      'validating.checking --wait--> validating.queued',
      'validating.checking --reject--> disposed',
      'validating.checking --abort-before-start--> settling.held',
      'validating.queued --slot--> starting',
      'validating.queued --abort-before-start--> settling.held',
      'starting --start-failed--> disposed',
      'starting --ready--> running',
      'starting --settle | reject--> settling.held',
      'starting --cancel | deadline--> settling.draining',
      'running --settle | reject--> settling.held',
      'running --cancel--> settling.draining',
      'running.active --deadline--> settling.draining',
      'running.active --ask--> running.awaitingPermission',
      'running.awaitingPermission --answer--> running.active',
      'settling.draining --settle | reject | give-up--> settling.held',
      'settling.held --dispose--> settling.releasing',
      'settling.releasing --released | release-failed--> disposed',
    ])
    expect(run.edges.filter(({ to }) => to === null)).toEqual([{ from: '', event: 'xstate.error.actor.*', to: null, actions: [] }])
  })

  it('K7: leads every edge where the machine goes, for each state and each of its events', () => {
    for (const state of flatten(run.states)) {
      const node = runMachine.getStateNodeById(`run.${state.id}`)
      const targets = [...node.transitions.values()]
        .flat()
        .map(({ eventType, target }) => `${eventType} ${target?.[0]?.id.slice('run.'.length)}`)
      expect(
        run.edges.filter(({ from }) => from === state.id).map(({ event, to }) => `${event} ${to}`),
        state.id,
      ).toEqual(targets)
    }
  })

  it('K7: refuses what it would have to draw wrongly', () => {
    const of = (state: object) => () => chartOf({ initial: 'a', states: { a: state } })
    expect(of({ always: 'b' })).toThrow('The state a has always: only machines that are driven by events alone are drawn.')
    expect(of({ invoke: { src: 'x' } })).toThrow('The state a has invoke')
    expect(of({ after: { 1: 'a' } })).toThrow('The state a has after')
    expect(of({ type: 'parallel' })).toThrow('The state a is parallel')
    expect(of({ on: { go: 'b' } })).toThrow('The edge go of a leads to b, which is no state.')
  })
})

describe('graphOf', () => {
  it('K7: prints every machine in every format', () => {
    for (const config of Object.values(graphSubjects))
      for (const format of graphFormats) expect(graphOf(config, format)).toMatch(/^\S[\s\S]+\S\n$/)
  })

  it('K7: prints JSON that reads back as the chart', () => {
    expect(JSON.parse(graphOf(graphSubjects.run, 'json')) as Chart).toEqual(JSON.parse(JSON.stringify(run)))
  })

  it('K7: prints mermaid with nested states, events on the arrows, an event that stays as an arrow back, and the end', () => {
    expect(graphOf(graphSubjects.agent, 'mermaid')).toBe(`stateDiagram-v2
  state "idle" as idle
  state "running" as running
  state "disposed" as disposed
  [*] --> idle
  idle --> running: begin
  idle --> disposed: dispose
  running --> idle: rest
  running --> disposed: dispose
  disposed --> [*]
`)
    expect(graphOf(graphSubjects.registry, 'mermaid')).toContain(
      '  draining --> draining: provider.unregister | run.start | run.cancel | run.dispose\n  draining --> closed: quiet\n',
    )
    expect(graphOf(graphSubjects.run, 'mermaid')).toContain(`  state "running" as running {
    [*] --> running_active
    state "active" as running_active
    state "awaitingPermission" as running_awaitingPermission
  }
`)
  })

  it('K7: prints dot with compound states as clusters, whose arrows end at the border', () => {
    const dot = graphOf(graphSubjects.run, 'dot')
    expect(dot).toContain('  subgraph "cluster_running" {\n    label="running"; style=rounded;\n    "running.active" [label="active"];\n')
    expect(dot).toContain('  "starting" -> "running.active" [label="ready", lhead="cluster_running"];\n')
    expect(dot).toContain('  "running.active" -> "settling.held" [label="settle\\nreject", ltail="cluster_running"];\n')
    expect(dot).toContain('  "disposed" [label="disposed", peripheries=2];\n')
  })
})

import { describe, expect, it } from 'vitest'
import type { ChartLayout } from '../../../../src/inspect/page/protocol.ts'
import { doingOf, failedBelow, waitOf } from '../../../../src/inspect/page/app/model/doing.ts'
import { axisLabel, count, duration, ticks } from '../../../../src/inspect/page/app/model/format.ts'
import { History } from '../../../../src/inspect/page/app/model/history.ts'
import { countGroups, rowsOf } from '../../../../src/inspect/page/app/model/rows.ts'
import type { Filter } from '../../../../src/inspect/page/app/model/rows.ts'
import { sequenceOf } from '../../../../src/inspect/page/app/model/sequence.ts'
import { marksOf, spansOf, timeByPhase } from '../../../../src/inspect/page/app/model/spans.ts'
import { nameOf, standingOf } from '../../../../src/inspect/page/app/model/standing.ts'
import { timeByTool, updateLines } from '../../../../src/inspect/page/app/model/updates.ts'
import { statesIn, wayOf } from '../../../../src/inspect/page/app/model/way.ts'
import type { JournalEntry, JournalState } from '../../../../src/inspect/index.ts'
import type { SubagentService } from '../../../../src/index.ts'
import { createSimulatedClock, scriptedProvider } from '../../../../src/testing/index.ts'
import { entriesOf, fold, request, watched } from '../../watched.ts'

const all: Filter = { text: '', provider: '', groups: new Set() }
const started = 1_000_000

/** A parent with five children: completed, failed, cancelled, asking, queued; at the moment at which each is just that. */
async function scene(): Promise<{ entries: JournalEntry[]; state: JournalState; end: JournalState }> {
  const clock = createSimulatedClock(started)
  const provider = scriptedProvider([
    { hang: true, tools: [] },
    { tools: [{ name: 'read' }, { name: 'read' }], text: ['Three ', 'TODOs'], usage: { totalTokens: 7 } },
    { stopReason: 'error', failure: { code: 'MODEL_ERROR', phase: 'running', retryable: true, message: 'overloaded' } },
    { hang: true, text: 'half' },
    { hang: true },
    { hang: true },
  ])
  const { service, journal } = watched({ providers: [provider], clock }, { clock })
  const start = (label: string, parent = request.parent): ReturnType<SubagentService['start']> =>
    service.start('scripted', { ...request, parent, label })
  const above = start('audit')
  const below = { ...request.parent, id: above.id }
  const runs = ['server', 'web', 'scripts', 'publish'].map((label) => start(label, below))
  await runs[0]!.result
  await runs[1]!.result
  clock.advance(100)
  provider.children[3]!.update({ type: 'tool-call', toolCallId: 'open', name: 'search' })
  clock.advance(50)
  runs[2]!.cancel('enough')
  await runs[2]!.result
  provider.children[4]!.ask()
  clock.advance(850)
  const until = new Promise<JournalEntry[]>((resolve) => {
    void (async () => {
      for await (const batch of journal.read({ signal: AbortSignal.abort() })) resolve([...batch])
    })()
  })
  const entries = await until
  await service.close()
  return { entries, state: fold(entries), end: fold(await entriesOf(journal)) }
}

const { entries, state, end } = await scene()
const runOf = (label: string, of = state) => [...of.runs].find((run) => run.label === label)!
const actorOf = (label: string, of = state) => of.actors.get(runOf(label, of).actor)!

describe('how a run stands', () => {
  it('I3: in a word, by its outcome where it has one, else by what it is in', () => {
    expect([...state.runs].map((run) => [run.label, standingOf(run, state.actors.get(run.actor))])).toEqual([
      ['audit', 'running'],
      ['server', 'completed'],
      ['web', 'failed'],
      ['scripts', 'cancelled'],
      ['publish', 'asking'],
    ])
    expect(countGroups(state)).toEqual({ live: 1, asking: 1, completed: 1, failed: 1, cancelled: 1 })
    expect(nameOf({ ...runOf('web'), label: undefined } as never)).toBe(runOf('web').agent)
  })

  it('I3: what it does and whom it waits for; nothing once it is over', () => {
    expect(doingOf(runOf('audit'), state)).toBe('waits for publish')
    expect(doingOf(runOf('publish'), state)).toMatch(/^asks/)
    expect(doingOf(runOf('server'), state)).toBe('')
    expect(waitOf(runOf('audit'), state)).toEqual({ for: 'runs', runs: [runOf('publish')] })
    expect(waitOf(runOf('publish'), state)).toEqual({ for: 'you' })
    expect(waitOf(runOf('web'), state)).toBe(undefined)
    expect(failedBelow(runOf('audit'), state).map(({ label }) => label)).toEqual(['web'])
  })
})

describe('the lines of the tree', () => {
  const linesOf = (filter: Filter, shut: readonly string[] = []) =>
    rowsOf(state, filter, new Set(shut)).map(
      ({ run, depth, isMatch }) => `${'  '.repeat(depth - 1)}${run.label}${isMatch ? '' : ' (above)'}`,
    )

  it('I3: show runs below those that started them, unless these are shut', () => {
    expect(linesOf(all)).toEqual(['audit', '  server', '  web', '  scripts', '  publish'])
    expect(linesOf(all, [runOf('audit').actor])).toEqual(['audit'])
  })

  it('I3: with a filter, by text, provider and outcome, show matches and those above them, also below one that is shut', () => {
    expect(linesOf({ ...all, text: 'WEB' }, [runOf('audit').actor])).toEqual(['audit (above)', '  web'])
    expect(linesOf({ ...all, text: 'model_error' })).toEqual(['audit (above)', '  web'])
    expect(linesOf({ ...all, groups: new Set(['cancelled', 'asking'] as const) })).toEqual(['audit (above)', '  scripts', '  publish'])
    expect(linesOf({ ...all, text: 'web', provider: 'other' })).toEqual([])
    expect(linesOf({ ...all, text: 'web server' })).toEqual([])
    expect(linesOf({ ...all, provider: 'scripted' }).length).toBe(5)
  })
})

describe('the lanes', () => {
  it('I3: are the phases of a run, with marks where it was told to stop and where it settled', () => {
    const scripts = actorOf('scripts', end)
    const spans = spansOf(scripts, end.at).filter(({ from, to }) => to > from)
    expect(spans.map(({ phase, from, to }) => [phase, to - from].slice(0, phase === 'held' ? 1 : 2) as unknown)).toEqual([
      ['running', 150],
      ['held'],
    ])
    expect(marksOf(scripts).map(({ kind }) => kind)).toEqual(['cancel', 'settle'])
    expect(marksOf(actorOf('server', end)).map(({ kind }) => kind)).toEqual(['settle'])
    expect(timeByPhase(spansOf(actorOf('publish'), state.at + 25)).map(([phase]) => phase)).toEqual(['running', 'asking'])
  })
})

describe('the way through a chart', () => {
  const edges: ChartLayout['edges'] = [
    { from: 'starting', to: 'running', events: ['ready'], points: [] },
    { from: 'running', to: 'settling.held', events: ['settle', 'reject'], points: [] },
    { from: 'running.active', to: 'running.awaitingPermission', events: ['ask'], points: [] },
    { from: 'running.awaitingPermission', to: 'running.active', events: ['answer'], points: [] },
    { from: 'running', to: 'settling.draining', events: ['cancel'], points: [] },
    { from: 'running.active', to: 'settling.draining', events: ['deadline'], points: [] },
  ]

  it('I3: counts the arrows and the states that were taken, and lights the present state with those around it', () => {
    const at = 0
    const way = wayOf(
      [
        { value: 'starting', at },
        { value: { running: 'active' }, at, event: 'ready' },
        { value: { running: 'awaitingPermission' }, at, event: 'ask' },
        { value: { running: 'active' }, at, event: 'answer' },
        { value: { running: 'awaitingPermission' }, at, event: 'ask' },
        { value: { settling: 'draining' }, at, event: 'cancel' },
      ],
      edges,
    )
    expect([...way.taken]).toEqual([
      [0, 1],
      [2, 2],
      [3, 1],
      [4, 1],
    ])
    expect(way.visits.get('running')).toBe(1)
    expect(way.visits.get('running.awaitingPermission')).toBe(2)
    expect([...way.present]).toEqual(['settling', 'settling.draining'])
    expect(wayOf([], edges).present.size).toBe(0)
  })

  it('names every state of a value, outermost first, also of regions side by side', () => {
    expect(statesIn({ a: { b: 'c' }, d: 'e' })).toEqual(['a', 'a.b', 'a.b.c', 'd', 'd.e'])
  })
})

describe('the sequence of events', () => {
  it('I3: tells who sent what to whom and the state that it led to, also where an event comes while another is taken', () => {
    const history = new History(true)
    for (const entry of entries) history.push(entry)
    const { actors, messages } = sequenceOf(history.of(history.actorsOf(runOf('scripts').actor)))
    expect(actors).toEqual([undefined, runOf('scripts').actor])
    expect(messages.map(({ event, state }) => [event, state])).toEqual([
      ['accept', 'starting'],
      ['ready', 'running.active'],
      ['cancel', 'settling.draining'],
      ['settle', 'settling.held'],
    ])
  })
})

describe('updates', () => {
  it('I3: are told as a person reads them: pieces of a text as one, a tool with its end', () => {
    const lines = updateLines(entries, runOf('server').actor)
    expect(lines.map(({ type, pieces, length, status }) => [type, pieces, length, status])).toEqual([
      ['tool-call', 1, 0, 'ok'],
      ['tool-call', 1, 0, 'ok'],
      ['text', 2, 11, undefined],
    ])
    expect(timeByTool(updateLines(entries, runOf('scripts').actor), started + 1000).map(({ name, calls }) => [name, calls])).toEqual([
      ['search', 1],
    ])
  })
})

describe('the history', () => {
  it('I4: gives the state of a recording at any entry of it, as folding so many entries would', () => {
    const history = new History(true)
    for (let round = 0; round < 60; round++) for (const entry of entries) history.push(entry)
    for (const count of [0, 1, 17, 1999, 2000, 2001, history.entries.length])
      expect([...history.stateAt(count).runs], String(count)).toEqual([...fold(history.entries.slice(0, count)).runs])
    expect(history.countAt(-1)).toBe(0)
    expect(history.countAt(Infinity)).toBe(history.entries.length)
  })

  it('I3: of a live journal lets the oldest entries go and counts them; what is known of the runs stays', () => {
    const most = entries.length - (entries.length % 4)
    const history = new History(false, most)
    for (let round = 0; round < 3; round++) for (const entry of entries) history.push(entry)
    expect(history.forgotten + history.entries.length).toBe(3 * entries.length)
    expect(history.entries.length).toBeLessThanOrEqual(most)
    expect(history.entries.at(-1)).toBe(entries.at(-1))
    expect([...history.state.runs]).toEqual([...fold([...entries, ...entries, ...entries]).runs])
    expect(history.of(history.actorsOf(runOf('server').actor)).every((entry) => history.entries.includes(entry))).toBe(true)
  })
})

describe('figures', () => {
  it('are short, and of a time in the unit that fits', () => {
    expect([0, 999, 1000, 9994, 9995, 59_949, 59_950, 3_599_000, 3_600_000].map(duration)).toEqual([
      '0 ms',
      '999 ms',
      '1.00 s',
      '9.99 s',
      '10.0 s',
      '59.9 s',
      '1 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
    ])
    expect([7, 1000, 1234567].map(count)).toEqual(['7', '1\u202f000', '1\u202f234\u202f567'])
    expect(ticks(150, 1050, 0, 5)).toEqual([200, 400, 600, 800, 1000])
    expect(ticks(150, 1050, 0, 5).map((at) => axisLabel(at, 200))).toEqual(['200 ms', '400 ms', '600 ms', '800 ms', '1 s'])
  })
})

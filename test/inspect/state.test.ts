import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEntry, emptyJournalState, stateName } from '../../src/inspect/index.ts'
import type { JournalEntry } from '../../src/inspect/index.ts'
import { pathLimit } from '../../src/inspect/state.ts'
import { Table } from '../../src/inspect/table.ts'
import { deepFreeze } from '../../src/run/copy.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { importsOf } from '../project/imports.ts'
import { entriesOf, fold, request, watched } from './watched.ts'

let seq = 0
const entry = (fields: object, at = 0): JournalEntry => ({ seq: seq++, at, ...fields }) as unknown as JournalEntry
const run = (actor: string, fields: object = {}) =>
  entry({
    type: 'actor',
    actor,
    kind: 'run',
    name: `run ${actor}`,
    status: 'active',
    value: 'starting',
    run: actor,
    provider: 'p',
    ...fields,
  })

describe('the state of a journal', () => {
  it('I4: changes nothing that it is given, so that any earlier state can be kept', async () => {
    const { service, journal } = watched({ providers: [scriptedProvider(() => ({ tools: [{ name: 'look' }], text: 'x' }))] })
    await service.delegate('scripted', request)
    await service.close()
    const entries = deepFreeze(await entriesOf(journal))
    const states = entries.reduce((all, each) => [...all, applyEntry(all.at(-1)!, each)], [emptyJournalState])
    // Each is what it was when it was made.
    for (const [count, state] of states.entries()) expect(plain(state)).toEqual(plain(fold(entries.slice(0, count))))
  })

  it('I4: leaves what an entry is not about the same object, so that a page draws only what changed', () => {
    const before = [run('a'), run('b')].reduce(applyEntry, emptyJournalState)
    const after = applyEntry(
      before,
      entry({ type: 'snapshot', actor: 'a', event: 'ready', status: 'active', value: { running: 'active' } }),
    )
    expect(after.actors.get('b')).toBe(before.actors.get('b'))
    expect(after.runs).toBe(before.runs)
    expect(after.actors.get('a')!.path).toEqual([
      { value: 'starting', at: 0 },
      { value: { running: 'active' }, at: 0, event: 'ready' },
    ])
  })

  it('I4: knows the open tool call and the permission that is waited for, until each is over', () => {
    const permission = { id: 'may', options: [] }
    const steps = [
      run('a'),
      entry({ type: 'update', actor: 'a', update: { type: 'tool-call', seq: 0, at: 5, toolCallId: 't', name: 'look' } }),
      entry({ type: 'update', actor: 'a', update: { type: 'permission', seq: 1, at: 6, permission } }),
      entry({ type: 'snapshot', actor: 'a', event: 'ask', status: 'active', value: { running: 'awaitingPermission' } }),
      entry({ type: 'snapshot', actor: 'a', event: 'answer', status: 'active', value: { running: 'active' } }),
      entry({ type: 'update', actor: 'a', update: { type: 'tool-result', seq: 2, at: 7, toolCallId: 't', status: 'ok' } }),
    ]
    const seen = steps.map((_, index) => {
      const { tool, permission: asked } = fold(steps.slice(0, index + 1)).runs.get('a')!
      return [tool?.name, asked?.id]
    })
    expect(seen).toEqual([
      [undefined, undefined],
      ['look', undefined],
      ['look', 'may'],
      ['look', 'may'],
      ['look', undefined],
      [undefined, undefined],
    ])
  })

  it('I4: after a gap what is not told again is lost from sight, and what is goes on', () => {
    const state = [run('a'), run('b'), entry({ type: 'dropped', count: 9 }), run('a', { value: { settling: 'held' } })].reduce(
      applyEntry,
      emptyJournalState,
    )
    expect([...state.actors].map(({ status, path }) => [status, path.length])).toEqual([
      ['active', 2],
      ['lost', 1],
    ])
    expect([state.dropped, state.rootRuns]).toEqual([9, ['a', 'b']])
  })

  it('I4: takes entries about nobody, and of types that it does not know, without harm', () => {
    const odd = ['event', 'snapshot', 'start', 'update', 'end', 'novelty'].map((type) => entry({ type, actor: 'nobody' }))
    expect(plain(odd.reduce(applyEntry, emptyJournalState))).toMatchObject({ actors: [], runs: [], seq: seq - 1 })
    const named = applyEntry(emptyJournalState, entry({ type: 'chart', chart: '__proto__', config: { id: 'x' } }))
    expect(Object.getPrototypeOf(named.charts)).toBe(Object.prototype)
  })

  it('I4: a way through a chart has a bound, and what it drops is counted', () => {
    let state = applyEntry(emptyJournalState, run('a'))
    for (let n = 0; n < pathLimit + 20; n++)
      state = applyEntry(state, entry({ type: 'snapshot', actor: 'a', event: 'e', status: 'active', value: n % 2 === 0 ? 'x' : 'y' }))
    expect([state.actors.get('a')!.path.length, state.actors.get('a')!.droppedSteps]).toEqual([pathLimit, 21])
  })

  it('I3: the fold and its vocabulary need no module of Node, so that a page can have them', () => {
    const needed = ['state.ts', 'table.ts', 'entries.ts'].flatMap((file) => importsOf(`src/inspect/${file}`))
    expect(needed.filter(({ typeOnly }) => !typeOnly).map(({ target }) => target)).toEqual(['src/inspect/table.ts'])
  })

  it('I3: ten thousand runs are folded in little time, whatever their number', () => {
    const entries = Array.from({ length: 10_000 }, (_, n) => [
      run(`a${n}`),
      entry({ type: 'snapshot', actor: `a${n}`, event: 'settle', status: 'active', value: { settling: 'held' } }),
      entry({ type: 'end', actor: `a${n}`, stopReason: 'completed', durationMs: 1 }),
    ]).flat()
    const before = process.cpuUsage()
    const state = fold(entries)
    const { user, system } = process.cpuUsage(before)
    expect(state.runs.size).toBe(10_000)
    // Some 5 µs each where it is idle; what copies all runs an entry takes minutes.
    expect((user + system) / entries.length).toBeLessThan(200)
  })

  it('I4: names states as people write them', () => {
    expect([undefined, 'a', { a: 'b' }, { a: { b: 'c' } }, { a: 'x', b: 'y' }].map(stateName)).toEqual([
      '',
      'a',
      'a.b',
      'a.b.c',
      'a.x, b.y',
    ])
  })
})

describe('a table', () => {
  it('I4: is a map that is never changed, also where two grow from one', () => {
    const operation = fc.tuple(fc.nat(5), fc.nat(300).map(String), fc.nat())
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 400 }), (operations) => {
        const tables: [Table<number>, Map<string, number>][] = [[Table.empty(), new Map()]]
        for (const [from, key, value] of operations) {
          const [table, map] = tables[from % tables.length]!
          tables.push([table.set(key, value), new Map(map).set(key, value)])
          if (tables.length > 5) tables.shift()
        }
        for (const [table, map] of tables) {
          expect([...table]).toEqual([...map.values()])
          expect(table.size).toBe(map.size)
          for (let key = 0; key <= 300; key++) expect(table.get(String(key))).toBe(map.get(String(key)))
        }
      }),
      { numRuns: 50 },
    )
  })
})

function plain(state: ReturnType<typeof fold>) {
  return { ...state, actors: [...state.actors], runs: [...state.runs] }
}

import picocolors from 'picocolors'
import { describe, expect, it } from 'vitest'
import { textWidth } from '../../../../src/cli/output/text-width.ts'
import type { RunView } from '../../../../src/cli/output/tree/run-tree.ts'
import { treeLines } from '../../../../src/cli/output/tree/tree-lines.ts'

const plain = picocolors.createColors(false)
const now = 10_000
const run = (
  runId: string,
  { activity = '', ...over }: Partial<Omit<RunView, 'activity'>> & { readonly activity?: string } = {},
): RunView => ({
  runId,
  parentRunId: undefined,
  label: `run ${runId}`,
  state: { word: 'running', ended: false },
  since: now - 1200,
  durationMs: undefined,
  tokens: undefined,
  activity: () => activity,
  ...over,
})
const ended = (word: string, durationMs: number) => ({ state: { word, ended: true }, durationMs })
const lines = (runs: readonly RunView[], columns = 80, rows = 24) => treeLines(runs, now, { columns, rows }, plain)

const family = [
  run('a', { label: 'Find every TODO', tokens: 1234, activity: 'subagent TODOs in server/' }),
  run('b', { parentRunId: 'a', label: 'server/', since: now - 300, tokens: 950, activity: 'search_files TODO server' }),
  run('c', {
    parentRunId: 'b',
    label: 'server/loans/',
    state: { word: 'awaiting permission', ended: false },
    since: now - 80,
    activity: 'May I?',
  }),
  run('d', { parentRunId: 'a', label: 'web/', ...ended('completed', 84), tokens: 1_250_000, activity: '3 found' }),
  run('e', { parentRunId: 'a', label: 'scripts/', ...ended('error', 62_000), activity: 'overloaded' }),
]

describe('the tree of runs', () => {
  it('C5: has a line for each run, below its parent, with state, time, tokens and last update', () => {
    expect(lines(family, 100)).toEqual([
      'Find every TODO      running                1.2s  1.2k tokens  subagent TODOs in server/',
      '├─ server/           running                0.3s   950 tokens  search_files TODO server',
      '│  └─ server/loans/  awaiting permission    0.0s               May I?',
      '├─ web/              completed              84ms  1.3M tokens  3 found',
      '└─ scripts/          error                1m 02s               overloaded',
    ])
  })

  it('C5: keeps its columns aligned and to the width, whatever the width', () => {
    for (let columns = 1; columns < 130; columns++) {
      const shown = lines(family, columns)
      expect(shown).toHaveLength(5)
      expect(Math.max(...shown.map(textWidth)), String(columns)).toBeLessThan(Math.max(2, columns))
    }
    const starts = lines(family, 100).map((line) => /running|awaiting|completed|error/.exec(line)!.index)
    expect(new Set(starts).size).toBe(1)
  })

  it('C5: gives up the last update, then tokens, then time, where it is narrow, and the name last', () => {
    expect([80, 60, 45, 38, 28, 20].map((columns) => lines(family.slice(0, 2), columns)[0])).toEqual([
      'Find every TODO  running     1.2s  1.2k tokens  subagent TODOs in server/',
      'Find every TODO  running     1.2s  1.2k tokens',
      'Find every T…  running     1.2s  1.2k tokens',
      'Find every TODO  running     1.2s',
      'Find every TODO  running',
      'Find every TODO',
    ])
  })

  it('C5: has wide characters in its columns', () => {
    const shown = lines([run('a', { label: '漢字の検索', activity: '検索中😀' }), run('b', { label: 'plain', activity: 'x' })])
    expect(shown.map((line) => textWidth(line.slice(0, line.indexOf('running'))))).toEqual([12, 12])
  })

  it('C5: of more runs than rows shows those that run, then those that failed, then those that ended last, and counts the rest', () => {
    const many = [
      run('root', { label: 'root' }),
      ...Array.from({ length: 30 }, (_, index) => run(`done-${index}`, { parentRunId: 'root', since: index, ...ended('completed', 10) })),
      run('failed', { parentRunId: 'root', ...ended('error', 5) }),
      run('live', { parentRunId: 'root' }),
      run('deeper', { parentRunId: 'done-3', label: 'deeper' }),
    ]
    expect(lines(many, 80, 8).map((line) => line.split('  ')[0])).toEqual([
      'root',
      '├─ run done-28',
      '├─ run done-29',
      '├─ run failed',
      '├─ run live',
      '└─ deeper',
      '… 28 more: 28 completed',
    ])
    const live = Array.from({ length: 50 }, (_, index) => run(`r${index}`, index > 40 ? { state: { word: 'queued', ended: false } } : {}))
    expect(lines(live, 80, 4).at(-1)).toBe('… 48 more: 39 running, 9 queued')
    expect(lines(live, 80, 2)).toEqual(['… 50 more: 41 running, 9 queued'])
  })

  it('C5: is coloured by state', () => {
    const [root, ...others] = treeLines(family, now, { columns: 100, rows: 24 }, picocolors.createColors(true))
    expect(root).toContain('\u001b[36mrunning')
    expect(others[1]).toContain('\u001b[33mawaiting permission')
    expect(others[2]).toContain('\u001b[32mcompleted')
    expect(others[3]).toContain('\u001b[31merror')
  })
})

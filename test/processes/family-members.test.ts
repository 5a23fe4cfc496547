import { describe, expect, it } from 'vitest'
import { findMembers } from '../../src/processes/family-members.ts'
import type { ProcessEntry } from '../../src/processes/process-table.ts'
import { ProcessTable } from '../../src/processes/process-table.ts'

describe('who belongs to a process', () => {
  const entry = (pid: number, parentPid: number, groupId: number, startedAt: number, isZombie = false): ProcessEntry => ({
    pid,
    parentPid,
    groupId,
    startedAt,
    isZombie,
  })
  const root = { pid: 100, startedAt: 50, marker: 'run-a' }
  const base = { root, isGroupOwn: true, isRootRunning: true, known: [] }
  const marked =
    (...pids: number[]) =>
    (pid: number): string[] =>
      pids.includes(pid) ? ['run-a'] : []
  const pids = (members: readonly ProcessEntry[]): number[] => members.map(({ pid }) => pid)
  const init = entry(1, 0, 1, 0)
  const host = entry(9, 1, 9, 10)

  it('A19: its descendants, parents first; its group; those with its mark, and what descends from them; not itself, not what started it', () => {
    const table = new ProcessTable(
      [
        init,
        host,
        entry(100, 9, 100, 50),
        entry(103, 101, 103, 52),
        entry(101, 100, 101, 51),
        entry(104, 1, 100, 53),
        entry(105, 1, 105, 54),
        entry(106, 105, 106, 55),
        entry(107, 1, 107, 56),
      ],
      marked(100, 105),
    )
    expect(pids(findMembers(table, base))).toEqual([101, 103, 104, 105, 106])
  })

  it('A19: nothing that is older than it, and nothing that has ended', () => {
    const table = new ProcessTable(
      [init, entry(100, 9, 100, 50), entry(101, 100, 100, 49), entry(102, 100, 100, 51, true)],
      marked(101, 102),
    )
    expect(findMembers(table, base)).toEqual([])
  })

  it('A19: an id that another process has now stands for nothing: neither a known one, nor the root, nor its group', () => {
    const reused = new ProcessTable([init, entry(100, 1, 100, 90), entry(101, 100, 100, 91), entry(200, 1, 200, 92)])
    const known = [{ pid: 200, startedAt: 60 }]
    expect(findMembers(reused, { ...base, known, isGroupOwn: false, isRootRunning: false })).toEqual([])
    expect(pids(findMembers(new ProcessTable([init, entry(200, 1, 200, 60)]), { ...base, known, isRootRunning: false }))).toEqual([200])
  })

  it('A19: where only a scan tells when it started, its id is its own while it runs', () => {
    const unknown = { ...base, root: { ...root, startedAt: undefined } }
    const table = new ProcessTable([init, entry(100, 9, 100, 50), entry(101, 100, 101, 51)])
    expect(pids(findMembers(table, unknown))).toEqual([101])
    expect(findMembers(table, { ...unknown, isRootRunning: false, isGroupOwn: false })).toEqual([])
  })

  it('A19: a circle of parents, which two moments of one scan can make, is no loop', () => {
    const table = new ProcessTable([entry(100, 9, 100, 50), entry(101, 102, 100, 51), entry(102, 101, 102, 52)])
    expect(pids(findMembers(table, base))).toEqual([101, 102])
  })
})

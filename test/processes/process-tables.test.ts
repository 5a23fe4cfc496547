import { describe, expect, it } from 'vitest'
import { parsePs, psArguments } from '../../src/processes/darwin.ts'
import { findMembers } from '../../src/processes/family-members.ts'
import { linuxProcesses, parseStat } from '../../src/processes/linux.ts'
import { markersIn } from '../../src/processes/marker.ts'
import type { ProcessEntry } from '../../src/processes/process-table.ts'
import { ProcessTable, shareScan } from '../../src/processes/process-table.ts'
import { parseTaskkill, taskkillArguments } from '../../src/processes/windows.ts'

const rest = '0 -1 4194304 100 0 0 0 0 0 0 0 20 0'

describe('what a system says of its processes', () => {
  it('A19: a name in /proc/<pid>/stat may have spaces, parentheses and line breaks', () => {
    const entry = { pid: 42, parentPid: 7, groupId: 40, startedAt: 1181035, isZombie: false }
    for (const name of ['cat', 'a b', 'a) R 1 1', '(((', ') Z 1 (', 'a\nb', ''])
      expect(parseStat(`42 (${name}) S 7 40 39 ${rest} 1 0 1181035 3133440 393`)).toEqual(entry)
    expect(parseStat(`42 (x) Z 7 40 39 ${rest} 1 0 1181035 0 0`)).toMatchObject({ isZombie: true })
    // Its first thread has ended, and four have not.
    expect(parseStat(`42 (x) Z 7 40 39 ${rest} 5 0 1181035 0 0`)).toMatchObject({ isZombie: false })
    for (const broken of ['', '42', '42 (x', '42 (x) S 7', '42 (x) S a b c']) expect(parseStat(broken)).toBeUndefined()
  })

  it('A19: a scan of Linux has this process, its parent and its start', () => {
    const table = linuxProcesses.scanNow()
    const startedAt = linuxProcesses.startOf(process.pid)!
    const self = table.find({ pid: process.pid, startedAt })
    expect(self).toMatchObject({ parentPid: process.ppid, isZombie: false })
    expect(linuxProcesses.isSame(self!)).toBe(true)
    expect(linuxProcesses.isSame({ pid: process.pid, startedAt: startedAt + 1 })).toBe(false)
    expect(table.find({ pid: process.pid, startedAt: startedAt + 1 })).toBeUndefined()
    expect(table.childrenOf(process.ppid)).toContain(self)
  })

  it('A19: marks are read as whole values of that one variable', () => {
    const environment = (...parts: string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(''))
    expect(markersIn(environment('A=1', 'SUBAGENT_RUN_MARKER=outer:inner', 'B=2'))).toEqual(['outer', 'inner'])
    expect(markersIn(environment('SUBAGENT_RUN_MARKER=one'))).toEqual(['one'])
    expect(markersIn(environment('X_SUBAGENT_RUN_MARKER=no', 'SUBAGENT_RUN_MARKER=yes'))).toEqual(['yes'])
    expect(markersIn(environment('X=SUBAGENT_RUN_MARKER=no'))).toEqual([])
    expect(markersIn(Buffer.from('SUBAGENT_RUN_MARKER=cut'))).toEqual(['cut'])
    expect(markersIn(Buffer.alloc(0))).toEqual([])
  })

  it('A26: the output of ps on macOS is read, as data: it was not run there', () => {
    const recorded = [
      '    1     0     1 Ss   Sat Nov 28 08:01:12 2026    ',
      '  812     1   812 S    Mon Nov 30 18:36:06 2026    ',
      '98765   812   812 Z    Mon Nov  2 09:05:59 2026    ',
      'ps: something went wrong',
      '',
    ].join('\n')
    expect(parsePs(recorded)).toEqual([
      { pid: 1, parentPid: 0, groupId: 1, startedAt: Date.UTC(2026, 10, 28, 8, 1, 12), isZombie: false },
      { pid: 812, parentPid: 1, groupId: 812, startedAt: Date.UTC(2026, 10, 30, 18, 36, 6), isZombie: false },
      { pid: 98765, parentPid: 812, groupId: 812, startedAt: Date.UTC(2026, 10, 2, 9, 5, 59), isZombie: true },
    ])
    expect(psArguments).toEqual(['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'stat=', '-o', 'lstart='])
  })

  it('A26: the output of taskkill on Windows is read, in any language, as data: it was not run there', () => {
    const english = [
      'SUCCESS: The process with PID 4380 (child process of PID 4112) has been terminated.',
      'SUCCESS: The process with PID 4112 (child process of PID 996) has been terminated.',
      '',
    ].join('\r\n')
    const german = 'ERFOLGREICH: Der Prozess mit PID 4380 (untergeordneter Prozess von PID 4112) wurde beendet.\r\n'
    expect([
      parseTaskkill(english, 4112),
      parseTaskkill(german, 4112),
      parseTaskkill('ERROR: The process "4112" not found.', 4112),
    ]).toEqual([[4380], [4380], []])
    expect(taskkillArguments(4112)).toEqual(['/PID', '4112', '/T', '/F'])
  })

  it('A19: whoever asks in one turn shares a scan, and none gets one that began before it asked', async () => {
    let scans = 0
    const scan = shareScan(() => {
      scans++
      return new ProcessTable([])
    })
    const tables = await Promise.all(Array.from({ length: 100 }, scan))
    expect([scans, new Set(tables).size]).toEqual([1, 1])
    let release!: (table: ProcessTable) => void
    const slow = shareScan(() => (scans++, new Promise<ProcessTable>((resolve) => (release = resolve))))
    const first = slow()
    await new Promise((resolve) => void setImmediate(resolve))
    const second = slow()
    release(new ProcessTable([]))
    await first
    expect(second).not.toBe(first)
    await new Promise((resolve) => void setImmediate(resolve))
    release(new ProcessTable([]))
    await second
    expect(scans).toBe(3)
  })
})

describe('who belongs to a process', () => {
  const entry = (pid: number, parentPid: number, groupId: number, startedAt: number, isZombie = false): ProcessEntry => ({
    pid,
    parentPid,
    groupId,
    startedAt,
    isZombie,
  })
  const root = { pid: 100, startedAt: 50, marker: 'run-a' }
  const base = { root, isGroupOwn: true, isRootRunning: true, known: [], hostPid: 9 }
  const marked =
    (...pids: number[]) =>
    (pid: number): string[] =>
      pids.includes(pid) ? ['run-a'] : []
  const pids = (members: readonly ProcessEntry[]): number[] => members.map(({ pid }) => pid)
  const init = entry(1, 0, 1, 0)
  const host = entry(9, 1, 9, 10)

  it('A19: its descendants, parents first; its group; those with its mark, and what descends from them; not itself, not the host', () => {
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
      marked(9, 100, 105),
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

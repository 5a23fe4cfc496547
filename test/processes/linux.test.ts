import { describe, expect, it } from 'vitest'
import { linuxProcesses, parseStat } from '../../src/processes/linux.ts'

const rest = '0 -1 4194304 100 0 0 0 0 0 0 0 20 0'

describe('processes on Linux', () => {
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
})

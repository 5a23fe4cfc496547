import { describe, expect, it } from 'vitest'
import { parsePs, psArguments } from '../../src/processes/darwin.ts'

describe('processes on macOS', () => {
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
})

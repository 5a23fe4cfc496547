import { describe, expect, it } from 'vitest'
import { ProcessTable, shareScan } from '../../src/processes/process-table.ts'

describe('a scan that is shared', () => {
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

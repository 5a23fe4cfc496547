import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { linuxProcesses } from '../../src/processes/linux.ts'
import type { ProcessEntry, ProcessSource } from '../../src/processes/process-table.ts'
import { ProcessTable } from '../../src/processes/process-table.ts'
import { UnixFamily } from '../../src/processes/unix-family.ts'

/** A process that leads a group of its own and has nothing to do with any family. */
async function startStranger() {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill('SIGKILL'))
  const pid = child.pid!
  const exit = once(child, 'exit')
  return {
    pid,
    startedAt: linuxProcesses.startOf(pid)!,
    /** What it was sent, once a signal of the test's own has come after it. */
    killedBy: async () => {
      child.kill('SIGINT')
      return (await exit)[1] as string
    },
  }
}

const table = (...entries: Partial<ProcessEntry>[]): ProcessTable =>
  new ProcessTable(entries.map((entry) => ({ pid: 0, parentPid: 1, groupId: 0, startedAt: 0, isZombie: false, ...entry })))

/** The system as it was when `tables` were made: the last stays. Who is who now, the real one says. */
function sourceOf(startOfRoot: number | undefined, ...tables: ProcessTable[]): ProcessSource {
  const next = (): ProcessTable => (tables.length > 1 ? tables.shift()! : tables[0]!)
  return { ...linuxProcesses, startOf: () => startOfRoot, scan: () => Promise.resolve(next()), scanNow: next }
}

describe('a family', () => {
  it('A19: a member whose id was given to another process is not killed', async () => {
    const stranger = await startStranger()
    // As it was looked at, it was a child that had that id before.
    const before = { pid: stranger.pid, parentPid: 999_999, startedAt: stranger.startedAt - 1 }
    const family = new UnixFamily(
      { pid: 999_999, marker: 'm', isRunning: () => false },
      sourceOf(1, table({ pid: 999_999, startedAt: 1 }, before)),
    )
    expect(await family.look()).toMatchObject([{ pid: stranger.pid }])
    family.terminate()
    await family.kill()
    family.killNow()
    expect(await stranger.killedBy()).toBe('SIGINT')
  })

  it('A19: the group of a process that has ended is not signalled, since its id can be the one of another group', async () => {
    const stranger = await startStranger()
    const now = { pid: stranger.pid, groupId: stranger.pid, startedAt: stranger.startedAt }
    for (const isRunning of [false, true]) {
      const family = new UnixFamily(
        { pid: stranger.pid, marker: 'm', isRunning: () => isRunning },
        sourceOf(stranger.startedAt - 1, table(now)),
      )
      expect(await family.look()).toEqual([])
      family.terminate()
      await family.kill()
      family.killNow()
    }
    expect(await stranger.killedBy()).toBe('SIGINT')
  })

  it('A19: once a group was seen empty after its leader, whoever has its id is a stranger', async () => {
    const stranger = await startStranger()
    const group = { pid: stranger.pid, groupId: 999_999, startedAt: stranger.startedAt }
    const family = new UnixFamily({ pid: 999_999, marker: 'm', isRunning: () => false }, sourceOf(1, table(), table(group)))
    expect(await family.look()).toEqual([])
    expect(await family.look()).toEqual([])
    await family.kill()
    expect(await stranger.killedBy()).toBe('SIGINT')
  })

  it('A19: a member of the group that its leader left is killed, and what was known of it is remembered', async () => {
    const stranger = await startStranger()
    const group = { pid: stranger.pid, groupId: 999_999, startedAt: stranger.startedAt }
    const family = new UnixFamily(
      { pid: 999_999, marker: 'm', isRunning: () => false },
      sourceOf(1, table(group), table({ ...group, groupId: stranger.pid })),
    )
    expect(await family.look()).toHaveLength(1)
    expect(await family.look()).toHaveLength(1)
    await family.kill()
    expect(await stranger.killedBy()).toBe('SIGKILL')
    expect(family.signalled).toBe(1)
  })

  it('A19, A26: where only a scan can say who is who, the group is signalled until the host has heard of the end, and not after it', async () => {
    const [stranger, child] = [await startStranger(), await startStranger()]
    const source = { ...sourceOf(undefined, table()), isSame: () => true }
    const ended = new UnixFamily({ pid: stranger.pid, marker: 'm', isRunning: () => false }, source)
    await ended.kill()
    ended.killNow()
    await new UnixFamily({ pid: child.pid, marker: 'm', isRunning: () => true }, source).kill()
    expect([await stranger.killedBy(), await child.killedBy()]).toEqual(['SIGINT', 'SIGKILL'])
  })
})

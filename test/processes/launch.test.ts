import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { createBench } from './harness.ts'
import { eventually } from './system.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'processes-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** Descriptors above 2 that this process hands on whatever it does, since it was itself started with them: those of Node close on exec. */
const inherited = new Set(
  readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => {
      try {
        const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'))![1]!
        return descriptor > 3 && (Number.parseInt(flags, 8) & 0o2000000) === 0
      } catch {
        return false
      }
    }),
)

describe('a process that is launched', () => {
  it('A19: takes lines, gives lines, and is gone when it is closed', async () => {
    const bench = createBench()
    const child = bench.launch('echo')
    expect(await child.ready()).toEqual([child.pid])
    await child.write('one\n')
    await child.write(Buffer.from('two\n'))
    await eventually(() => child.output().endsWith('one\ntwo\n'))
    expect(await child.close()).toEqual({ exit: { code: 0, signal: null }, by: 'eof', others: 0, left: [] })
    await bench.expectNothingLeft(child.pid)
    expect(bench.warnings).toEqual([])
  })

  it('A19: close is memoised, and answers after the end as before', async () => {
    const bench = createBench()
    const child = bench.launch({ command: 'cat' })
    expect(child.close()).toBe(child.close())
    const report = await child.close()
    expect(await child.exited).toEqual(report.exit)
    expect(await child.close()).toBe(report)
    child.killNow()
    child.unref()
    child.ref()
    await bench.expectNothingLeft(child.pid)
  })

  it('A12: how it ended is told when its output has been read, with code or signal', async () => {
    const bench = createBench()
    const long = bench.launch({ command: '/bin/sh', args: ['-c', 'head -c 150000 /dev/zero | tr "\\0" x; echo why >&2; exit 7'] })
    expect(await long.exited).toEqual({ code: 7, signal: null })
    expect([long.output().length, long.stderrTail]).toEqual([150_000, 'why\n'])
    const killed = bench.launch({ command: '/bin/sh', args: ['-c', 'kill -9 $$'] })
    expect(await killed.exited).toEqual({ code: null, signal: 'SIGKILL' })
    expect((await Promise.all([long.close(), killed.close()])).map(({ by }) => by)).toEqual(['itself', 'itself'])
    await bench.expectNothingLeft(long.pid, killed.pid)
  })

  it('A12: the end is told after the last output, where that comes in time', async () => {
    const bench = createBench()
    // Its time does not pass: so the output is in time however busy the machine is.
    const clock = createSimulatedClock()
    const script = `(trap '' TERM; sleep 0.3; echo late; echo why >&2) & exit 5`
    const child = bench.launch({ command: '/bin/sh', args: ['-c', script] }, [], { clock })
    expect([await child.exited, child.output(), child.stderrTail]).toEqual([{ code: 5, signal: null }, 'late\n', 'why\n'])
    let report: unknown
    void child.close().then((value) => (report = value))
    await eventually(() => {
      clock.advance(1)
      return report
    })
    expect([report, clock.pending]).toEqual([expect.objectContaining({ by: 'itself', left: [] }), 0])
    await bench.expectNothingLeft(child.pid)
  })

  it('A12: what cannot be started is a fact that names what was wrong, never an exception or an error event', async () => {
    const bench = createBench()
    const directory = temporaryDirectory()
    const file = join(directory, 'file')
    writeFileSync(file, 'no program')
    const broken = [
      [
        { command: 'no-such-program-anywhere', args: ['secret'] },
        { env: { PATH: '/usr/bin:/bin' } },
        /^no-such-program-anywhere could not be started: there is no such program\. Give its path/,
      ],
      [{ command: file }, {}, /it may not be executed, or not be reached/],
      [{ command: 'cat' }, { cwd: join(directory, 'missing') }, /its working directory \S+missing cannot be found/],
      [{ command: 'cat' }, { cwd: file }, /its working directory \S+file is no directory/],
      [{ command: 'c\0t' }, {}, /could not be started/],
    ] as const
    for (const [program, options, message] of broken) {
      const child = bench.launch(program, [], options)
      expect(child.pid).toBeUndefined()
      const exit = await child.exited
      expect(exit).toMatchObject({ code: null, signal: null, error: { message: expect.stringMatching(message) } })
      expect(exit.error!.message).not.toContain('secret')
      await expect(child.write('x')).rejects.toMatchObject({ name: 'ProcessInputError', reason: 'closed' })
      child.endInput()
      child.killNow()
      expect(await child.close()).toEqual({ exit, by: 'itself', others: 0, left: [] })
      expect([child.stderrTail, child.output()]).toEqual(['', ''])
    }
    await bench.expectNothingLeft()
  })

  it('A12: a host without a free descriptor is told so, though there are not even streams then', () => {
    const script = 'ulimit -n 100; exec "$0" scripts/run.js test/fixtures/processes/starved.ts'
    const { stdout, stderr } = spawnSync('/bin/sh', ['-c', script, process.execPath], { cwd: root, encoding: 'utf8' })
    expect([JSON.parse(stdout || 'null'), stderr]).toEqual([
      [null, 'cat could not be started: this process has too many open files. Close some, or raise the limit.'],
      '',
    ])
  })

  it('A20: it is given its three streams and no descriptor that the host has opened, its siblings’ streams least of all', async () => {
    const bench = createBench()
    const sibling = bench.launch({ command: 'cat' })
    const file = openSync('/dev/null', 'r')
    const child = bench.launch({ command: 'ls', args: ['/proc/self/fd'] })
    await child.close()
    closeSync(file)
    const given = child.output().split('\n').filter(Boolean).map(Number)
    // The fourth is the directory that it lists. What the host was started with is not its own to keep.
    expect(given.filter((descriptor) => !inherited.has(descriptor)).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
    await sibling.close()
    await bench.expectNothingLeft(child.pid, sibling.pid)
  })

  it('A21: its environment is the one that was given, and a mark', async () => {
    const bench = createBench()
    const child = bench.launch({ command: '/usr/bin/env' }, [], { env: { PATH: '/usr/bin', ONE: '1' } })
    await child.close()
    expect(child.output()).toMatch(/^PATH=\/usr\/bin\nONE=1\nSUBAGENT_RUN_MARKER=[\w:-]+\n$/)
    await bench.expectNothingLeft(child.pid)
  })

  it('A22: stderr is read however much comes; its last 64 KiB are kept, and a tap hears all of it', async () => {
    const bench = createBench()
    let tapped = 0
    const child = bench.launch('floods-stderr', [], {
      onStderr: (chunk) => {
        tapped += chunk.length
        if (tapped === chunk.length) throw new Error('a broken tap')
      },
    })
    await child.ready()
    const end = 'the last line\n'
    await eventually(() => child.stderrTail.endsWith(end))
    expect(tapped).toBe(128 * 65_536 + end.length)
    expect(child.stderrTail).toBe('é'.repeat((65_536 - end.length) / 2) + end)
    await child.close()
    expect(bench.warnings).toEqual([`onStderr of ${process.execPath} (${child.pid}) threw: Error: a broken tap`])
    await bench.expectNothingLeft(child.pid)
  })

  it('A23: a child that closes its stdin fails the write and all that follow, with one error', async () => {
    const bench = createBench()
    const child = bench.launch('stops-reading', ['closes'], { eofGraceMs: 10 })
    await child.ready()
    const first = await child.write('x').then(
      () => child.write('y').catch((error: unknown) => error),
      (error: unknown) => error,
    )
    expect(first).toMatchObject({
      name: 'ProcessInputError',
      reason: 'closed',
      message: 'The process takes no more input: it closed its stdin.',
    })
    expect(await child.write('z').catch((error: unknown) => error)).toBe(first)
    await child.close()
    await bench.expectNothingLeft(child.pid)
  })

  it('A23: a child that stops reading fails the write after its time, and what nobody awaits ends no process', async () => {
    const bench = createBench()
    const child = bench.launch('stops-reading', [], { writeTimeoutMs: 50, eofGraceMs: 10 })
    await child.ready()
    void child.write('x'.repeat(4 * 1024 * 1024))
    await expect(child.write('y')).rejects.toMatchObject({
      reason: 'timeout',
      message: 'The process takes no more input: it has read nothing for 50 ms.',
    })
    await expect(child.write('z')).rejects.toMatchObject({ reason: 'timeout' })
    await child.close()
    await bench.expectNothingLeft(child.pid)
  })

  it('A23: a write of many MiB to a child that reads arrives whole, and the end of stdin after it', async () => {
    const bench = createBench()
    const child = bench.launch({ command: 'wc', args: ['-c'] })
    const written = child.write(Buffer.alloc(20_000_001))
    child.endInput()
    await written
    await child.exited
    expect(child.output().trim()).toBe('20000001')
    await expect(child.write('more')).rejects.toMatchObject({ reason: 'ended' })
    await child.close()
    await bench.expectNothingLeft(child.pid)
  })

  it('A19, A20: a hundred that are launched and closed at once leave nothing, and print no warning of too many listeners', async () => {
    const bench = createBench()
    const emitted: Error[] = []
    const note = (warning: Error): void => void emitted.push(warning)
    process.on('warning', note)
    const children = Array.from({ length: 100 }, () => bench.launch({ command: 'cat' }))
    expect(process.listenerCount('exit')).toBeGreaterThan(0)
    const reports = await Promise.all(children.map((child) => child.close()))
    expect(reports.filter(({ by, left }) => by !== 'eof' || left.length > 0)).toEqual([])
    await bench.expectNothingLeft(...children.map(({ pid }) => pid))
    process.off('warning', note)
    expect(emitted).toEqual([])
  })
})

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { acquireLock, breakLock } from '../../../src/agents/sessions/lock.ts'
import { lockText, parseLockText } from '../../../src/agents/sessions/lock-text.ts'
import type { Holder } from '../../../src/agents/sessions/lock-text.ts'
import { standingOf, thisProcess } from '../../../src/agents/sessions/process-identity.ts'
import type { ProcessIdentity } from '../../../src/agents/sessions/process-identity.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const since = '2026-01-02T03:04:05.000Z'
const now = Date.parse(since)
const self = thisProcess()
/** The process of that id is this test's own, which began at another time. */
const reused: ProcessIdentity = { ...self, started: '1' }
const textOf = (holder: Omit<Holder, 'since'>, number = 0) => lockText({ ...holder, since: now }, number)
const told = (path: string) => {
  try {
    acquireLock(path, 'Session "s"', now).release()
    return 'taken'
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_REQUEST' })
    return (error as Error).message.replaceAll(path, 'LOCK')
  }
}
function lockOf(holder: Omit<Holder, 'since'> | string): string {
  const path = `${temporaryDirectory()}/s.lock`
  const text = typeof holder === 'string' ? holder : textOf(holder)
  // Without text it can be a file alone, as it is where links may not be made.
  if (text === '') writeFileSync(path, text)
  else symlinkSync(text, path)
  return path
}

describe('a lock', () => {
  it('G8: says who has it and since when, refuses everybody else, and is gone when it is released', () => {
    const path = `${temporaryDirectory()}/s.lock`
    const lock = acquireLock(path, 'Session "s"', now)
    expect(parseLockText(readlinkSync(path))).toEqual({ ...self, since: now })
    expect(told(path)).toBe(`Session "s" is in use by this process (${process.pid}) since ${since}. Dispose the agent that has it first.`)
    // A longer one has a block of the disk to itself.
    expect(Buffer.byteLength(readlinkSync(path)) - Buffer.byteLength(self.host)).toBeLessThanOrEqual(44)
    lock.release()
    lock.release()
    expect(readdirSync(path.replace('/s.lock', ''))).toEqual([])
    expect(told(path)).toBe('taken')
  })

  it('G8: that is a file, where links may not be made, is read as one', () => {
    const path = `${temporaryDirectory()}/s.lock`
    writeFileSync(path, textOf(self))
    expect(told(path)).toMatch(/in use by this process/)
    writeFileSync(path, textOf(reused))
    expect(told(path)).toBe('taken')
  })

  it('G8: of a process that has ended is taken over, also when its id was given to another, or the machine was started anew', async () => {
    const dead = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => dead.on('close', resolve))
    for (const holder of [{ ...self, pid: dead.pid! }, reused, { ...self, boot: 'earlier' }])
      expect(told(lockOf(holder)), JSON.stringify(holder)).toBe('taken')
  })

  it('G8: of a process that runs is not taken over', () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void other.kill('SIGKILL'))
    expect(told(lockOf({ host: self.host, pid: other.pid! }))).toBe(
      `Session "s" is in use by process ${other.pid} since ${since}. Wait until it has ended, or dispose its agent there.`,
    )
  })

  it('G8: of another host or another container, or one that nobody can read, is never taken over', () => {
    const elsewhere = (host: string) =>
      `Session "s" is in use by process 7 of host ${host}, or of another container since ${since}. Whether it still runs cannot be told from here. If nothing uses it any more, free it by agents.unlock(), or delete LOCK.`
    expect(told(lockOf({ host: 'elsewhere', pid: 7 }))).toBe(elsewhere('elsewhere'))
    expect(told(lockOf({ ...self, namespace: '1', pid: 7 }))).toBe(elsewhere(self.host))
    for (const text of ['', '{', 'null', 'x 7', 'x -1 y 0 - - -', 'x 7 ! 0 - - -', `${textOf(self)} more`])
      expect(told(lockOf(text))).toBe(
        'Session "s" is locked by a file that does not say by whom. If nothing uses it any more, free it by agents.unlock(), or delete LOCK.',
      )
  })

  it('G8: of a holder that cannot be told from here is broken on demand, of one that is alive never', () => {
    const broken = (path: string) => [breakLock(path, 'Session "s"', now), existsSync(path)]
    for (const holder of [{ host: 'elsewhere', pid: 7 }, { ...self, namespace: '1', pid: 7 }, reused, '', '{'])
      expect(broken(lockOf(holder)), JSON.stringify(holder)).toEqual([true, false])
    expect(broken(`${temporaryDirectory()}/s.lock`)).toEqual([false, false])
    const path = `${temporaryDirectory()}/s.lock`
    const lock = acquireLock(path, 'Session "s"', now)
    expect(() => breakLock(path, 'Session "s"', now)).toThrow('in use by this process')
    lock.release()
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    onTestFinished(() => void other.kill('SIGKILL'))
    expect(() => broken(lockOf({ host: self.host, pid: other.pid! }))).toThrow(`in use by process ${other.pid}`)
  })

  it('G8: of a worker thread that was terminated says so, and is broken on demand', async () => {
    buildProgram()
    const path = `${temporaryDirectory()}/s.lock`
    const module = new URL('../../../dist/agents/sessions/lock.js', import.meta.url).href
    const worker = new Worker(
      `import(${JSON.stringify(module)}).then(({ acquireLock }) => {
        acquireLock(${JSON.stringify(path)}, 'Session "s"', ${now})
        require('node:worker_threads').parentPort.postMessage('locked')
        setInterval(() => {}, 1000)
      })`,
      { eval: true },
    )
    const { threadId } = worker
    await new Promise((resolve) => worker.once('message', resolve))
    expect(Buffer.byteLength(readlinkSync(path)) - Buffer.byteLength(self.host)).toBeLessThanOrEqual(46)
    await worker.terminate()
    expect(told(path)).toBe(
      `Session "s" is in use by worker thread ${threadId} of this process (${process.pid}) since ${since}. Whether it still runs cannot be told from here. If nothing uses it any more, free it by agents.unlock(), or delete LOCK.`,
    )
    expect([breakLock(path, 'Session "s"', now), told(path)]).toEqual([true, 'taken'])
  })

  it('G8: that somebody else has by now is left to him', () => {
    const path = `${temporaryDirectory()}/s.lock`
    const lock = acquireLock(path, 'Session "s"', now)
    unlinkSync(path)
    writeFileSync(path, textOf({ host: 'elsewhere', pid: 7 }))
    lock.release()
    expect(existsSync(path)).toBe(true)
  })

  it('G8: a takeover that was killed half-way is taken over as well, and one that is under way is not', () => {
    const path = lockOf(reused)
    const directory = path.replace('/s.lock', '')
    const seen = readlinkSync(path)
    const claim = `${path}.${createHash('sha256').update(seen).digest('hex').slice(0, 8)}`
    writeFileSync(claim, textOf(reused, 1))
    expect([told(path), readdirSync(directory)]).toEqual(['taken', []])
    symlinkSync(seen, path)
    writeFileSync(claim, textOf(self, 1))
    expect([told(path), readlinkSync(path)]).toEqual([expect.stringContaining('is in use by this process'), seen])
  })

  it('G8: of a process that has ended is taken over by one alone, however many try', async () => {
    buildProgram()
    const path = lockOf(reused)
    const contenders = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, [fileURLToPath(new URL('../../fixtures/lock-contender.js', import.meta.url)), path, '60'])
      onTestFinished(() => void child.kill('SIGKILL'))
      let out = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (out += text))
      const ready = new Promise<void>((resolve) =>
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          out += text
          if (out.startsWith('ready\n')) resolve()
        }),
      )
      return { child, ready, ended: new Promise<string>((resolve) => child.on('close', () => resolve(out))) }
    })
    await Promise.all(contenders.map(({ ready }) => ready))
    for (const { child } of contenders) child.stdin.write('go\n')
    expect(await Promise.all(contenders.map(({ ended }) => ended))).toEqual(contenders.map(() => 'ready\ndone\n'))
  })

  it('G8: is freed when its process ends by itself, in whatever way', async () => {
    buildProgram()
    const directory = temporaryDirectory()
    const lock = new URL('../../../dist/agents/sessions/lock.js', import.meta.url).href
    for (const end of ['', 'process.exit(3)', 'throw new Error("x")']) {
      const child = spawn(process.execPath, [
        '--input-type=module',
        '-e',
        `import { acquireLock, breakLock } from ${JSON.stringify(lock)}; acquireLock(${JSON.stringify(`${directory}/s.lock`)}, 'it', 0); console.log('taken'); ${end}`,
      ])
      let out = ''
      child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
      await new Promise((resolve) => child.on('close', resolve))
      expect([out, readdirSync(directory)], end).toEqual(['taken\n', []])
    }
  })
})

describe('whether a process still runs', () => {
  it('one that has ended and was not asked how has ended', async () => {
    // The shell starts a child that ends, becomes another program, and so never asks.
    const shell = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'])
    onTestFinished(() => void shell.kill('SIGKILL'))
    const pid = await new Promise<number>((resolve) => shell.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))))
    await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '))
    expect(standingOf({ host: self.host, pid })).toBe('dead')
  })

  it('is told of this process, by all that is known of it', () => {
    expect([standingOf(self), standingOf({ host: self.host, pid: process.pid }), standingOf(reused)]).toEqual(['this', 'this', 'dead'])
  })
})

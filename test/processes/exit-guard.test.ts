import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually, isAlive, processesWith } from './system.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let made = 0

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
  /** All processes that were named as ready. */
  readonly pids: readonly number[]
  readonly tag: string
}

/** Runs the host to its end. */
function runHost(...words: string[]): Promise<Ended> {
  const value = `host-${process.pid}-${made++}-end`
  const tag = `XSTATE_SUBAGENTS_TEST=${value}`
  const host = spawn(process.execPath, ['scripts/run.js', 'test/fixtures/processes/host.ts', ...words], {
    cwd: root,
    env: { ...process.env, XSTATE_SUBAGENTS_TEST: value },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  host.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  host.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  onTestFinished(() => {
    for (const pid of processesWith(tag)) process.kill(pid, 'SIGKILL')
  })
  return new Promise((resolve) => {
    host.on('exit', (code, signal) => {
      const pids = (/^ready (.*)$/m.exec(out)?.[1] ?? '').split(' ').map(Number)
      resolve({ code, signal, out, err, pids, tag })
    })
  })
}

async function expectAllGone({ pids, tag }: Ended, count: number): Promise<void> {
  expect(pids).toHaveLength(count)
  // SIGKILL was sent before the host was gone; the system takes its moment.
  await eventually(() => processesWith(tag).length === 0 && !pids.some(isAlive))
}

const stubborn = ['ignores-sigterm', 'own-session', 'daemon'] as const

describe('the end of the host', () => {
  for (const [way, code] of [
    ['end', 0],
    ['exit', 3],
    ['error', 1],
    ['exit while closing', 3],
  ] as const)
    it(`A20: all children and what they have started are killed when the host ends: ${way}`, async () => {
      const ended = await runHost(way, ...stubborn)
      expect(ended).toMatchObject({ code, signal: null, err: way === 'error' ? expect.stringContaining('nobody catches this') : '' })
      await expectAllGone(ended, 5)
    })

  for (const signal of ['SIGKILL', 'SIGTERM'])
    it(`A20: a host that ${signal} ends kills nobody; children that heed the end of their stdin go`, async () => {
      const ended = await runHost(signal, 'echo', 'echo')
      expect(ended).toMatchObject({ code: null, signal })
      await expectAllGone(ended, 2)
    })

  for (const way of ['close', 'close after unref'])
    it(`A20: a host that closes its children ends by itself, after the last and with no listener left: ${way}`, async () => {
      const ended = await runHost(way, ...stubborn)
      expect(ended).toMatchObject({ code: 0, err: '', out: expect.stringContaining('listeners 0') })
      expect(ended.pids.filter(isAlive)).toEqual([])
      await expectAllGone(ended, 5)
    })

  it('A19, A20: a host that awaits a close lives until it is done, also while only a detached process is left', async () => {
    const ended = await runHost('close', 'own-session:stubborn')
    expect(ended).toMatchObject({ code: 0, err: '', out: expect.stringContaining('listeners 0') })
    await expectAllGone(ended, 2)
  })
})

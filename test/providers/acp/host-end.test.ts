import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../../project/source-files.ts'
import { eventually, isAlive, processesWith } from '../../processes/system.ts'

let made = 0

/** Runs a host with runs of these agents, in the middle of which it ends. */
async function endHost(way: string, ...agents: readonly object[]) {
  const folder = mkdtempSync(join(tmpdir(), 'acp-host-'))
  const records = join(folder, 'pids')
  const mark = `acp-host-${process.pid}-${made++}-end`
  const words = agents.map((agent) => JSON.stringify({ waitMs: 0, ...agent }))
  const host = spawn(process.execPath, ['scripts/run.js', 'test/fixtures/acp/host.ts', way, ...words], {
    cwd: root,
    env: { ...process.env, MISBEHAVIOUR_PIDS: records, HOST_MARK: mark },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => {
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
  })
  let out = ''
  let err = ''
  host.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  host.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => host.on('exit', (...how) => resolve(how)))
  return { code, signal, out, err, pids: readFileSync(records, 'utf8').trim().split('\n').map(Number), mark, endedAt: performance.now() }
}

describe('the end of a host with runs under way', () => {
  const heedless = [{ stubborn: true, deaf: true, tool: true }, { tool: true }, {}]

  for (const [way, code] of [
    ['its end', 0],
    ['process.exit', 3],
    ['process.exit while it closes', 3],
    ['an uncaught error', 1],
  ] as const)
    it(`A20: no process of them is left, nor a tool in a session of its own: ${way}`, async () => {
      const { pids, mark, err, ...ended } = await endHost(way, ...heedless)
      expect(ended).toMatchObject({ code, signal: null, out: 'ready\n' })
      expect(err).toEqual(code === 1 ? expect.stringContaining('nobody catches this') : '')
      expect(pids).toHaveLength(5)
      // SIGKILL was sent before the host was gone; the system takes its moment.
      await eventually(() => processesWith(mark).length === 0 && !pids.some(isAlive), 5000)
    })

  it('A20: a host that is killed leaves no agent for longer than that takes to end at the end of its input', async () => {
    const lingerMs = 1500
    const { pids, mark, endedAt, ...ended } = await endHost('SIGKILL', {}, { deaf: true }, { lingerMs })
    expect(ended).toMatchObject({ code: null, signal: 'SIGKILL', out: 'ready\n', err: '' })
    expect(pids).toHaveLength(3)
    await eventually(() => pids.filter(isAlive).length <= 1, 5000)
    await eventually(() => processesWith(mark).length === 0 && !pids.some(isAlive), 10_000)
    expect(performance.now() - endedAt).toBeLessThan(lingerMs + 5000)
  })
})

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fixture } from '../processes/harness.ts'
import { eventually, isAlive, openPipes, processesWith, zombies } from '../processes/system.ts'
import { createHooksBench, hooks } from './harness.ts'
import type { HooksBench } from './harness.ts'

let made = 0
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A mark in the environment of every process of a test, and what the system has of them. */
function marked() {
  const value = `hooks-${process.pid}-${made++}-end`
  const tag = `XSTATE_SUBAGENTS_TEST=${value}`
  onTestFinished(() => {
    for (const pid of processesWith(tag)) process.kill(pid, 'SIGKILL')
  })
  return { env: { XSTATE_SUBAGENTS_TEST: value }, alive: () => processesWith(tag) }
}

const node = (name: string, ...words: string[]): string => [process.execPath, fixture(name), ...words].map((word) => `'${word}'`).join(' ')
/** Numbers of the `ready` line that a fixture wrote into the file. */
async function ready(bench: HooksBench, file: string): Promise<number[]> {
  let pids: number[] = []
  await eventually(() => {
    void bench.lines(file).then(
      (lines) =>
        (pids =
          lines
            .find((line) => line.startsWith('ready'))
            ?.split(' ')
            .slice(1)
            .map(Number) ?? []),
    )
    return pids.length > 0
  })
  return pids
}

/** What a hook is, and how many processes it is besides its shell. */
const kinds: readonly (readonly [string, string])[] = [
  ['one that hangs', 'echo "ready $$" >out; sleep 1000'],
  ['one that ignores SIGTERM and the end of its stdin', `${node('ignores-sigterm')} >out`],
  ['a shell that ignores every signal it can', 'trap \'\' TERM INT HUP PIPE; echo "ready $$" >out; while :; do sleep 0.05; done'],
  ['one that left a daemon and waits', `${node('daemon')} >out; echo "ready $$" >>out; sleep 1000`],
  ['one with a session of its own below it', `setsid sh -c 'echo "ready $$" >out; sleep 1000' & wait; sleep 1000`],
]

describe('processes of hooks', { timeout: 60_000 }, () => {
  it.each(kinds)('H7: dispose ends %s, and resolves when nothing of it is left', async (_, command) => {
    const pipes = openPipes()
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const bridge = bench.bridge(hooks([command, 'echo never >>later'], ['echo never >>later']), { env })
    const { run, answer } = bench.start()
    const pids = await ready(bench, 'out')
    expect(alive().length).toBeGreaterThan(0)
    // The run did not wait for it.
    await answer()
    await run.dispose()
    const disposal = bridge.dispose()
    expect(bridge.dispose()).toBe(disposal)
    await disposal
    expect({ alive: alive(), pids: pids.filter(isAlive), zombies: zombies() }).toEqual({ alive: [], pids: [], zombies: [] })
    expect(openPipes()).toEqual(pipes)
    expect(await bench.lines('later')).toEqual([])
    expect(bench.warnings).toEqual([])
    await bridge.idle()
  })

  it.each(kinds)('H4: at its timeout %s is ended with everything that it started, and the next one runs', async (_, command) => {
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const bridge = bench.bridge(hooks([{ command, timeout: 1 }, 'echo next >>later']), { env })
    const { answer } = bench.start({ id: 'run-1' })
    const pids = await ready(bench, 'out')
    await bridge.idle()
    expect({ alive: alive(), pids: pids.filter(isAlive), zombies: zombies() }).toEqual({ alive: [], pids: [], zombies: [] })
    expect(await bench.lines('later')).toEqual(['next'])
    expect(bench.warnings).toEqual([
      'Hooks: hooks.SubagentStart[0].hooks[0] of run run-1 was ended after its timeout of 1 s, with everything that it started.',
    ])
    await answer()
  })

  it('H7: a daemon that a hook leaves behind when it ends by itself is ended with it', async () => {
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const bridge = bench.bridge(hooks([`${node('daemon', 'ends')} >out; exit 0`, 'sleep 1000 >/dev/null 2>&1 &']), { env })
    await bench.delegate(bridge)
    const [, daemon] = await ready(bench, 'out')
    expect({ alive: alive(), daemon: isAlive(daemon!) }).toEqual({ alive: [], daemon: false })
  })

  it('H7: nothing waits for a hook: result, dispose and close of a run and its service do not', async () => {
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const bridge = bench.bridge(hooks(['echo "ready $$" >out; sleep 1000']), { env })
    const { run, answer } = bench.start()
    await ready(bench, 'out')
    await answer()
    await run.dispose()
    await bench.service.close()
    expect(alive().length).toBeGreaterThan(0)
    await bridge.dispose()
    expect(alive()).toEqual([])
  })

  it('H7: a process is not started in the turn of the event; what was not started is not, once the bridge is disposed', async () => {
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const bridge = bench.bridge(hooks(['echo "ready $$" >>out; sleep 1000'], ['echo stop >>out']), { env, maxConcurrent: 1 })
    const runs = Array.from({ length: 20 }, () => bench.start())
    expect(alive()).toEqual([])
    await ready(bench, 'out')
    await Promise.all(runs.map(({ answer }) => answer()))
    await bridge.dispose()
    expect(alive()).toEqual([])
    expect(await bench.lines('out')).toHaveLength(1)
    const later = bench.start()
    await later.answer()
    await bridge.idle()
    expect(alive()).toEqual([])
    expect(await bench.lines('out')).toHaveLength(1)
  })

  it('H7: disposed in the very turn of the event, no process is started', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge(hooks(['echo never >>out']))
    const { answer } = bench.start()
    await bridge.dispose()
    await answer()
    expect(await bench.lines('out')).toEqual([])
  })

  it.each([
    ['exit', 3],
    ['error', 1],
    ['dispose', 0],
  ] as const)('H7: a host that ends by %s leaves no hook behind, also not one that ignores SIGTERM', async (way, code) => {
    const bench = await createHooksBench()
    const { env, alive } = marked()
    const command = `setsid ${node('ignores-sigterm')} >'${bench.folder}/out'`
    const host = spawn(process.execPath, ['scripts/run.js', 'test/fixtures/hooks/host.ts', way, command], {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = new Promise<number | null>((resolve) => host.once('exit', resolve))
    const [pid] = await ready(bench, 'out')
    host.stdin.write('end\n')
    expect(await ended).toBe(code)
    await eventually(() => alive().length === 0)
    expect(isAlive(pid!)).toBe(false)
  })
})

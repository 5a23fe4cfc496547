import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSubagentService, rootAgent } from '../../../src/index.ts'
import { acpProvider } from '../../../src/providers/acp/index.ts'
import type { AcpProcessSnapshot } from '../../../src/machines/acp-process.ts'
import type { AcpProviderOptions } from '../../../src/providers/acp/index.ts'
import { eventually, isAlive, processesWith } from '../../processes/system.ts'
import { root } from '../../project/source-files.ts'
import { collectLogger, textOf } from '../collect.ts'

const pooledAgent = fileURLToPath(new URL('../../fixtures/acp/pooled-agent.js', import.meta.url))
let made = 0

interface Note {
  readonly pid: number
  readonly event: 'up' | 'greeted' | 'session'
  readonly cwd?: string
  readonly depth?: string
  readonly lineage?: string
  readonly meta?: { readonly 'xstate-subagents': { readonly runId: string; readonly depth: number; readonly lineage: readonly string[] } }
}

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'acp-pool-'))
  const log = join(folder, 'log')
  const mark = `acp-pool-${process.pid}-${made++}-end`
  onTestFinished(() => {
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const notes = (event?: Note['event']): Note[] =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Note)
      .filter((note) => event === undefined || note.event === event)
  return { folder, log, mark, notes }
}

function serve(options: Partial<AcpProviderOptions> = {}, behaviour: object = {}) {
  const { folder, log, mark, notes } = place()
  const logger = collectLogger()
  const service = createSubagentService({ logger })
  onTestFinished(() => service.close())
  const provider = acpProvider({
    command: process.execPath,
    args: [pooledAgent],
    pool: { size: 1 },
    drainMs: 0,
    eofGraceMs: 300,
    termGraceMs: 300,
    ...options,
    env: { POOLED: JSON.stringify(behaviour), POOLED_LOG: log, MARK: mark, ...options.env },
  })
  const unregister = service.registerProvider(provider)
  const greeted = async (count: number): Promise<void> => {
    await eventually(() => notes('greeted').length >= count, 10_000)
    // What they answered was written before that, and is read in the next turns of this loop.
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** @returns the process that served the run */
  const delegate = async (parent = rootAgent({ cwd: folder })): Promise<number> =>
    Number(textOf(await service.delegate('acp', { parent, prompt: 'Say who you are.' })))
  /** Runs until one is served by a process that was there before it. */
  const served = async (): Promise<{ readonly pid: number; readonly wasReady: boolean }> => {
    const before = notes('greeted').map(({ pid }) => pid)
    const pid = await delegate()
    return { pid, wasReady: before.includes(pid) }
  }
  return { service, logger, folder, mark, notes, greeted, delegate, served, unregister }
}

describe('a pool', () => {
  it('A24: is off by default: each run starts its process, and none is there between runs', async () => {
    const { delegate, notes, mark } = serve({ pool: undefined as never })
    const [first, second] = [await delegate(), await delegate()]
    expect(first).not.toBe(second)
    expect(notes('up')).toHaveLength(2)
    expect(processesWith(mark)).toEqual([])
  })

  it('A24: is there from the first run on; each process serves one run, and the next one is there by then', async () => {
    const { greeted, served, notes, mark, service } = serve()
    const seen = [await served()]
    for (let run = 1; run < 4; run++) {
      await greeted(run + 1)
      await eventually(() => processesWith(mark).length === 1, 5000)
      seen.push(await served())
    }
    expect(seen.map(({ wasReady }) => wasReady)).toEqual([false, true, true, true])
    expect(new Set(seen.map(({ pid }) => pid)).size).toBe(4)
    // One for each run, and the one that is ready now.
    await greeted(5)
    expect(notes('up')).toHaveLength(5)
    await service.close()
    expect(processesWith(mark)).toEqual([])
  })

  it('A24, A15: depth, lineage and the run cross in _meta of the session, which is opened with the run', async () => {
    const { greeted, delegate, notes, folder } = serve()
    await delegate()
    await greeted(2)
    expect(notes('session')).toHaveLength(1)
    await delegate(rootAgent({ cwd: folder, id: 'somebody' }))
    const { meta, pid } = notes('session')[1]!
    expect(meta).toMatchObject({ 'xstate-subagents': { depth: 1, lineage: ['somebody'], runId: expect.any(String) } })
    const up = notes('up').find((note) => note.pid === pid)!
    expect([up.depth, up.lineage]).toEqual(['1', undefined])
  })

  it('A24: where folder, depth or limit are others than those of a process, it is not used', async () => {
    const { greeted, served, delegate, notes, folder } = serve({ honoursDepth: true, pool: { size: 1 } })
    await delegate()
    await greeted(2)
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    for (const parent of [rootAgent({ cwd: elsewhere }), rootAgent({ cwd: folder, depth: 1 })]) {
      const ready = notes('greeted').map(({ pid }) => pid)
      const pid = await delegate(parent)
      expect(ready).not.toContain(pid)
      // Now those are kept ready that the last run could have used.
      await greeted(ready.length + 2)
    }
    expect(await served()).toMatchObject({ wasReady: false })
    const ups = notes('up').map(({ cwd, depth }) => `${cwd === elsewhere ? 'elsewhere' : 'here'} ${depth}`)
    expect(ups).toEqual(['here 1', 'here 1', 'elsewhere 1', 'elsewhere 1', 'here 2', 'here 2', 'here 1', ...ups.slice(7)])
  })

  it('A24: with room for two, two folders keep one each', async () => {
    const { greeted, delegate, notes, folder } = serve({ pool: { size: 2 } })
    const elsewhere = join(folder, 'elsewhere')
    mkdirSync(elsewhere)
    await delegate()
    await greeted(3)
    await delegate(rootAgent({ cwd: elsewhere }))
    await greeted(5)
    const ready = notes('greeted').map(({ pid }) => pid)
    expect(ready).toContain(await delegate())
    expect(ready).toContain(await delegate(rootAgent({ cwd: elsewhere })))
  })

  it('A24: a variable of the host that changed is not missed by a process from before', async () => {
    const { greeted, served } = serve()
    await served()
    await greeted(2)
    process.env.LC_POOL_TEST = 'new'
    onTestFinished(() => void delete process.env.LC_POOL_TEST)
    expect((await served()).wasReady).toBe(false)
  })

  it('A24: a process that dies while it is ready is replaced', async () => {
    const { greeted, served, notes, logger } = serve()
    await served()
    await greeted(2)
    const killed = notes('greeted')[1]!.pid
    process.kill(killed, 'SIGKILL')
    await greeted(3)
    const next = await served()
    expect(next).toEqual({ pid: notes('greeted')[2]!.pid, wasReady: true })
    expect(logger.warnings).toEqual([])
  })

  it('A24: a run that is given a process which has just ended gets a new one in its place', async () => {
    const { greeted, served, delegate, notes, logger, mark, service, folder } = serve()
    await served()
    await greeted(2)
    const run = (): Promise<number> => delegate(rootAgent({ cwd: folder }))
    // The host has not heard of it when the run starts.
    const killed = notes('greeted')[1]!.pid
    process.kill(killed, 'SIGKILL')
    expect(await run()).toBe(notes('up')[2]!.pid)
    expect(notes('session').map(({ pid }) => pid)).not.toContain(killed)
    expect(logger.warnings).toEqual([])
    await service.close()
    expect(processesWith(mark)).toEqual([])
  })

  it('A24, A7: so does a run whose process ends before its session is open, and once: where the new one ends too, the run fails', async () => {
    const { greeted, delegate, service, notes, folder, mark } = serve({}, { diesAt: 'session/new' })
    await delegate()
    await greeted(2)
    const run = service.start('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    expect(await run.result).toMatchObject({
      output: [],
      stopReason: 'error',
      failure: {
        code: 'HANDSHAKE_FAILED',
        phase: 'starting',
        message: expect.stringMatching(/ended with exit code 7\. That was in session\/new/),
      },
    })
    await run.dispose()
    expect(notes('up')).toHaveLength(3)
    expect(processesWith(mark)).toEqual([])
  })

  it('A24, A12: a process that ends after the prompt was sent is not replaced', async () => {
    const { greeted, delegate, service, notes, folder } = serve({}, { diesAt: 'session/prompt' })
    await delegate()
    await greeted(2)
    const run = service.start('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    expect(await run.result).toMatchObject({ stopReason: 'error', failure: { code: 'CRASHED', phase: 'running' } })
    await run.dispose()
    expect(notes('session')).toHaveLength(2)
  })

  it('A24: processes that die as soon as they are ready are not started without end', async () => {
    const { folder, log, mark, notes } = place()
    const logger = collectLogger()
    const service = createSubagentService({ logger })
    onTestFinished(() => service.close())
    // The first one lives; whatever is kept ready after it ends at once.
    const script = `
      import { existsSync } from 'node:fs'
      process.env.POOLED = JSON.stringify({ dies: existsSync(process.env.POOLED_LOG) })
      await import(${JSON.stringify(pooledAgent)})`
    service.registerProvider(
      acpProvider({
        command: process.execPath,
        args: ['--input-type=module', '-e', script],
        env: { POOLED_LOG: log, MARK: mark },
        pool: { size: 1 },
        drainMs: 0,
      }),
    )
    const { stopReason } = await service.delegate('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    expect(stopReason).toBe('completed')
    await eventually(() => logger.warnings.length > 0, 10_000)
    expect(logger.warnings).toEqual([
      expect.stringMatching(/^The agent node .* ended 3 times while it was kept ready: no other one is started before the next run\.$/s),
    ])
    await eventually(() => processesWith(mark).length === 0, 5000)
    expect(notes('up')).toHaveLength(4)
  })

  it('A22, A24: what a process wrote to stderr before it had a run is told to the run', async () => {
    const heard: string[] = []
    const { greeted, service, delegate, folder } = serve(
      { onStderr: (chunk, runId) => void heard.push(`${runId} ${Buffer.from(chunk).toString()}`) },
      { says: 'warming up' },
    )
    await delegate()
    await greeted(2)
    heard.length = 0
    const run = service.start('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    await run.result
    await run.dispose()
    expect(heard).toEqual([`${run.runId} warming up`])
  })

  it('A2: a process of a pool is an actor below its run, from the opening of its session on', async () => {
    const { greeted, service, delegate, folder } = serve()
    await delegate()
    await greeted(2)
    const seen: unknown[] = []
    service.ref.system.inspect({
      next: (event) => {
        if (event.type !== '@xstate.snapshot' || !(event.actorRef as { readonly id?: string }).id?.endsWith('-acp')) return
        const { value } = event.snapshot as AcpProcessSnapshot
        if (seen.at(-1) !== value) seen.push(value)
      },
    })
    const run = service.start('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    expect(await run.result).toMatchObject({ stopReason: 'completed' })
    await run.dispose()
    expect(seen).toEqual(['opening', 'ready', 'prompting', 'ready', 'closing', 'closed'])
  })
})

describe('the end of a pool', () => {
  it('A20, A24: nothing is left after the close of the service, also of processes that heed nothing', async () => {
    const { greeted, delegate, service, notes, mark } = serve({ pool: { size: 3 } }, { stubborn: true })
    await delegate()
    await greeted(4)
    expect(processesWith(mark)).toHaveLength(3)
    await service.close()
    expect(processesWith(mark)).toEqual([])
    expect(notes('up').map(({ pid }) => isAlive(pid))).toEqual([false, false, false, false])
  })

  it('A20, A24: nothing is left of processes that are just starting when the service closes', async () => {
    const { delegate, service, mark } = serve({ pool: { size: 3 } })
    await delegate()
    await service.close()
    expect(processesWith(mark)).toEqual([])
  })

  it('A24: the removal of its provider ends it, after the last run of it', async () => {
    const { greeted, delegate, service, unregister, mark, folder, notes } = serve()
    await delegate()
    await greeted(2)
    const run = service.start('acp', { parent: rootAgent({ cwd: folder }), prompt: 'Say who you are.' })
    await run.result
    unregister()
    await eventually(() => notes('up').length === 3, 5000)
    await run.dispose()
    await eventually(() => processesWith(mark).length === 0, 5000)
    expect(processesWith(mark)).toEqual([])
  })

  for (const [way, code] of [
    ['by itself', 0],
    ['process.exit', 3],
  ] as const)
    it(`A20, A24: does not keep its host, and ends with it: ${way}`, async () => {
      const { log, mark, notes } = place()
      const host = spawn(process.execPath, ['scripts/run.js', 'test/fixtures/acp/pool-host.ts', way], {
        cwd: root,
        env: { ...process.env, POOLED: JSON.stringify({ stubborn: true }), POOLED_LOG: log, HOST_MARK: mark },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let out = ''
      let err = ''
      host.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
      host.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
      const ended = await new Promise((resolve) => host.on('exit', (...how) => resolve(how)))
      expect([ended, out, err]).toEqual([[code, null], 'ready\n', ''])
      await eventually(() => processesWith(mark).length === 0 && !notes('up').some(({ pid }) => isAlive(pid)), 5000)
    })
})

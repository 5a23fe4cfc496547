import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { launchProcess } from '../../src/processes/launch.ts'
import { createAcpProvider } from '../../src/providers/acp/provider.ts'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentResult, SubagentUpdate } from '../../src/index.ts'
import { isAlive, processesWith } from '../processes/system.ts'
import { textOf } from '../providers/collect.ts'
import { countingClock } from '../providers/acp/counting-clock.ts'
import { handlesBeyond, handlesOf, noHandles } from '../providers/acp/misbehaviour/handles.ts'
import { randomOf } from './random.ts'

const runs = 100
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1_000_000))
const program = fileURLToPath(new URL('../fixtures/acp/steady.js', import.meta.url))
const [eofGraceMs, termGraceMs] = [400, 400]
/** A cancelled prompt is waited for, then come the steps of the teardown. */
const disposeMs = 2000 + eofGraceMs + termGraceMs + 2000
/** With 100 processes and other work on two cores. */
const slackMs = 15_000
const words = 5
const whole = Array.from({ length: words }, (_, index) => `${index} `).join('')

type Fate = 'left alone' | 'cancelled' | 'killed'
const fates: readonly Fate[] = ['left alone', 'cancelled', 'killed']
/** When the fate comes: at once, some time after the start, when the child is ready, or at one of its words. */
type Moment =
  | { readonly at: 'once' | 'ready' }
  | { readonly at: 'time'; readonly ms: number }
  | { readonly at: 'word'; readonly word: number }

interface Ended {
  readonly fate: Fate
  readonly moment: Moment
  readonly isReady: boolean
  readonly isDeaf: boolean
  readonly result: SubagentResult
  readonly disposedMs: number
  readonly pid: number | undefined
}

it(`A12, A19, A20: ${runs} runs at a time, a third cancelled, a third killed from outside at random moments: each settles right, nothing is left (SEED=${seed})`, async () => {
  const random = randomOf(seed)
  const folder = mkdtempSync(join(tmpdir(), 'acp-parallel-'))
  const records = join(folder, 'pids')
  const mark = `parallel-${process.pid}-end`
  const before = handlesOf(folder)
  const { clock, timers } = countingClock()
  const warnings: string[] = []
  const warn = (message: string): void => void warnings.push(message)
  const service = createSubagentService({ clock, logger: { debug: () => {}, warn, error: warn }, releaseGraceMs: 60_000 })

  const one = async (index: number): Promise<Ended> => {
    const fate = fates[index % fates.length]!
    const moment = momentOf(random)
    const behaviour = {
      waitMs: random(50),
      ...(fate === 'left alone' && { words }),
      deaf: random(4) === 0,
      stubborn: random(4) === 0,
      tool: random(5) === 0,
    }
    const abort = new AbortController()
    const way = random(3)
    let pid: number | undefined
    let isDone = false
    let isReady = false
    const strike = (): void => {
      if (isDone || fate === 'left alone') return
      isDone = true
      if (fate === 'killed') process.kill(pid!, 'SIGKILL')
      else if (way === 0) run.cancel()
      else if (way === 1) abort.abort()
      else void run.dispose()
    }
    const provider = createAcpProvider(
      {
        name: `child ${index}`,
        command: process.execPath,
        args: [program],
        env: { STEADY: JSON.stringify(behaviour), MISBEHAVIOUR_PIDS: records, PARALLEL_MARK: mark },
        eofGraceMs,
        termGraceMs,
      },
      {
        launch: (options) => {
          const launched = launchProcess(options)
          pid = launched.pid
          return launched
        },
      },
    )
    const disposer = service.registerProvider(provider)
    const listener = service.on('subagent/update', ({ runId, update }) => {
      if (runId !== String(index)) return
      isReady ||= update.type === 'ready'
      if (isMoment(moment, update)) queueMicrotask(strike)
    })
    const run = service.start(provider.name, {
      id: String(index),
      parent: rootAgent({ cwd: tmpdir() }),
      prompt: 'Count.',
      signal: abort.signal,
    })
    if (moment.at === 'once') strike()
    const timer = moment.at === 'time' ? setTimeout(strike, moment.ms) : undefined
    const result = await run.result
    clearTimeout(timer)
    const settledAt = performance.now()
    await run.dispose()
    const disposedMs = performance.now() - settledAt
    listener.unsubscribe()
    disposer()
    return { fate, moment, isReady, isDeaf: behaviour.deaf, result, disposedMs, pid }
  }

  try {
    const ended = await Promise.all(Array.from({ length: runs }, (_, index) => one(index)))
    const left = { byMark: processesWith(mark), byRecord: recorded(records).filter(isAlive), timers: timers.size }
    expect(left).toEqual({ byMark: [], byRecord: [], timers: 0 })
    for (const each of ended) expectRight(each)
    const stages = new Set(ended.map(({ fate, isReady }) => `${fate}, ${isReady ? 'ready' : 'starting'}`))
    expect(stages).toEqual(new Set(['left alone, ready', 'cancelled, starting', 'cancelled, ready', 'killed, starting', 'killed, ready']))
    expect(recorded(records).length).toBeGreaterThan(runs / 2)
    expect(warnings).toEqual([])
    rmSync(records)
    expect(await handlesBeyond(before, folder)).toEqual(noHandles)
  } finally {
    await service.close()
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
  }
}, 180_000)

function expectRight({ fate, moment, isReady, isDeaf, result, disposedMs, pid }: Ended): void {
  const about = JSON.stringify({ fate, moment, isReady, disposedMs, result })
  const text = textOf(result)
  expect(disposedMs, about).toBeLessThan(disposeMs + slackMs)
  expect(pid === undefined || !isAlive(pid), about).toBe(true)
  if (fate === 'left alone') {
    expect({ stopReason: result.stopReason, text }, about).toEqual({ stopReason: 'completed', text: whole })
    return
  }
  // What was said before, and nothing else.
  const said = text.trim() === '' ? [] : text.trim().split(' ')
  expect(said, about).toEqual(said.map((_, index) => String(index)))
  if (fate === 'cancelled') {
    expect(result.stopReason, about).toBe('aborted')
    // One that heeds nothing is given up, where it was at work.
    if (isDeaf && said.length > 0) expect(result.failure?.code, about).toBe('DEAF')
    if (!isDeaf || !isReady) expect(result.failure, about).toBeUndefined()
    return
  }
  expect(result.failure, about).toMatchObject(
    isReady ? { code: 'CRASHED', phase: 'running', retryable: true } : { code: 'HANDSHAKE_FAILED', phase: 'starting' },
  )
  expect(result.stopReason, about).toBe('error')
  expect(result.diagnostic, about).toContain('was ended by SIGKILL')
  if (moment.at === 'word') expect(said.length, about).toBeGreaterThan(moment.word)
}

function momentOf(random: (below: number) => number): Moment {
  const kind = random(8)
  if (kind === 0) return { at: 'once' }
  if (kind === 1) return { at: 'ready' }
  if (kind < 4) return { at: 'word', word: random(10) }
  return { at: 'time', ms: random(4000) }
}

function isMoment(moment: Moment, update: SubagentUpdate): boolean {
  if (moment.at === 'ready') return update.type === 'ready'
  return moment.at === 'word' && update.type === 'text' && update.text === `${moment.word} `
}

function recorded(file: string): number[] {
  return readFileSync(file, 'utf8').trim().split('\n').map(Number)
}

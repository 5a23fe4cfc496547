/** Runs a row of the table and tells what came of it, and what the system says is left. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchProcess } from '../../../../src/processes/launch.ts'
import type { CloseStep } from '../../../../src/processes/launched-process.ts'
import { createAcpProvider } from '../../../../src/providers/acp/provider.ts'
import { createSubagentService, rootAgent } from '../../../../src/index.ts'
import type { SubagentResult, SubagentRun } from '../../../../src/index.ts'
import { isAlive, processesWith } from '../../../processes/system.ts'
import { collectLogger } from '../../collect.ts'
import { countingClock } from '../counting-clock.ts'
import type { Misbehaviour } from './misbehaviour.ts'

export const agentProgram = fileURLToPath(new URL('../../../fixtures/acp/misbehaving/main.js', import.meta.url))

export interface Observation {
  readonly result: SubagentResult
  readonly settledMs: number
  readonly disposedMs: number
  readonly endedBy: CloseStep | undefined
  /** Updates heard, by kind. */
  readonly updates: { readonly [type: string]: number }
  readonly droppedUpdates: number
  readonly warnings: readonly string[]
  readonly left: Leftovers
}

/** As the system sees it at the moment when `dispose` has resolved. */
export interface Leftovers {
  readonly byMark: readonly number[]
  readonly byRecord: readonly number[]
  readonly timers: number
}

export const nothingLeft: Leftovers = { byMark: [], byRecord: [], timers: 0 }

const outputSchema = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }

let made = 0

export async function observe({
  mode,
  options,
  timeoutMs,
  cancelGraceMs,
  promptCharacters,
  wantsResult,
  when,
}: Misbehaviour): Promise<Observation> {
  const folder = mkdtempSync(join(tmpdir(), 'misbehaviour-'))
  const records = join(folder, 'pids')
  const mark = `${process.pid}-${made++}-end`
  const { clock, timers } = countingClock()
  const logger = collectLogger()
  let closing: ReturnType<ReturnType<typeof launchProcess>['close']> | undefined
  const provider = createAcpProvider(
    {
      command: process.execPath,
      args: [agentProgram, mode],
      env: { MISBEHAVIOUR_PIDS: records, MISBEHAVIOUR_MARK: mark },
      cwd: folder,
      // A busy machine takes its time for what is done at once.
      eofGraceMs: 5000,
      ...options,
    },
    {
      launch: (launchOptions) => {
        const launched = launchProcess({ ...launchOptions, writeTimeoutMs: 500 })
        const close = launched.close.bind(launched)
        launched.close = () => (closing = close())
        return launched
      },
    },
  )
  const service = createSubagentService({ providers: [provider], clock, logger })
  try {
    const updates: Record<string, number> = {}
    let text = ''
    service.on('subagent/update', ({ update }) => {
      updates[update.type] = (updates[update.type] ?? 0) + 1
      if (update.type === 'text') text += update.text
      const isDue = when && (when.seen === 'permission' ? update.type === 'permission' : update.type === 'text' && text === when.seen.text)
      if (isDue) act(run, when.then)
    })
    const startedAt = performance.now()
    const run = service.start('acp', {
      parent: rootAgent(),
      prompt: promptCharacters === undefined ? 'the task' : 'x'.repeat(promptCharacters),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(cancelGraceMs !== undefined && { cancelGraceMs }),
      ...(wantsResult && { outputSchema }),
      releaseGraceMs: 60_000,
    })
    const result = await run.result
    const settledAt = performance.now()
    await run.dispose()
    const disposedAt = performance.now()
    const left = { byMark: processesWith(mark), byRecord: recorded(records).filter(isAlive), timers: timers.size }
    return {
      result,
      settledMs: settledAt - startedAt,
      disposedMs: disposedAt - settledAt,
      endedBy: (await closing)?.by,
      updates,
      droppedUpdates: run.droppedUpdates,
      warnings: logger.warnings,
      left,
    }
  } finally {
    await service.close()
    for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
  }
}

/** Outside of the update that it is about: the run is told in its own turn. */
function act(run: SubagentRun, what: NonNullable<Misbehaviour['when']>['then']): void {
  queueMicrotask(() => (what === 'cancel' ? run.cancel() : run.sendMessage!('the message')))
}

function recorded(file: string): number[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').map(Number)
  } catch {
    return []
  }
}

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { failureCodes, errorCodes } from '../../../../src/index.ts'
import { handlesBeyond, handlesOf, noHandles } from './handles.ts'
import type { Handles } from './handles.ts'
import { agentProgram, nothingLeft, observe } from './observe.ts'
import type { Observation } from './observe.ts'
import { families } from './table.ts'
import type { Misbehaviour, Outcome } from './misbehaviour.ts'

/** How many agents run at a time. */
const atOnce = 6
/** What a busy machine may take longer, for what is bounded. */
const slackMs = 15_000

/** Where temporary files are made, also the records of the fixtures, which are gone by the time that is looked. */
const temporary = mkdtempSync(join(tmpdir(), 'misbehaviour-temporary-'))
afterAll(() => rmSync(temporary, { recursive: true }))

async function observeAll(rows: readonly Misbehaviour[]): Promise<Map<string, Observation>> {
  const seen = new Map<string, Observation>()
  const queue = [...rows]
  const work = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) seen.set(row.mode, await observe(row))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return seen
}

function summaryOf({ result, updates, droppedUpdates, warnings, endedBy }: Observation, expected: Outcome): unknown {
  const { stopReason, failure, structured } = result
  const texts = result.output.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`))
  return {
    stopReason,
    ...(failure && { failure: { code: failure.code, phase: failure.phase, retryable: failure.retryable } }),
    ...(structured !== undefined && { structured }),
    text: 'end' in expected.text ? expected.text : texts,
    ...(expected.updates && {
      updates: Object.fromEntries(Object.keys(expected.updates).map((type) => [type, updates[type] ?? 0])),
    }),
    ...(expected.droppedUpdates !== undefined && { droppedUpdates }),
    warnings: warnings.length,
    endedBy,
  }
}

describe.each(Object.entries(families))('agents that misbehave: %s', (_, rows) => {
  let seen: Map<string, Observation>
  let open: Handles
  beforeAll(async () => {
    vi.stubEnv('TMPDIR', temporary)
    const before = handlesOf(temporary)
    seen = await observeAll(rows)
    open = await handlesBeyond(before, temporary)
    vi.unstubAllEnvs()
  })

  it.each(rows)('A25: row $row: an agent that $does ($mode)', ({ mode, gives }) => {
    const observation = seen.get(mode)!
    const { result, settledMs, disposedMs, warnings, left } = observation
    expect(summaryOf(observation, gives), result.diagnostic).toEqual({
      stopReason: gives.stopReason,
      ...(gives.failure && { failure: gives.failure }),
      ...(gives.structured !== undefined && { structured: gives.structured }),
      text: gives.text,
      ...(gives.updates && { updates: gives.updates }),
      ...(gives.droppedUpdates !== undefined && { droppedUpdates: gives.droppedUpdates }),
      warnings: gives.warns === undefined ? 0 : 1,
      endedBy: gives.endedBy,
    })
    expectText(result, gives)
    expectDiagnostic(result.diagnostic, gives.says)
    if (gives.warns !== undefined) expect(warnings[0]).toContain(gives.warns)
    expect(left).toEqual(nothingLeft)
    expect(settledMs).toBeGreaterThanOrEqual(gives.afterMs ?? 0)
    expect(settledMs).toBeLessThan((gives.afterMs ?? 0) + slackMs)
    expect(disposedMs).toBeLessThan((gives.disposeMs ?? 500) + slackMs)
  })

  it('A20, A25: nothing is left open after them in the process of the caller', () => {
    expect(open).toEqual(noHandles)
  })
})

function expectText({ output }: Observation['result'], { text }: Outcome): void {
  if (!('end' in text)) return
  const all = output.map((block) => (block.type === 'text' ? block.text : '')).join('')
  expect(all.endsWith(text.end)).toBe(true)
  expect(all.length).toBe(text.characters)
}

/** Each in its place, after the one before. */
function expectDiagnostic(diagnostic: string | undefined, says: Outcome['says'] = []): void {
  if (says.length === 0) return expect(diagnostic).toBeUndefined()
  let at = 0
  for (const words of says) {
    expect(diagnostic!.slice(at)).toContain(words)
    at = diagnostic!.indexOf(words, at) + words.length
  }
}

describe('the table of misbehaviour', () => {
  const rows = Object.values(families).flat()

  it('A25: has every mode of the fixture, once, and every row of the catalogue', () => {
    const { stdout } = spawnSync(process.execPath, [agentProgram, '--list'], { encoding: 'utf8' })
    const inner = ['tells-its-wrapper']
    const modes = stdout.trim().split('\n')
    expect(rows.map(({ mode }) => mode).toSorted()).toEqual([...modes.filter((mode) => !inner.includes(mode)), 'missing'].toSorted())
    expect([...new Set(rows.map(({ row }) => row))].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1))
  })

  it('A25: names codes that exist', () => {
    const codes = rows.flatMap(({ gives }) => gives.failure?.code ?? [])
    expect(codes.filter((code) => !(code in failureCodes) && !(code in errorCodes))).toEqual([])
  })
})

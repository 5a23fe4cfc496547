import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { PermissionQuestion, SubagentServiceOptions, SubagentUpdate } from '../../src/index.ts'
import { acpProvider } from '../../src/providers/acp/index.ts'
import { processesWith } from '../processes/system.ts'
import { collectLogger, textOf } from '../providers/collect.ts'

const program = fileURLToPath(new URL('../../examples/acp-agent/main.js', import.meta.url))
const project = fileURLToPath(new URL('../../examples/sample-project', import.meta.url))
const prompt = 'Find every TODO and rank them'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function serve(
  flags: readonly string[] = [],
  { permission = 'reject', ...options }: SubagentServiceOptions & { permission?: 'ask' | 'reject' | 'allow' } = {},
) {
  const logger = collectLogger()
  const provider = acpProvider({ command: process.execPath, args: [program, ...flags], honoursDepth: true, permission })
  const service = createSubagentService({ providers: [provider], logger, ...options })
  const updates: SubagentUpdate[] = []
  service.on('subagent/update', ({ update }) => void updates.push(update))
  cleanUps.push(() => service.close())
  const start = (maxDepth = 4) => service.start('acp', { parent: rootAgent({ cwd: project }), prompt, maxDepth })
  const tools = (): string[] => updates.flatMap((update) => (update.type === 'tool-call' ? [update.name] : []))
  /** How each call of the tool came out. */
  const outcomesOf = (name: string): string[] => {
    const calls = new Set(updates.flatMap((update) => (update.type === 'tool-call' && update.name === name ? [update.toolCallId] : [])))
    return updates.flatMap((update) => (update.type === 'tool-result' && calls.has(update.toolCallId) ? [update.status] : []))
  }
  return { service, logger, updates, start, tools, outcomesOf }
}

describe('examples/acp-agent', () => {
  it('A1, A9: does the task of the demo through a child process, which delegates in its turn', async () => {
    const { start, tools, logger } = serve()
    const run = start()
    const result = await run.result
    expect(result.stopReason).toBe('completed')
    expect(textOf(result)).toMatch(/^Found 12 TODOs in 10 of 16 files searched/)
    expect(tools().toSorted()).toEqual(['list_files', 'subagent', 'subagent', 'subagent'])
    await run.dispose()
    expect(logger.warnings).toEqual([])
  })

  it('A15: keeps to the depth that it was given: at the limit there is nothing to delegate with', async () => {
    for (const [maxDepth, outcome] of [
      [2, 'ok'],
      [1, 'error'],
    ] as const) {
      const { start, outcomesOf } = serve()
      const run = start(maxDepth)
      expect((await run.result).stopReason).toBe('completed')
      expect(outcomesOf('subagent')).toEqual([outcome, outcome, outcome])
      await run.dispose()
    }
  })

  it('A13, A15: what a grandchild asks, in a process of its own, comes up to the handler of this service', async () => {
    const questions: PermissionQuestion[] = []
    const { start } = serve(['--children', 'acp', '--ask-for', 'search_files'], {
      permission: 'ask',
      onPermission: (question) => {
        questions.push(question)
        return { optionId: 'allow' }
      },
    })
    const run = start()
    expect(textOf(await run.result)).toMatch(/^Found 12 TODOs/)
    expect(questions.length).toBeGreaterThan(0)
    for (const { runId, lineage, request } of questions) {
      expect([runId, lineage]).toEqual([run.runId, ['root']])
      expect(request.title).toMatch(/^search_files /)
      expect(request.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once'])
    }
    await run.dispose()
  })

  it('A15: a grandchild, in a process of its own, is told of the caller in this one as the outermost above it', async () => {
    const outermost = `caller-${process.pid}`
    const seen: string[][] = []
    const { service } = serve(['--children', 'acp', '--ask-for', 'search_files'], {
      permission: 'ask',
      onPermission: () => {
        for (const pid of processesWith(`SUBAGENT_LINEAGE=["${outermost}","`)) {
          const lineage = readFileSync(`/proc/${pid}/environ`, 'utf8')
            .split('\0')
            .find((each) => each.startsWith('SUBAGENT_LINEAGE='))!
          seen.push(JSON.parse(lineage.slice('SUBAGENT_LINEAGE='.length)) as string[])
        }
        return { optionId: 'allow' }
      },
    })
    const run = service.start('acp', { parent: rootAgent({ cwd: project, id: outermost }), prompt, maxDepth: 4 })
    await run.result
    await run.dispose()
    expect(seen.length).toBeGreaterThan(0)
    for (const lineage of seen) expect(lineage).toEqual([outermost, expect.stringMatching(/^agent-/)])
  })

  it('A13: a tool that is refused is an error to its model, and the turn goes on', async () => {
    const { start, updates } = serve(['--ask-for', 'list_files'])
    const run = start()
    const { stopReason } = await run.result
    expect(stopReason).toBe('completed')
    expect(updates.flatMap((update) => (update.type === 'tool-result' ? [update.status] : []))[0]).toBe('error')
    expect(updates.map(({ type }) => type)).toContain('permission')
    await run.dispose()
  })

  it('A11: is cancelled in the middle of its turn', async () => {
    const { service, start } = serve()
    service.on('subagent/update', ({ update }) => {
      if (update.type === 'tool-call') run.cancel('enough')
    })
    const run = start()
    expect((await run.result).stopReason).toBe('aborted')
    await run.dispose()
  })

  it('A16: loads a session that another process of it began', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'acp-sessions-'))
    cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
    const { start, updates } = serve(['--sessions', folder])
    const run = start()
    const first = await run.result
    await run.dispose()
    const before = updates.length
    const resumed = run.resume!(prompt)
    const second = await resumed.result
    expect([second.stopReason, second.sessionId]).toEqual(['completed', first.sessionId])
    // What it told of the past while it loaded is no part of it.
    expect(updates.slice(before, before + 1).map(({ type }) => type)).toEqual(['ready'])
    await resumed.dispose()
  })
})

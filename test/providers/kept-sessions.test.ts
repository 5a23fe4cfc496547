import { readdirSync, readFileSync } from 'node:fs'
import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/index.ts'
import type { SubagentRun } from '../../src/index.ts'
import type { ScriptedStep } from '../../src/testing/index.ts'
import { settle } from '../agents/harness.ts'
import { temporaryDirectory } from '../agents/sessions/temporary-directory.ts'
import { setUp, talk } from './set-up.ts'

const parent = rootAgent({ cwd: '/work' })
const anything = jsonSchema({ type: 'object' })
const calling = { text: 'calling', tools: [{ name: 'work' }] }

function keep(steps: readonly ScriptedStep[], work: () => unknown = () => 'ok', options: object = {}) {
  const directory = temporaryDirectory()
  const tools = { work: tool({ inputSchema: anything, execute: async () => work() }) }
  const kept = (id: string): { type?: string; seedLength?: number; reason?: { kind: string } }[] =>
    readFileSync(`${directory}/${id}.jsonl`, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as object)
  return { directory, kept, ...setUp(steps, { tools, sessions: { directory }, ...options }) }
}

describe('children whose sessions are kept', () => {
  it.each(['spawn', 'fork'])(
    'G8: of %s are on disk, with their end, before the result is there; their lock goes with them',
    async (name) => {
      const { agents, service, kept, directory } = keep(['of the parent', 'of the child'])
      const { agent } = agents.create({ sessionId: 'parent' })
      await talk(agent, 'hello')
      const run = service.start(name, { parent: agent, prompt: 'go' })
      const lines = await run.result.then(({ sessionId }) => kept(sessionId!))
      expect(lines.at(-1)).toMatchObject({ type: 'turn/end', reason: { kind: 'completed' } })
      expect(lines[0]).toMatchObject({ parentSession: 'parent', delegationDepth: 1, ...(name === 'fork' && { seedLength: 4 }) })
      expect(lines.length).toBe(name === 'fork' ? 9 : 5)
      await run.dispose()
      expect(readdirSync(directory).filter((file) => file.endsWith('.lock'))).toEqual(['parent.lock'])
      await service.close()
    },
  )
})

describe('the step ceiling', () => {
  it('G11: settles the run as error with code MAX_STEPS, the text kept, the calls of the last step answered', async () => {
    let calls = 0
    const { service, kept } = keep(
      Array.from({ length: 9 }, () => calling),
      () => ++calls,
    )
    const run = service.start('spawn', { parent, prompt: 'go', agentOptions: { maxSteps: 3 } })
    const { stopReason, failure, output, sessionId } = await run.result
    expect([stopReason, failure?.code, output, calls]).toEqual(['error', 'MAX_STEPS', [{ type: 'text', text: 'calling' }], 3])
    const types = kept(sessionId!).map(({ type }) => type)
    expect([types.filter((type) => type === 'tool/call').length, types.filter((type) => type === 'tool/result').length]).toEqual([3, 3])
    expect(types.at(-1)).toBe('turn/end')
    await run.dispose()
  })

  it("G11: is the factory's where the request names none, and 50 where nobody does", async () => {
    for (const [options, ceiling] of [
      [{ maxSteps: 2 }, 2],
      [{}, 50],
    ] as const) {
      let calls = 0
      const { service } = keep(
        Array.from({ length: 60 }, () => calling),
        () => ++calls,
        options,
      )
      const { stopReason, failure } = await service.delegate('spawn', { parent, prompt: 'go' })
      expect([stopReason, failure?.code, calls]).toEqual(['error', 'MAX_STEPS', ceiling])
    }
  })

  it('G11: counts the steps of a turn across what is steered into it and tools that change', async () => {
    let ran = 0
    // A new tool each time it is asked for.
    const tools = () => ({ work: tool({ inputSchema: anything, execute: async () => ++ran }) })
    const steps = Array.from({ length: 9 }, (_, index) => () => {
      if (index < 2) run.sendMessage!('hurry')
      return calling
    })
    const { service, agents, model } = keep(steps, undefined, { tools })
    const run: SubagentRun = service.start('spawn', { parent, prompt: 'go', agentOptions: { maxSteps: 4 } })
    expect((await run.result).failure?.code).toBe('MAX_STEPS')
    const types = agents.get(run.id)!.session.events.map(({ type }) => type)
    const step = ['assistant/message', 'tool/call', 'tool/result']
    const start = ['turn/start', 'user/message']
    expect(types).toEqual([...start, ...step, 'user/message', ...step, 'user/message', ...step, ...step, 'turn/end'])
    expect([model.calls.length, ran]).toEqual([4, 4])
    await run.dispose()
  })
})

describe('a child that ignores its signal', () => {
  const deafTool: readonly ScriptedStep[] = [calling]
  const deafModel: readonly ScriptedStep[] = [{ text: 'half', hang: true, deaf: true }]
  const never = () => new Promise(() => {})

  it.each([
    ['tool', deafTool],
    ['model', deafModel],
  ])('G13: in its %s holds nobody at a cancel, whose end is on disk', async (_, steps) => {
    const { service, kept } = keep(steps, never)
    const run = service.start('spawn', { parent, prompt: 'go', releaseGraceMs: 20 })
    await settle()
    run.cancel('no longer needed')
    const { stopReason, output, sessionId } = await run.result
    expect([stopReason, output.length, kept(sessionId!).at(-1)!.reason!.kind]).toEqual(['aborted', 1, 'aborted'])
    await run.dispose().catch(() => {})
  })

  it.each([
    ['tool', deafTool],
    ['model', deafModel],
  ])('G13: in its %s holds nobody at a deadline', async (_, steps) => {
    const { service } = keep(steps, never)
    const run = service.start('spawn', { parent, prompt: 'go', timeoutMs: 30, releaseGraceMs: 20 })
    expect((await run.result).stopReason).toBe('timed-out')
    await run.dispose().catch(() => {})
  })

  it.each([
    ['tool', deafTool],
    ['model', deafModel],
  ])('G13: in its %s holds neither dispose nor close beyond the grace, and its session can be resumed', async (name, steps) => {
    const { service, agents } = keep(steps, never)
    const first = service.start('spawn', { parent, prompt: 'go', releaseGraceMs: 20 })
    await settle()
    const disposed = await first.dispose().then(
      () => 'released',
      (error: { code: string }) => error.code,
    )
    // A tool that still runs is something the child holds; a model's call is given up.
    expect([disposed, first.leaked]).toEqual(name === 'tool' ? ['RELEASE_TIMEOUT', true] : ['released', false])
    const { sessionId } = await first.result
    const resumed = agents.resume(sessionId!)
    expect(resumed.agent.session.events.at(-1)).toMatchObject({ type: 'turn/end' })
    await resumed.dispose()
    await service.close()
  })
})

import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createSubagentService, rootAgent } from '../../../../src/index.ts'
import { acpProvider } from '../../../../src/providers/acp/index.ts'
import type { AcpProviderOptions } from '../../../../src/providers/acp/index.ts'
import { openPipes, processesWith } from '../../../processes/system.ts'
import { textOf } from '../../collect.ts'
import { setUp } from '../memory-agent.ts'

const agent = fileURLToPath(new URL('../../../fixtures/acp/structured-agent.js', import.meta.url))
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false }
const called = '<When the work is done, give its result by calling the tool s> '
const written = '<When the work is done, end your answer with its result: one > '
const notFit = `(error: The result does not fit the schema. Repair this, and call structured_output again:
- n: must be number, was "x") `

async function delegate(script: object, options: Partial<AcpProviderOptions> = {}, schema: unknown = outputSchema) {
  const provider = acpProvider({ command: process.execPath, args: [agent, JSON.stringify(script)], drainMs: 0, ...options })
  const service = createSubagentService({ providers: [provider] })
  onTestFinished(() => service.close())
  const run = service.start('acp', { parent: rootAgent({ cwd: tmpdir() }), prompt: 'work', outputSchema: schema })
  const result = await run.result
  await run.dispose()
  return result
}

describe('the structured result of a child that is a process', { timeout: 30_000 }, () => {
  it.each(['http', 'stdio'])(
    'A14: over %s: what does not fit goes back with its path, the first that fits wins, a later one is refused',
    async (mcp) => {
      const before = openPipes()
      const result = await delegate({ mcp, calls: [{ n: 'x' }, { n: 1 }, { n: 2 }] })
      expect(result).toMatchObject({ stopReason: 'completed', structured: { n: 1 } })
      expect(textOf(result)).toBe(
        `${called}[${mcp} structured_output ["n"]] ${notFit}(ok: The result is taken.) (error: Refused: the result was given already, and stands.) `,
      )
      // Server, sockets and relay went with the run.
      expect(openPipes()).toEqual(before)
      expect(processesWith('SUBAGENT_RESULT_URL=')).toEqual([])
    },
  )

  it('A14: a Standard Schema decides itself, also late, and its output is the result', async () => {
    const schema = z.object({ n: z.coerce.number().refine(async (n) => n > 1, 'must be more than one') })
    const result = await delegate({ calls: [{ n: 1 }, { n: '2' }] }, {}, schema)
    expect(result).toMatchObject({ stopReason: 'completed', structured: { n: 2 } })
    expect(textOf(result)).toContain('- n: must be more than one')
  })

  it('A14: the permission for the tool itself is given whatever the policy says', async () => {
    for (const title of ['mcp__result__structured_output', 'result_structured_output'])
      expect(await delegate({ calls: [{ n: 1 }], title, ask: 'permission' }, { permission: 'reject' })).toMatchObject({
        structured: { n: 1 },
      })
    // By the id of a call that it told of before.
    const byId = await delegate({ calls: [{ n: 1 }], title: 'result_structured_output', ask: 'update' }, { permission: 'reject' })
    expect(byId).toMatchObject({ structured: { n: 1 } })
  })

  it('A14: a name that has that of the tool in it is not that tool, nor is a command of that name', async () => {
    for (const more of [
      { title: 'rm -rf structured_output' },
      { title: 'Structured_Output' },
      { title: 'structured_output', kind: 'execute' },
    ]) {
      const result = await delegate({ calls: [{ n: 1 }], ...more }, { permission: 'reject' })
      expect(result).toMatchObject({ stopReason: 'error', failure: { code: 'NO_STRUCTURED_OUTPUT' } })
      expect(textOf(result)).toContain('refused ')
    }
  })

  it('A14: without a call the last JSON block of the text is the result where it fits', async () => {
    const result = await delegate({ text: 'Not {"n":1}.\n```json\n{"n": 2}\n```\n' })
    expect(result).toMatchObject({ stopReason: 'completed', structured: { n: 2 } })
  })

  it('A14: without a result the run has failed with NO_STRUCTURED_OUTPUT, and its text is kept', async () => {
    const none = await delegate({ text: 'I have no JSON.' })
    expect(none).not.toHaveProperty('structured')
    expect(none).toMatchObject({
      stopReason: 'error',
      failure: {
        code: 'NO_STRUCTURED_OUTPUT',
        phase: 'running',
        retryable: true,
        message: 'The child ended without a structured result: no call of structured_output, and no JSON object in its text.',
      },
    })
    expect(textOf(none)).toBe(`${called}[http structured_output ["n"]] I have no JSON.`)
    const wrong = await delegate({ calls: [{ n: 'a secret' }], text: '```json\n{"n":"another"}\n```' })
    expect(wrong.failure?.message).toBe(
      'The child ended without a structured result. The last that it gave did not fit:\n- n: must be number',
    )
    expect(wrong.diagnostic).not.toMatch(/secret|another/)
  })

  it('A14: an agent declared unable is refused at start', () => {
    const service = createSubagentService({ providers: [acpProvider({ command: 'agent', structuredOutput: false })] })
    onTestFinished(() => service.close())
    const start = (): unknown => service.start('acp', { parent: rootAgent({ cwd: tmpdir() }), prompt: 'work', outputSchema })
    expect(start).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_CAPABILITY' }) as Error)
  })

  it('A14: a schema that cannot be checked against is refused at start, and nothing is spawned', () => {
    const { start, agents, service } = setUp()
    onTestFinished(() => service.close())
    expect(() => start({ outputSchema: { type: 'object', properties: { n: { type: 'nothing' } } } })).toThrow(/^outputSchema is not a schema/)
    expect(agents).toEqual([])
  })

  it('A14: the prompt waits five seconds for an agent that never looks at the tool, which is then asked for text', async () => {
    const { start, agents, clock, service } = setUp({
      'session/prompt': ({ id }, memory) => {
        memory.text('{"n":3}')
        memory.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    onTestFinished(() => service.close())
    const run = start({ outputSchema })
    await expect.poll(() => agents[0]?.got('session/new')).toBeDefined()
    await expect.poll(() => run.ref.getSnapshot().value).toEqual({ running: 'active' })
    clock.advance(4_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(agents[0]!.got('session/prompt')).toBeUndefined()
    clock.advance(1)
    expect(await run.result).toMatchObject({ stopReason: 'completed', structured: { n: 3 } })
    const { prompt } = agents[0]!.got('session/prompt')!.params
    expect(`<${prompt[1].text.slice(0, 60)}> `).toBe(written)
    expect(prompt[1].text).toContain(JSON.stringify(outputSchema))
    await run.dispose()
  })

  it('A14: a cancel while the prompt waits for the tool ends the run, and it is never sent', async () => {
    const { start, agents, service } = setUp()
    onTestFinished(() => service.close())
    const run = start({ outputSchema })
    await expect.poll(() => run.ref.getSnapshot().value).toEqual({ running: 'active' })
    run.cancel()
    expect(await run.result).toMatchObject({ stopReason: 'aborted' })
    await run.dispose()
    expect(agents[0]!.got('session/prompt')).toBeUndefined()
  })

  it('A14, A21: the token is in no argument of a program, and not in a diagnostic', async () => {
    const { start, agents, clock, service } = setUp({
      'session/prompt': (_, memory) => {
        const [server] = memory.got('session/new')!.params.mcpServers
        memory.stderr = `connecting with ${server.env.map(({ value }: { value: string }) => value).join(' ')}`
        memory.exit({ code: 1 })
      },
    })
    onTestFinished(() => service.close())
    const run = start({ outputSchema })
    await expect.poll(() => run.ref.getSnapshot().value).toEqual({ running: 'active' })
    clock.advance(5_000)
    const { stopReason, diagnostic } = await run.result
    await run.dispose()
    const [server] = agents[0]!.got('session/new')!.params.mcpServers
    const token = server.env.find(({ name }: { name: string }) => name === 'SUBAGENT_RESULT_TOKEN').value
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(server.args.join(' ')).not.toContain(token)
    expect(stopReason).toBe('error')
    expect(diagnostic).toMatch(/connecting with http:\S+ \[token\]/)
  })

  it('A14, A16: a run that goes on with the process has to give a result of its own', async () => {
    const { start, agents, service } = setUp({
      'session/new': ({ id, params }, memory) => {
        const [server] = params.mcpServers
        const headers = Object.fromEntries(server.headers.map(({ name, value }: { name: string; value: string }) => [name, value]))
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
        void fetch(server.url, { method: 'POST', headers, body })
        memory.send({ id, result: { sessionId: 's' } })
      },
      initialize: ({ id }, memory) =>
        memory.send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } } }),
      'session/prompt': ({ id, params }, memory) => {
        memory.text(params.prompt[0].text)
        memory.send({ id, result: { stopReason: 'end_turn' } })
      },
    })
    onTestFinished(() => service.close())
    const first = start({ outputSchema, prompt: '{"n":1}' })
    expect(await first.result).toMatchObject({ structured: { n: 1 } })
    const second = first.resume!('{"n":2}')
    expect(await second.result).toMatchObject({ structured: { n: 2 } })
    const third = second.resume!('nothing')
    const { failure } = await third.result
    expect(failure?.code).toBe('NO_STRUCTURED_OUTPUT')
    for (const run of [first, second, third]) await run.dispose()
    expect(agents).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import { defineSubagentTool, subagentTool } from '../../src/tools/index.ts'
import { parent, serviceWith, task } from './doubles.ts'

describe('T13: maxDepth', () => {
  const maxDepthOf = async (depthLimit: boolean, maxDepth?: number) => {
    const service = serviceWith(() => 'ok', { depthLimit })
    await defineSubagentTool({ service, provider: 'helper', parent, ...(maxDepth !== undefined && { maxDepth }) }).execute(task)
    return service.requests[0]!.maxDepth
  }

  it('T13: it is 3 for a provider with depthLimit, none for one without, else what was asked for', async () => {
    expect(await maxDepthOf(true)).toBe(3)
    expect(await maxDepthOf(false)).toBeUndefined()
    expect(await maxDepthOf(true, 7)).toBe(7)
  })

  it('T13: one asked for of a provider without depthLimit is refused when the tool is made, in both forms', () => {
    const service = serviceWith(() => 'ok', { depthLimit: false })
    const refused = expect.objectContaining({ code: 'UNSUPPORTED_CAPABILITY', message: expect.stringContaining('"helper"') })
    expect(() => defineSubagentTool({ service, provider: 'helper', maxDepth: 2 })).toThrow(refused)
    expect(() => subagentTool({ service, provider: 'helper', maxDepth: 0 })).toThrow(refused)
  })

  it('T13: one asked for before the provider is registered is refused, naming it; left out, the tool waits for its provider', async () => {
    const service = createSubagentService()
    expect(() => defineSubagentTool({ service, provider: 'helper', maxDepth: 2 })).toThrow(
      expect.objectContaining({ code: 'NO_PROVIDER', message: expect.stringContaining('"helper"') }),
    )
    const tool = defineSubagentTool({ service, provider: 'helper', parent })
    const requests: unknown[] = []
    service.registerProvider({
      name: 'helper',
      capabilities: { outputSchema: false, depthLimit: true, toolFilter: false },
      start: ({ maxDepth }) => {
        requests.push(maxDepth)
        return { result: Promise.resolve({ output: [], stopReason: 'completed' }), cancel: () => {}, dispose: async () => {} }
      },
    })
    expect((await tool.execute(task)).isError).toBe(false)
    expect(requests).toEqual([3])
  })

  it('T13: at the cap the tool is still there, and the start is what refuses', async () => {
    const service = serviceWith(() => 'ok', { depthLimit: true })
    const tool = defineSubagentTool({ service, provider: 'helper' })
    const at = async (depth: number) => (await tool.execute(task, { agent: rootAgent({ depth }) })).content
    expect(await at(2)).toEqual([{ type: 'text', text: 'ok' }])
    expect(await at(3)).toEqual([{ type: 'text', text: expect.stringContaining('delegation depth 4, and maxDepth is 3') }])
    expect(service.requests).toHaveLength(1)
  })

  it.each([-1, 1.5, NaN, -0, '2'])('T13: %s is no depth', (maxDepth) => {
    const service = serviceWith(() => 'ok', { depthLimit: true })
    expect(() => defineSubagentTool({ service, provider: 'helper', maxDepth: maxDepth as number })).toThrow(
      /maxDepth must be a whole number from 0/,
    )
  })
})

it.each([
  [{ service: undefined }, /service must be what createSubagentService\(\) gives/],
  [{ provider: '' }, /provider must be the name of a provider/],
  [{ toolName: '' }, /toolName must be a non-empty string/],
  [{ description: 7 }, /description must be a non-empty string/],
  [{ parent: {} }, /parent\.id must be a non-empty string/],
  [{ toolName: 'two words' }, /toolName must be of 1 to 64 letters, digits, _ and -/],
  [{ toolName: 'x'.repeat(65) }, /toolName must be of 1 to 64 letters/],
  [{ toolname: 'x' }, /A subagent tool has no option "toolname"\. Did you mean toolName\?/],
  [{ temperature: 1 }, /A subagent tool has no option "temperature"\. The options are service, provider, agents, /],
  [{ toolFilter: { allow: 'x' } }, /toolFilter must be an object with allow or deny, arrays of tool names/],
  [{ toolFilter: {} }, /toolFilter must be an object with allow or deny/],
  [{ persona: 7 }, /persona must be a string/],
  [{ agentOptions: 5 }, /agentOptions must be an object, got 5/],
  [{ outputSchema: 'x' }, /outputSchema must be a JSON Schema or a Standard Schema, got string/],
  [{ outputSchema: { type: 'array' } }, /outputSchema must have an object at its root/],
  [{ timeoutMs: -5 }, /timeoutMs must be whole milliseconds from 1/],
  [{ cancelGraceMs: 'x' }, /cancelGraceMs must be whole milliseconds from 0/],
  [{ releaseGraceMs: 0.5 }, /releaseGraceMs must be whole milliseconds from 0/],
])('T1: options of the wrong shape are refused when the tool is made: %j', (wrong, message) => {
  const service = serviceWith(() => 'ok')
  expect(() => defineSubagentTool({ service, provider: 'helper', ...(wrong as object) })).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) }),
  )
})

it('T1, T14: what is configured is copied, so that what the caller changes later changes nothing', async () => {
  const service = serviceWith(() => 'ok', { toolFilter: true })
  const [own, all, agentOptions] = [{ deny: ['a'] }, { deny: ['b'] }, { maxSteps: 3 }]
  const list = [{ name: 'x', provider: 'helper', description: 'X.', toolFilter: own }]
  const tools = [
    defineSubagentTool({ service, parent, agents: list, toolName: 'list' }),
    defineSubagentTool({ service, parent, provider: 'helper', toolFilter: all, agentOptions }),
  ]
  own.deny.push('c')
  all.deny.push('c')
  agentOptions.maxSteps = 5
  for (const tool of tools) await tool.execute({ ...task, agent: 'x' })
  expect(service.requests.map(({ toolFilter, agentOptions: given }) => [toolFilter, given])).toEqual([
    [{ deny: ['a'] }, undefined],
    [{ deny: ['b'] }, { maxSteps: 3 }],
  ])
})

it('T1: of a long description the first 200 characters are the label, cut between code points', async () => {
  const service = serviceWith(() => 'ok')
  await defineSubagentTool({ service, provider: 'helper', parent }).execute({ description: `a${'🙂'.repeat(200)}`, prompt: 'x' })
  expect(service.requests[0]!.label).toBe(`a${'🙂'.repeat(99)}…`)
})

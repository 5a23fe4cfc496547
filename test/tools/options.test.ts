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
])('T1: options of the wrong shape are refused when the tool is made: %j', (wrong, message) => {
  const service = serviceWith(() => 'ok')
  expect(() => defineSubagentTool({ service, provider: 'helper', ...(wrong as object) })).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) }),
  )
})

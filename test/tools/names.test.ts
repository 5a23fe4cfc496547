import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import { subagentService } from '../../src/service.ts'
import { defineSubagentTool, mountSubagentTool, subagentTool, subagentTools } from '../../src/tools/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { parent } from './doubles.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const serviceOf = () =>
  createSubagentService({ providers: ['spawn', 'fork'].map((name) => scriptedProvider(() => `by ${name}`, { name })) })
const refused = (message: string) => expect.objectContaining({ code: 'INVALID_REQUEST', message })
const clash =
  'A tool named "subagent" is bound to provider "spawn" as "subagent" on this service, and another of that name would be bound to provider "fork" as "subagent". Give one of them another toolName, dispose the first (dispose() of a set or a mount, tool[Symbol.dispose]() of a tool), or bind each to a parent of its own.'

describe('two tools with one name', () => {
  it('T9: are refused when the second is made, naming both; the first and the providers stay as they are', async () => {
    const service = serviceOf()
    const first = defineSubagentTool({ service, provider: 'spawn', parent })
    for (const make of [
      () => defineSubagentTool({ service, provider: 'fork' }),
      () => subagentTool({ service, provider: 'fork' }),
      () => subagentTools({ service, provider: 'fork' }),
      () => mountSubagentTool({ service, provider: 'fork' }, () => {}),
    ])
      expect(make).toThrow(refused(clash))
    expect(service.list()).toEqual(['spawn', 'fork'])
    expect(await first.execute({ description: 'a', prompt: 'b' })).toMatchObject({ isError: false })
  })

  it('T9: of a list the agents are named, and another list is another tool', () => {
    const service = serviceOf()
    const agent = (name: string, provider: string) => ({ name, provider, description: 'x' })
    const kept = subagentTools({ service, agents: [agent('a', 'spawn')] })
    expect(() => subagentTools({ service, agents: [agent('a', 'spawn'), agent('b', 'fork')] })).toThrow(
      /is bound to the agents "a" \("spawn"\) as "subagent" on this service, and another of that name would be bound to the agents "a" \("spawn"\), "b" \("fork"\)/,
    )
    kept.dispose()
  })

  it('T9: names of controls are names too', () => {
    const service = serviceOf()
    const kept = subagentTools({ service, provider: 'spawn', background: true })
    expect(() => defineSubagentTool({ service, provider: 'fork', toolName: 'subagent_result' })).toThrow(/A tool named "subagent_result"/)
    kept.dispose()
  })

  it('T9: on two services, or by two names, they are no matter', () => {
    const service = serviceOf()
    const tools = [
      defineSubagentTool({ service, provider: 'spawn' }),
      defineSubagentTool({ service, provider: 'fork', toolName: 'fork' }),
      defineSubagentTool({ service: serviceOf(), provider: 'fork' }),
    ]
    expect(tools.map(({ name }) => name)).toEqual(['subagent', 'fork', 'subagent'])
  })

  it('T9: two faces of one registry are one service', () => {
    const service = serviceOf()
    const first = defineSubagentTool({ service, provider: 'spawn' })
    expect(() => defineSubagentTool({ service: subagentService(service.ref), provider: 'fork' })).toThrow(refused(clash))
    expect(first.name).toBe('subagent')
  })

  it('T9: the same tool may be made again, as by a server for each request', () => {
    const service = serviceOf()
    const tools = Array.from({ length: 100 }, () => subagentTool({ service, provider: 'spawn' }))
    expect(() => subagentTool({ service, provider: 'fork' })).toThrow(refused(clash))
    expect(tools.length).toBe(100)
  })

  const able = { outputSchema: true, depthLimit: true, toolFilter: true, persona: true }
  const model = (modelId: string) => ({ specificationVersion: 'v3', provider: 'acme', modelId, doStream: () => {} })
  const options = () => ({
    description: 'Looks things up.',
    persona: 'a reviewer',
    toolFilter: { deny: ['write'] },
    agentOptions: { model: model('large'), maxSteps: 3 },
    outputSchema: z.object({ count: z.number() }),
    timeoutMs: 1000,
    maxDepth: 2,
  })

  it.each([
    ['description', { description: 'Writes.' }],
    ['persona', { persona: 'a poet' }],
    ['toolFilter', { toolFilter: { deny: ['read'] } }],
    ['agentOptions', { agentOptions: { model: model('small'), maxSteps: 3 } }],
    ['outputSchema', { outputSchema: z.object({ count: z.string() }) }],
    ['timeoutMs', { timeoutMs: 2000 }],
    ['maxDepth', { maxDepth: 1 }],
    ['maxOutputBytes', { maxOutputBytes: 2048 }],
  ])('T9: one with another %s is another tool, and the message says in what it differs', (name, other) => {
    const service = createSubagentService({ providers: [scriptedProvider(() => 'x', { name: 'spawn', capabilities: able })] })
    const make = (more: object) => subagentTool({ service, provider: 'spawn', ...options(), ...more })
    const kept = [make({}), make({ progress: false, logger: { debug() {}, warn() {}, error() {} } })]
    expect(() => make(other)).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining(
          `another of that name would be bound to provider "spawn" as "subagent", with another ${name}. Give one`,
        ),
      }),
    )
    expect(kept).toHaveLength(2)
  })

  it('T9: of a list, another description or persona of an agent makes another tool', () => {
    const service = createSubagentService({ providers: [scriptedProvider(() => 'x', { name: 'spawn', capabilities: able })] })
    const make = (more: object) => subagentTools({ service, agents: [{ name: 'a', provider: 'spawn', description: 'one', ...more }] })
    const kept = make({})
    expect(() => make({ description: 'two', persona: 'a poet' })).toThrow(/, with another description of an agent, persona\. Give one/)
    expect(() => subagentTools({ service, agents: [{ name: 'a', provider: 'spawn', description: 'one' }], background: true })).toThrow(
      /, with another background\./,
    )
    kept.dispose()
  })

  it('T9: tools with a parent of their own each never meet; one without a parent may meet any', () => {
    const service = serviceOf()
    const [first, second] = [rootAgent(), rootAgent()]
    const kept = [
      subagentTool({ service, provider: 'spawn', parent: first }),
      subagentTool({ service, provider: 'fork', parent: second }),
      subagentTool({ service, provider: 'fork', parent: second }),
    ]
    expect(() => subagentTool({ service, provider: 'fork', parent: first })).toThrow(refused(clash))
    expect(() => subagentTool({ service, provider: 'fork' })).toThrow(refused(clash))
    for (const tool of kept) tool[Symbol.dispose]()
    kept.push(subagentTool({ service, provider: 'spawn' }))
    expect(() => subagentTool({ service, provider: 'fork', parent: first })).toThrow(refused(clash))
  })

  it("T9: tools of one server for each request, each with a parent and a persona of its own, are not in each other's way", () => {
    const service = createSubagentService({ providers: [scriptedProvider(() => 'x', { name: 'spawn', capabilities: able })] })
    const tools = Array.from({ length: 1000 }, (_, index) =>
      subagentTool({ service, provider: 'spawn', parent: rootAgent(), persona: `for user ${index}` }),
    )
    expect(tools).toHaveLength(1000)
  })
})

describe('a name is free again', () => {
  it.each([
    ['subagentTools', (options: { service: ReturnType<typeof serviceOf>; provider: string }) => subagentTools(options).dispose],
    ['mountSubagentTool', (options: { service: ReturnType<typeof serviceOf>; provider: string }) => mountSubagentTool(options, () => {})],
  ])('T9: after the dispose of %s, which may be called twice', (_, make) => {
    const service = serviceOf()
    const dispose = make({ service, provider: 'spawn' })
    const second = make({ service, provider: 'spawn' })
    dispose()
    dispose()
    // The second still has it.
    expect(() => make({ service, provider: 'fork' })).toThrow(refused(clash))
    second()
    make({ service, provider: 'fork' })()
  })

  it.each([
    ['subagentTool', (options: { service: ReturnType<typeof serviceOf>; provider: string }): Disposable => subagentTool(options)],
    [
      'defineSubagentTool',
      (options: { service: ReturnType<typeof serviceOf>; provider: string }): Disposable => defineSubagentTool(options),
    ],
  ])('T9: after the Symbol.dispose of a tool of %s, which may be called twice', (_, make) => {
    const service = serviceOf()
    const first = make({ service, provider: 'spawn' })
    const second = make({ service, provider: 'spawn' })
    first[Symbol.dispose]()
    first[Symbol.dispose]()
    expect(() => make({ service, provider: 'fork' })).toThrow(refused(clash))
    second[Symbol.dispose]()
    make({ service, provider: 'fork' })[Symbol.dispose]()
  })

  it('T9: once a tool that nobody disposes is garbage, and not before', async () => {
    const service = serviceOf()
    const make = (provider: string) => void subagentTool({ service, provider })
    let execute: unknown = subagentTool({ service, provider: 'spawn' }).execute
    make('spawn')
    const free = async () => {
      for (let round = 0; round < 10; round++) {
        await new Promise<void>((resolve) => setImmediate(resolve))
        collect()
      }
      try {
        make('fork')
        return true
      } catch {
        return false
      }
    }
    // A part of the tool is enough to hold the name.
    expect([await free(), typeof execute]).toEqual([false, 'function'])
    execute = undefined
    expect(await free()).toBe(true)
  })
})

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createSubagentService } from '../../src/index.ts'
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
  'A tool named "subagent" is bound to provider "spawn" as "subagent" on this service, and another of that name would be bound to provider "fork" as "subagent". Give one of them another toolName, or dispose the first.'

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

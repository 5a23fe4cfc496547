import { jsonSchema } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService } from '../../src/index.ts'
import { mountSubagentTool, subagentTools } from '../../src/tools/index.ts'
import type { SubagentToolOptions } from '../../src/tools/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { processFaults } from '../registry/process-faults.ts'
import { parent, task } from './doubles.ts'

const provider = (name: string, inheritsParentContext = false) => scriptedProvider(() => `by ${name}`, { name, inheritsParentContext })

function mounting(options: Partial<SubagentToolOptions> = {}) {
  const logger = collectLogger()
  const service = createSubagentService({ logger })
  const events: string[] = []
  const make = (more: Partial<SubagentToolOptions> = {}) =>
    mountSubagentTool({ service, provider: 'helper', parent, logger, ...options, ...more }, ({ name, description }) => {
      events.push(`+ ${name}${/nothing of this/.test(description) ? ' fresh' : /completed turns/.test(description) ? ' inheriting' : ''}`)
      return () => void events.push(`- ${name}`)
    })
  return { service, events, make, logger, taken: () => events.splice(0) }
}

describe('a mounted tool', () => {
  it('T2: is there while its provider is, gone when that is removed, back with fresh wording, and ignores other names', () => {
    const { service, make, taken } = mounting()
    const unmount = make()
    expect(taken()).toEqual([])
    service.registerProvider(provider('other'))
    expect(taken()).toEqual([])
    const remove = service.registerProvider(provider('helper'))
    expect(taken()).toEqual(['+ subagent fresh'])
    service.registerProvider(provider('another'))()
    expect(taken()).toEqual([])
    remove()
    expect(taken()).toEqual(['- subagent'])
    service.registerProvider(provider('helper', true))
    expect(taken()).toEqual(['+ subagent inheriting'])
    unmount()
    expect(taken()).toEqual(['- subagent'])
    unmount()
    expect(taken()).toEqual([])
  })

  it('T2: is there at once where its provider is registered already', () => {
    const { service, make, taken } = mounting()
    service.registerProvider(provider('helper'))
    make()
    expect(taken()).toEqual(['+ subagent fresh'])
  })

  it('T2: disposed while waiting it never mounts later', () => {
    const { service, make, taken } = mounting()
    make()()
    service.registerProvider(provider('helper'))
    expect(taken()).toEqual([])
  })

  it('T2: disposed by its own mount it is taken out again', () => {
    const { service } = mounting()
    const events: string[] = []
    const unmount = mountSubagentTool({ service, provider: 'helper', background: true }, ({ name }) => {
      events.push(`+ ${name}`)
      unmount()
      return () => void events.push(`- ${name}`)
    })
    service.registerProvider(provider('helper'))
    expect(events).toEqual(['+ subagent', '- subagent'])
  })

  it('T2, T14: with a list it is there while one of the providers is, and put in anew when the choice changes', () => {
    const agents = ['a', 'b'].map((name) => ({ name, provider: name, description: `does ${name}` }))
    const { service } = mounting()
    const shown: string[] = []
    mountSubagentTool({ service, agents, toolName: 'team' }, ({ inputSchema }) => {
      shown.push(`+ ${(inputSchema as any).properties.agent.enum.join()}`)
      return () => void shown.push('-')
    })
    const removeA = service.registerProvider(provider('a'))
    const removeB = service.registerProvider(provider('b'))
    removeA()
    removeB()
    expect(shown).toEqual(['+ a', '-', '+ a,b', '-', '+ b', '-'])
  })

  it('T2, T11: controls come with the tool and stay when it goes, for the runs that live on', () => {
    const { service, make, taken } = mounting({ background: true })
    const unmount = make()
    const remove = service.registerProvider(provider('helper'))
    const controls = ['result', 'send', 'cancel', 'list'].map((name) => `subagent_${name}`)
    expect(taken()).toEqual(['+ subagent fresh', ...controls.map((name) => `+ ${name}`)])
    remove()
    expect(taken()).toEqual(['- subagent'])
    service.registerProvider(provider('helper'))
    expect(taken()).toEqual(['+ subagent fresh'])
    unmount()
    expect(taken().toSorted()).toEqual(['subagent', ...controls].map((name) => `- ${name}`).toSorted())
  })

  it('T2: a mount that is asynchronous is contained: what it rejects with is logged, what it resolves to takes the tool out', async () => {
    const { service, logger } = mounting()
    const taken: string[] = []
    const faults = await processFaults(async () => {
      const options = { service, provider: 'helper', parent, logger, background: true }
      const unmount = mountSubagentTool(options, async ({ name }) => {
        if (name === 'subagent_send') throw new Error('no room')
        return async () => {
          taken.push(name)
          if (name === 'subagent_list') throw new Error('stuck')
        }
      })
      service.registerProvider(provider('helper'))
      unmount()
      await until(() => logger.warnings.length === 2)
    })
    expect(faults).toEqual([])
    expect(taken).toEqual(['subagent', 'subagent_result', 'subagent_cancel', 'subagent_list'])
    expect(logger.warnings).toEqual([
      'Mounting tool subagent_send failed, so it is not there: Error: no room',
      'Taking out tool subagent_list rejected: Error: stuck',
    ])
  })

  it('T9, T2: a mount that throws is logged, its tool is not there, and the provider stays registered', () => {
    const { service, logger } = mounting()
    const mounted: string[] = []
    let broken = true
    mountSubagentTool({ service, provider: 'helper', logger }, ({ name }) => {
      if (broken) throw new Error('the menu is full')
      mounted.push(name)
      return () => {
        throw new Error('it sticks')
      }
    })
    const remove = service.registerProvider(provider('helper'))
    expect([service.list(), mounted]).toEqual([['helper'], []])
    remove()
    broken = false
    service.registerProvider(provider('helper'))()
    expect(mounted).toEqual(['subagent'])
    expect(logger.warnings).toEqual([
      'Mounting tool subagent failed, so it is not there: Error: the menu is full',
      'Taking out tool subagent threw: Error: it sticks',
    ])
  })

  it('T2, S3: a registration that another listener refuses takes the tool out again', () => {
    const { service, make, taken } = mounting()
    make()
    const refusal = service.on('subagent/provider-added', () => {
      throw new Error('not here')
    })
    expect(() => service.registerProvider(provider('helper'))).toThrow('not here')
    expect([service.list(), taken()]).toEqual([[], ['+ subagent fresh', '- subagent']])
    refusal.unsubscribe()
    service.registerProvider(provider('helper'))
    expect(taken()).toEqual(['+ subagent fresh'])
  })

  it('T2: a mount that removes the provider sees the tool taken out after it', () => {
    const { service } = mounting()
    const events: string[] = []
    mountSubagentTool({ service, provider: 'helper' }, () => {
      events.push('+')
      service.ref.send({ type: 'provider.unregister', name: 'helper' })
      return () => void events.push('-')
    })
    service.registerProvider(provider('helper'))
    expect([events, service.list()]).toEqual([['+', '-'], []])
  })
})

describe('a live set of tools of the AI SDK', () => {
  it('T2: is empty without its provider, the same object while nothing changes, and a new tool with each change', () => {
    const service = createSubagentService()
    const set = subagentTools({ service, provider: 'helper' })
    expect(set.current()).toEqual({})
    const remove = service.registerProvider(provider('helper'))
    const first = set.current()
    expect(Object.keys(first)).toEqual(['subagent'])
    service.registerProvider(provider('other'))
    expect(set.current()).toBe(first)
    remove()
    expect(set.current()).toEqual({})
    service.registerProvider(provider('helper', true))
    expect(set.current()['subagent']).not.toBe(first['subagent'])
    expect(set.current()['subagent']!.description).toContain('completed turns')
    set.dispose()
    expect(set.current()).toEqual({})
  })

  it('T2, T11: its controls stay the same objects when the tool goes and comes', () => {
    const service = createSubagentService()
    const set = subagentTools({ service, provider: 'helper', background: true })
    expect(Object.keys(set.current())).toEqual([])
    const remove = service.registerProvider(provider('helper'))
    const first = set.current()
    expect(Object.keys(first)).toEqual(['subagent', 'subagent_result', 'subagent_send', 'subagent_cancel', 'subagent_list'])
    remove()
    expect(Object.keys(set.current())).toEqual(['subagent_result', 'subagent_send', 'subagent_cancel', 'subagent_list'])
    service.registerProvider(provider('helper'))
    expect(set.current()['subagent_result']).toBe(first['subagent_result'])
    expect(set.current()['subagent']).not.toBe(first['subagent'])
  })

  it('T2: an agent of this package has the tool in the steps while the provider is there', async () => {
    const service = createSubagentService()
    const set = subagentTools({ service, provider: 'helper' })
    const model = scriptedModel([
      { tools: [{ name: 'register', input: {} }] },
      { tools: [{ name: 'subagent', input: task }] },
      { tools: [{ name: 'remove', input: {} }] },
      'done',
    ])
    let undo = () => {}
    const agents = createAgents({
      model,
      tools: () => ({
        register: {
          inputSchema: jsonSchema({ type: 'object' }),
          execute: () => void (undo = service.registerProvider(provider('helper'))),
        },
        remove: { inputSchema: jsonSchema({ type: 'object' }), execute: () => undo() },
        ...set.current(),
      }),
    })
    const { agent, dispose } = agents.create()
    agent.send('go')
    await agent.whenIdle()
    expect(model.calls.map(({ tools }) => tools.includes('subagent'))).toEqual([false, true, true, false])
    expect(
      agent.session.events.flatMap((event) => (event.type === 'tool/result' && event.name === 'subagent' ? [event.output] : [])),
    ).toEqual(['by helper'])
    await dispose()
  })

  it('T2, T8: a tool that was taken out, and is called all the same, says that its provider is gone', async () => {
    const service = createSubagentService({ providers: [] })
    const remove = service.registerProvider(provider('helper'))
    let execute!: (input: unknown) => Promise<unknown>
    mountSubagentTool({ service, provider: 'helper', parent }, (tool) => void (execute = tool.execute))
    remove()
    expect(await execute(task)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('No provider is named "helper"') }],
    })
  })
})

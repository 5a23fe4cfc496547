import { tool } from 'ai'
import type { ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineProvider, rootAgent } from '../../src/index.ts'
import type { ParentRef, SubagentRun, ToolFilter } from '../../src/index.ts'
import { setUp, talk } from './set-up.ts'

const parent = rootAgent()
const outputSchema = { type: 'object', properties: { ok: { type: 'boolean' } } }

/** Tools that tell when they are executed. */
function tools() {
  const executed: string[] = []
  const named = (name: string): ToolSet[string] => tool({ inputSchema: z.object({}), execute: () => void executed.push(name) })
  return { executed, tools: { read: named('read'), write: named('write'), shell: named('shell') } }
}

describe.each(['spawn', 'fork'])('%s', (provider) => {
  it.each<[string, ToolFilter, readonly string[]]>([
    ['allow alone shows what it names', { allow: ['read'] }, ['read']],
    ['deny alone hides what it names', { deny: ['shell'] }, ['read', 'write']],
    ['allow comes first, then deny', { allow: ['read', 'write'], deny: ['write'] }, ['read']],
    ['an empty allow hides everything', { allow: [] }, []],
    ['an empty deny hides nothing', { deny: [] }, ['read', 'write', 'shell']],
  ])('P10: %s', async (_, toolFilter, visible) => {
    const { service, model } = setUp(['done'], tools())
    await service.delegate(provider, { parent, prompt: 'go', toolFilter })
    expect(model.calls[0]!.tools).toEqual(visible)
    await service.close()
  })

  it('P10: names that do not exist are refused at start, with those that do; nothing is left', () => {
    const { agents, service } = setUp([], tools())
    const start = (toolFilter: ToolFilter) => () => service.start(provider, { parent, prompt: 'go', toolFilter })
    expect(start({ allow: ['read', 'wirte'] })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        message: "toolFilter.allow names tools that do not exist: wirte. The agent's tools are read, write, shell.",
      }),
    )
    expect(start({ deny: ['structured_output'] })).toThrow(/toolFilter\.deny names tools that do not exist: structured_output/)
    expect(agents.list()).toEqual([])
  })

  it('P10: structured_output survives any filter', async () => {
    const { service, model } = setUp(() => ({ tools: [{ name: 'structured_output', input: { ok: true } }] }), tools())
    for (const toolFilter of [{ allow: [] }, { deny: ['structured_output'] }, { allow: ['read'], deny: ['read'] }]) {
      expect((await service.delegate(provider, { parent, prompt: 'go', toolFilter, outputSchema })).structured).toEqual({ ok: true })
      expect(model.calls.at(-1)!.tools.at(-1)).toBe('structured_output')
    }
    await service.close()
  })

  it('P10, G10: a hidden tool that the model names all the same gets the error of one that does not exist, and is not executed', async () => {
    const { executed, ...options } = tools()
    const { service, logOf } = setUp([{ tools: [{ name: 'write' }, { name: 'nonsense' }, { name: 'read' }] }, 'well'], options)
    const run = service.start(provider, { parent, prompt: 'go', toolFilter: { deny: ['write'] } })
    expect((await run.result).stopReason).toBe('completed')
    expect(executed).toEqual(['read'])
    const results = logOf(run.id).filter((line) => line.startsWith('result'))
    const error = (name: string) => `result ${name} error "Model tried to call unavailable tool '${name}'. Available tools: read, shell."`
    expect(results).toEqual([error('write'), error('nonsense'), 'result read ok null'])
    await service.close()
  })
})

describe('tools that come and go', () => {
  it('P10: deny leaves open what comes later, allow does not', async () => {
    const { tools: all } = tools()
    const seen = async (toolFilter: ToolFilter) => {
      let extra: ToolSet = {}
      const { service, model } = setUp(
        [
          () => {
            extra = { late: all.shell }
            return { tools: [{ name: 'read' }] }
          },
          'done',
        ],
        { tools: () => ({ read: all.read, write: all.write, ...extra }) },
      )
      await service.delegate('spawn', { parent, prompt: 'go', toolFilter })
      return model.calls.map((call) => call.tools)
    }
    expect(await seen({ deny: ['write'] })).toEqual([['read'], ['read', 'late']])
    expect(await seen({ allow: ['read'] })).toEqual([['read'], ['read']])
  })

  it('P10: a tool of the factory cannot take the place of structured_output: at start it is refused, later it is hidden', async () => {
    const { executed, tools: all } = tools()
    const clash = setUp([], { tools: { structured_output: all.read } })
    expect(() => clash.service.start('spawn', { parent, prompt: 'go', outputSchema })).toThrow(/has a tool named "structured_output"/)
    let late: ToolSet = {}
    const { service, model } = setUp(
      [
        () => {
          late = { structured_output: all.read }
          return { tools: [{ name: 'write' }] }
        },
        { tools: [{ name: 'structured_output', input: { ok: true } }] },
      ],
      { tools: () => ({ write: all.write, ...late }) },
    )
    expect((await service.delegate('spawn', { parent, prompt: 'go', outputSchema })).structured).toEqual({ ok: true })
    expect(executed).toEqual(['write'])
    expect(model.calls[1]!.tools).toEqual(['write', 'structured_output'])
    await service.close()
  })
})

describe('down the tree', () => {
  /** Children of children, each with its filter, by these providers; the tools that the last of them is offered. */
  async function chain(...links: readonly (readonly [string, ToolFilter?])[]): Promise<readonly string[]> {
    const { agents, service, model } = setUp(() => 'done', tools())
    let above: Parameters<typeof service.start>[1]['parent'] = parent
    for (const [provider, toolFilter] of links) {
      const run: SubagentRun = service.start(provider, { parent: above, prompt: 'go', ...(toolFilter && { toolFilter }) })
      await run.result
      above = agents.get(run.id)!
    }
    const offered = model.calls.at(-1)!.tools
    await service.close()
    return offered
  }

  it('P10: a child has what its own filter and those of all above it let through, by spawn and by fork', async () => {
    expect(await chain(['spawn', { deny: ['shell'] }], ['spawn'])).toEqual(['read', 'write'])
    expect(await chain(['spawn', { deny: ['shell'] }], ['fork', { deny: ['write'] }], ['spawn'])).toEqual(['read'])
    expect(await chain(['fork', { allow: ['read', 'write'] }], ['spawn', { allow: ['write', 'shell'] }], ['fork'])).toEqual(['write'])
    expect(await chain(['spawn', { allow: [] }], ['fork'], ['spawn', { deny: ['read'] }])).toEqual([])
  })

  it('P10: what the parent may not use an explicit allow does not bring back; it stays hidden, and is no error', async () => {
    expect(await chain(['spawn', { deny: ['shell'] }], ['spawn', { allow: ['read', 'shell'] }])).toEqual(['read'])
    expect(await chain(['spawn', { allow: ['read'] }], ['fork', { allow: ['shell'] }])).toEqual([])
  })

  it('P10, P12: a child that is resumed keeps its filters, and a child of it has them too', async () => {
    const { agents, service, model } = setUp(() => 'done', tools())
    const above = agents.create({ toolFilter: { deny: ['shell'] } })
    const run = service.start('spawn', { parent: above.agent, prompt: 'go', toolFilter: { deny: ['write'] } })
    await run.result
    const again = run.resume!('and now')
    await again.result
    await service.delegate('fork', { parent: agents.get(again.id)!, prompt: 'go' })
    expect(model.calls.map((call) => call.tools)).toEqual([['read'], ['read'], ['read']])
    await service.close()
  })

  it('P10: what a parent may not use stands in its reference, for children that run elsewhere', async () => {
    const { agents, service } = setUp(() => 'done', tools())
    const refs: ParentRef[] = []
    service.registerProvider(
      defineProvider({
        name: 'elsewhere',
        capabilities: { toolFilter: true },
        run: (_, { resolved }) => (refs.push(resolved.parent), 'ok'),
      }),
    )
    const above = agents.create({ toolFilter: { deny: ['shell'] } })
    await service.delegate('elsewhere', { parent: above.agent, prompt: 'go', toolFilter: { deny: ['read'] } })
    await service.delegate('elsewhere', { parent, prompt: 'go' })
    expect(refs.map(({ toolFilter }) => toolFilter)).toEqual([{ deny: ['shell'] }, undefined])
    expect(Object.isFrozen(refs[0]!.toolFilter)).toBe(true)
    await service.close()
  })

  it('P10: a child that runs elsewhere hands on the filters of its run to what it delegates', async () => {
    const { service, model } = setUp(() => 'done', tools())
    // It delegates under the id that it has as a child, with nothing else that is ours.
    service.registerProvider(
      defineProvider({
        name: 'elsewhere',
        capabilities: { toolFilter: true },
        run: async (_, { runId }) => {
          await service.delegate('spawn', { parent: rootAgent({ id: runId }), prompt: 'go', toolFilter: { deny: ['read'] } })
          return 'ok'
        },
      }),
    )
    await service.delegate('elsewhere', { parent, prompt: 'go', toolFilter: { deny: ['shell'] } })
    expect(model.calls[0]!.tools).toEqual(['write'])
    await service.close()
  })

  it('P10, S11: a filter of a parent that is none is refused, by its name', async () => {
    const { service, agents } = setUp(['done'], tools())
    const filtered = (toolFilter: unknown) => ({ ...parent, toolFilter: toolFilter as ToolFilter })
    expect(() => service.start('spawn', { parent: filtered({ deny: 'shell' }), prompt: 'go' })).toThrow(
      /parent\.toolFilter\.deny must be an array of tool names/,
    )
    expect(() => service.start('spawn', { parent: filtered('none'), prompt: 'go' })).toThrow(/parent\.toolFilter must be an object/)
    expect(agents.list()).toEqual([])
    await service.close()
  })

  it('P10: the filter of an agent is not changed by whoever passed it', async () => {
    const { agents, service, model } = setUp(() => 'done', tools())
    const toolFilter = { deny: ['shell'] }
    const above = agents.create({ toolFilter })
    toolFilter.deny = []
    await talk(above.agent, 'hi')
    await service.delegate('spawn', { parent: above.agent, prompt: 'go' })
    expect(model.calls.map((call) => call.tools)).toEqual([
      ['read', 'write'],
      ['read', 'write'],
    ])
    await service.close()
  })
})

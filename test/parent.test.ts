import { describe, expect, it } from 'vitest'
import { createSubagentService, depthOf, rootAgent } from '../src/index.ts'
import type { ParentAgent } from '../src/index.ts'
import { parentRef } from '../src/parent.ts'
import { createAgents } from '../src/agents/index.ts'
import { scriptedModel } from '../src/testing/scripted-model.ts'
import { scriptedProvider } from '../src/testing/scripted-provider.ts'

describe('rootAgent', () => {
  it('S26: makes a parent for a caller that has no agent, with nothing asked', () => {
    expect(rootAgent()).toEqual({
      id: 'root',
      options: {},
      session: { header: { version: 1, id: 'root', createdAt: 0, delegationDepth: 0 }, events: [] },
    })
  })

  it('S26: children get its working directory, its id and its depth', () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const service = createSubagentService({ providers: [provider] })
    service.start('scripted', { parent: rootAgent({ cwd: '/project', id: 'script', depth: 2 }), prompt: 'go', maxDepth: 3 })
    const { parent, depth } = provider.children[0]!.context.resolved
    expect([parent, depth]).toEqual([{ agentId: 'script', sessionId: 'script', cwd: '/project', depth: 2, lineage: ['script'] }, 3])
    expect(() => service.start('scripted', { parent: rootAgent({ depth: 3 }), prompt: 'go', maxDepth: 3 })).toThrow(
      expect.objectContaining({ code: 'DEPTH_EXCEEDED', attemptedDepth: 4, maxDepth: 3 }),
    )
  })

  it('A15: what led to a caller from another process stands before it in the lineage of its children, with its trace', () => {
    const provider = scriptedProvider(() => ({ hang: true }))
    const service = createSubagentService({ providers: [provider] })
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const lineage = ['outermost', 'outer']
    const parent = rootAgent({ id: 'script', origin: { lineage, traceparent } })
    lineage.push('later')
    service.start('scripted', { parent, prompt: 'go', id: 'child' })
    service.start('scripted', { parent: rootAgent({ id: 'child', origin: { lineage: ['elsewhere'], traceparent } }), prompt: 'go' })
    const [child, grandchild] = provider.children.map(({ context }) => context.resolved.parent)
    expect(child).toMatchObject({ lineage: ['outermost', 'outer', 'script'], traceparent })
    // A run of this process knows better, and its own trace goes on.
    expect(grandchild?.lineage).toEqual(['outermost', 'outer', 'script', 'child'])
    expect(grandchild?.traceparent).toBeUndefined()
  })

  it('A15: the session of an in-process agent keeps it', () => {
    const agents = createAgents({ model: scriptedModel([]), createId: () => 'x' })
    const { agent } = agents.create({ id: 'inner', origin: { lineage: ['outer'] } })
    expect(parentRef(agent, undefined).lineage).toEqual(['outer', 'inner'])
    expect(() => agents.create({ origin: { lineage: 'outer' } as never })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message: 'origin.lineage must be an array of agent ids, outermost first.' }),
    )
  })

  it('S26: one root is not another: each call makes its own', () => {
    expect(rootAgent()).not.toBe(rootAgent())
    expect(rootAgent().session).not.toBe(rootAgent().session)
  })

  it('S20, S26: options of the wrong shape are refused by name', () => {
    const wrong: readonly (readonly [string, unknown])[] = [
      ['options', null],
      ['options', 'root'],
      ['id', { id: '' }],
      ['id', { id: 7 }],
      ['cwd', { cwd: '' }],
      ['cwd', { cwd: 7 }],
      ['depth', { depth: -1 }],
      ['depth', { depth: 0.5 }],
      ['depth', { depth: Number.NaN }],
      ['depth', { depth: '1' }],
      ['origin', { origin: ['outer'] }],
      ['origin', { origin: { lineage: ['outer', ''] } }],
      ['origin', { origin: { lineage: [], traceparent: '00-0-0-01' } }],
    ]
    for (const [field, options] of wrong)
      expect(() => rootAgent(options as never), field).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message: expect.stringMatching(new RegExp(`^rootAgent: ${field}(\\.\\w+)? must`)) as unknown,
        }),
      )
  })
})

describe('depth', () => {
  const agent = (delegationDepth: unknown, subagentDepth: unknown): ParentAgent => {
    const root = rootAgent()
    return {
      ...root,
      options: { subagentDepth } as never,
      session: { ...root.session, header: { ...root.session.header, delegationDepth: delegationDepth as number } },
    }
  }

  it('P1: is the session’s, which the options may deepen and never lower', () => {
    const cases: readonly (readonly [unknown, unknown, number])[] = [
      [undefined, undefined, 0],
      [2, undefined, 2],
      [undefined, 3, 3],
      [2, 3, 3],
      [3, 2, 3],
      [2, 0, 2],
      [2, -5, 2],
    ]
    for (const [header, options, depth] of cases) expect(depthOf(agent(header, options))).toBe(depth)
  })

  it('P1: what is no depth counts as none', () => {
    for (const odd of [Number.NaN, Infinity, -1, 0.5, '4', null, {}]) {
      expect(depthOf(agent(odd, 1))).toBe(1)
      expect(depthOf(agent(1, odd))).toBe(1)
    }
  })
})

it('V3: the parent as data has its lineage below those above it, and only what there is', () => {
  const parent = rootAgent({ id: 'b', depth: 1 })
  expect(parentRef(parent, [])).toStrictEqual({ agentId: 'b', sessionId: 'b', depth: 1, lineage: ['b'] })
  expect(parentRef(rootAgent({ id: 'b', cwd: '/x' }), ['a'], { deny: ['write'] })).toStrictEqual({
    agentId: 'b',
    sessionId: 'b',
    cwd: '/x',
    depth: 0,
    lineage: ['a', 'b'],
    toolFilter: { deny: ['write'] },
  })
})

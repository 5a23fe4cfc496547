import { describe, expect, it } from 'vitest'
import { createSubagentService, depthOf, rootAgent } from '../src/index.ts'
import type { ParentAgent } from '../src/index.ts'
import { parentRef } from '../src/parent.ts'
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
    ]
    for (const [field, options] of wrong)
      expect(() => rootAgent(options as never), field).toThrow(
        expect.objectContaining({
          code: 'INVALID_REQUEST',
          message: expect.stringMatching(new RegExp(`^rootAgent: ${field} must`)) as unknown,
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

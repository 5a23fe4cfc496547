import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/index.ts'
import { setUp, talk } from './set-up.ts'

describe.each(['spawn', 'fork'])('%s', (provider) => {
  const systemOf = async (options: { system?: string }, persona?: string): Promise<string | undefined> => {
    const { service, model } = setUp(['done'], options)
    await service.delegate(provider, { parent: rootAgent(), prompt: 'go', ...(persona !== undefined && { persona }) })
    await service.close()
    const [first] = model.calls[0]!.prompt
    return first?.role === 'system' ? first.content : undefined
  }

  it("P11: the persona is the child's system prompt, '' is none, and without one it is the factory's", async () => {
    expect(await systemOf({ system: 'Factory.' }, 'You are terse.')).toBe('You are terse.')
    expect(await systemOf({ system: 'Factory.' }, '')).toBe(undefined)
    expect(await systemOf({ system: 'Factory.' })).toBe('Factory.')
    expect(await systemOf({}, 'You are terse.')).toBe('You are terse.')
    expect(await systemOf({})).toBe(undefined)
  })

  it("P11, P3: neither the parent's persona nor its system prompt comes down", async () => {
    const { agents, service, model } = setUp(() => 'done', { system: 'Factory.' })
    const above = agents.create({ system: 'Secret of the parent.' })
    await talk(above.agent, 'hi')
    const run = service.start(provider, { parent: above.agent, prompt: 'go', persona: 'You are terse.' })
    await run.result
    await service.delegate(provider, { parent: agents.get(run.id)!, prompt: 'go' })
    expect(model.calls.map(({ prompt: [first] }) => first!.content)).toEqual(['Secret of the parent.', 'You are terse.', 'Factory.'])
    await service.close()
  })

  it('P11, P12: a child that is resumed keeps its persona', async () => {
    const { service, model } = setUp(() => 'done', { system: 'Factory.' })
    for (const persona of ['You are terse.', '']) {
      const run = service.start(provider, { parent: rootAgent(), prompt: 'go', persona })
      await run.result
      await run.resume!('and now').result
    }
    expect(model.calls.map(({ prompt: [first] }) => (first!.role === 'system' ? first!.content : ''))).toEqual([
      'You are terse.',
      'You are terse.',
      '',
      '',
    ])
    await service.close()
  })
})

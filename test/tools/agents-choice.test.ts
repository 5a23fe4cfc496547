import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentCapabilities } from '../../src/index.ts'
import { defineSubagentTool, subagentTool } from '../../src/tools/index.ts'
import type { SubagentToolAgent, SubagentToolOptions } from '../../src/tools/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { parent } from './doubles.ts'

const none: SubagentCapabilities = { outputSchema: false, depthLimit: false, toolFilter: false }
const agents: readonly SubagentToolAgent[] = [
  {
    name: 'reviewer',
    provider: 'spawn',
    description: 'Reviews code.\n',
    persona: 'Be strict.',
    toolFilter: { deny: ['write'] },
    model: 'small',
  },
  { name: 'continuer', provider: 'fork', description: 'Goes on with what was discussed.' },
]
const task = { description: 'Review', prompt: 'Review src/.' }

function setUp(options: Partial<SubagentToolOptions> = {}) {
  const spawn = scriptedProvider(() => 'reviewed', { name: 'spawn' })
  const fork = scriptedProvider(() => 'continued', { name: 'fork', inheritsParentContext: true })
  const service = createSubagentService()
  const remove = { spawn: service.registerProvider(spawn), fork: service.registerProvider(fork) }
  const tool = defineSubagentTool({ service, agents, parent, ...options })
  return { service, spawn, fork, remove, tool }
}
const text = ({ content }: { readonly content: readonly unknown[] }) => (content as { text: string }[])[0]!.text
const agentOf = ({ inputSchema }: { readonly inputSchema: object }) => (inputSchema as any).properties.agent

describe('what the model is shown', () => {
  it('T14, T3: a list of agents with what each is for and what it sees, and a choice of their names', () => {
    const { tool } = setUp({ description: 'Hands work to a colleague.' })
    expect(tool.description).toBe(
      [
        'Hands work to a colleague.',
        '',
        'Available agents, by the name that goes into agent:',
        '- reviewer: Reviews code. (Sees nothing of this conversation.)',
        '- continuer: Goes on with what was discussed. (Sees the completed turns of this conversation, but not the current one.)',
      ].join('\n'),
    )
    expect(agentOf(tool)).toEqual({ type: 'string', enum: ['reviewer', 'continuer'], description: expect.any(String) })
    expect((tool.inputSchema as any).required).toEqual(['description', 'prompt', 'agent'])
    expect((tool.inputSchema as any).properties.prompt.description).toContain('unless the agent sees this conversation')
  })

  it('T14, T2: an agent whose provider is gone is left out, and is back with it; with nobody left the tool says so', async () => {
    const { tool, remove, service, fork } = setUp()
    remove.fork()
    expect([agentOf(tool).enum, tool.description.includes('continuer')]).toEqual([['reviewer'], false])
    expect((tool.inputSchema as any).properties.prompt.description).toMatch(/self-contained: everything/)
    remove.spawn()
    expect([agentOf(tool).enum, tool.description]).toEqual([undefined, expect.stringContaining('No agent is available at the moment.')])
    expect(await tool.execute({ ...task, agent: 'reviewer' })).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'Agent "reviewer" is not available: its provider "spawn" is not registered at the moment. No agent is available at the moment.',
        },
      ],
    })
    service.registerProvider(fork)
    expect(agentOf(tool).enum).toEqual(['continuer'])
    expect((tool.inputSchema as any).properties.prompt.description).toMatch(/It knows the completed turns/)
  })

  it('T14, T1: without a list there is no choice', () => {
    const { service } = setUp()
    expect(agentOf(defineSubagentTool({ service, provider: 'spawn', toolName: 'other' }))).toBeUndefined()
  })
})

describe('a call', () => {
  it('T14: the chosen agent brings its provider, persona, filter and model; what is configured of the tool stands behind', async () => {
    const { tool, spawn, fork } = setUp({ persona: 'Be kind.', agentOptions: { maxSteps: 3, model: 'large' } })
    expect(text(await tool.execute({ ...task, agent: 'reviewer' }))).toBe('reviewed')
    expect(text(await tool.execute({ ...task, agent: 'continuer' }))).toBe('continued')
    const asked = ({ persona, toolFilter, agentOptions, maxDepth }: (typeof spawn.children)[number]['request']) => ({
      persona,
      toolFilter,
      agentOptions,
      maxDepth,
    })
    expect(asked(spawn.children[0]!.request)).toEqual({
      persona: 'Be strict.',
      toolFilter: { deny: ['write'] },
      agentOptions: { maxSteps: 3, model: 'small' },
      maxDepth: 3,
    })
    expect(asked(fork.children[0]!.request)).toEqual({
      persona: 'Be kind.',
      toolFilter: undefined,
      agentOptions: { maxSteps: 3, model: 'large' },
      maxDepth: 3,
    })
  })

  it('T14: a model object reaches the provider as it is', async () => {
    const model = scriptedModel([])
    const { tool, spawn } = setUp({ agents: [{ name: 'a', provider: 'spawn', description: 'A.', model }] })
    await tool.execute({ ...task, agent: 'a' })
    expect(spawn.children[0]!.request.agentOptions!.model).toBe(model)
  })

  it('T14, T13: the depth limit is that of the chosen provider', async () => {
    const { service, tool } = setUp({
      agents: [...agents, { name: 'outside', provider: 'acp', description: 'Elsewhere.' }],
    })
    const acp = scriptedProvider(() => 'ok', { name: 'acp', capabilities: none })
    service.registerProvider(acp)
    expect(await tool.execute({ ...task, agent: 'outside' })).toMatchObject({ isError: false })
    expect(acp.children[0]!.request.maxDepth).toBeUndefined()
    expect(text(await tool.execute({ ...task, agent: 'reviewer' }, { agent: rootAgent({ depth: 3 }) }))).toContain('maxDepth is 3')
  })

  it.each([
    ['reviwer', 'There is no agent "reviwer". Did you mean "reviewer"? Choose one of "reviewer", "continuer".'],
    ['nobody at all', 'There is no agent "nobody at all". Choose one of "reviewer", "continuer".'],
    [
      undefined,
      'The input is not right: agent must be a string, got nothing. Call the tool again with all of description, prompt and agent.',
    ],
  ])('T14: the agent %j is an error result that lists the names, and nothing is started', async (agent, message) => {
    const { tool, spawn } = setUp()
    expect(await tool.execute({ ...task, agent })).toEqual({ isError: true, content: [{ type: 'text', text: message }] })
    expect(spawn.children).toEqual([])
  })

  it('T14: a provider that comes later and cannot honour the persona is an error of the call', async () => {
    const { tool, service, remove } = setUp()
    remove.spawn()
    service.registerProvider(scriptedProvider(() => 'ok', { name: 'spawn', capabilities: none }))
    expect(text(await tool.execute({ ...task, agent: 'reviewer' }))).toMatch(/^Provider "spawn" cannot honour toolFilter/)
  })

  it('T14: in a loop of the AI SDK the model chooses', async () => {
    const { service, fork } = setUp()
    const model = scriptedModel([{ tools: [{ name: 'team', input: { ...task, agent: 'continuer' } }] }, 'thanks'])
    await generateText({
      model,
      prompt: 'delegate',
      tools: { team: subagentTool({ service, agents, parent, toolName: 'team' }) },
      stopWhen: stepCountIs(2),
    })
    expect((model.calls[0]!.options.tools as any)[0].inputSchema.properties.agent.enum).toEqual(['reviewer', 'continuer'])
    expect(fork.children.length).toBe(1)
  })
})

describe('a list that is not right is refused when the tool is made, naming the entry', () => {
  const a = { name: 'a', provider: 'spawn', description: 'A.' }
  it.each([
    [[], 'INVALID_REQUEST', 'agents must be a non-empty array of { name, provider, description }, got an empty array.'],
    ['a', 'INVALID_REQUEST', 'agents must be a non-empty array of { name, provider, description }, got "a".'],
    [[null], 'INVALID_REQUEST', 'agents[0] must be an object with name, provider and description, got null.'],
    [[a, { ...a, name: ' ' }], 'INVALID_REQUEST', 'agents[1].name must be a non-empty string, got " ".'],
    [
      [a, { ...a, name: 'b' }, a],
      'INVALID_REQUEST',
      'agents[0] and agents[2] are both named "a": the model could not tell them apart. Rename one.',
    ],
    [
      [{ ...a, description: '\n' }],
      'INVALID_REQUEST',
      'agents[0] ("a").description must be a non-empty string, by which the model chooses, got "\\n".',
    ],
    [[{ ...a, provider: 7 }], 'INVALID_REQUEST', 'agents[0] ("a").provider must be the name of a provider, got 7.'],
    [[{ ...a, persona: 7 }], 'INVALID_REQUEST', 'agents[0] ("a").persona must be a string (\'\' for no system prompt), got 7.'],
    [
      [{ ...a, toolFilter: {} }],
      'INVALID_REQUEST',
      'agents[0] ("a").toolFilter must be an object with allow or deny, arrays of tool names, got an object of another shape.',
    ],
    [[{ ...a, model: '' }], 'INVALID_REQUEST', 'agents[0] ("a").model must be a model id or a model object, got "".'],
    [
      [a, { ...a, name: 'b', provider: 'plain', persona: 'x' }],
      'UNSUPPORTED_CAPABILITY',
      'Provider "plain" of agent "b" cannot honour persona (its capability persona is false). Leave persona out, or use another provider.',
    ],
    [
      [{ ...a, provider: 'plain', toolFilter: { deny: [] } }],
      'UNSUPPORTED_CAPABILITY',
      'Provider "plain" of agent "a" cannot honour toolFilter (its capability toolFilter is false). Leave toolFilter out, or use another provider.',
    ],
  ])('T14: %j', (list, code, message) => {
    const service = createSubagentService({
      providers: [scriptedProvider([], { name: 'spawn' }), scriptedProvider([], { name: 'plain', capabilities: none })],
    })
    expect(() => defineSubagentTool({ service, agents: list as never })).toThrow(expect.objectContaining({ code, message }))
    // Nothing of a refused tool holds its name.
    expect(defineSubagentTool({ service, provider: 'spawn' }).name).toBe('subagent')
  })

  it('T14, T13: maxDepth asks each provider, and the entry is named', () => {
    const service = createSubagentService({ providers: [scriptedProvider([], { name: 'plain', capabilities: none })] })
    const make = (provider: string) => () => defineSubagentTool({ service, agents: [{ ...a, provider }], maxDepth: 2 })
    expect(make('later')).toThrow(
      expect.objectContaining({ code: 'NO_PROVIDER', message: expect.stringContaining('no provider is named "later" of agent "a"') }),
    )
    expect(make('plain')).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_CAPABILITY',
        message: expect.stringContaining('Provider "plain" of agent "a" cannot honour maxDepth'),
      }),
    )
  })

  it('T14: a provider beside a list is one too many', () => {
    const service = createSubagentService()
    expect(() => defineSubagentTool({ service, provider: 'spawn', agents: [a] })).toThrow(
      /takes either provider or agents, and was given both/,
    )
  })
})

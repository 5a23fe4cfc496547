import { describe, expect, it } from 'vitest'
import { acpProvider, knownAgents } from '../../../src/providers/acp/index.ts'
import { createSubagentService, SubagentError } from '../../../src/index.ts'
import { setUp } from './memory-agent.ts'

const refused: readonly (readonly [object, string])[] = [
  [{ command: '' }, 'command must be a non-empty string, got ""'],
  [{ name: 7 }, 'name must be a non-empty string, got 7'],
  [{ args: 'acp' }, 'args must be an array of strings'],
  [{ args: [1] }, 'args must be an array of strings'],
  [{ cwd: 'here' }, 'cwd must be the absolute path of a directory, got "here"'],
  [{ env: { 'A=B': 'x' } }, 'env must be names without "="'],
  [{ env: { KEY: 7 } }, 'env.KEY must be a string'],
  [{ permission: 'always' }, "permission must be 'reject', 'allow', 'ask' or a function"],
  [{ permissionTimeoutMs: 0 }, 'permissionTimeoutMs must be whole milliseconds from 1'],
  [{ handshakeTimeoutMs: -1 }, 'handshakeTimeoutMs must be whole milliseconds from 1'],
  [{ idleTimeoutMs: 1.5 }, 'idleTimeoutMs must be whole milliseconds from 1'],
  [{ drainMs: -1 }, 'drainMs must be whole milliseconds from 0'],
  [{ eofGraceMs: 'long' }, 'eofGraceMs must be whole milliseconds from 0'],
  [{ termGraceMs: NaN }, 'termGraceMs must be whole milliseconds from 0'],
  [{ model: '' }, 'model must be a non-empty string'],
  [{ mode: {} }, 'mode must be a non-empty string'],
  [{ authMethod: null }, 'authMethod must be a non-empty string'],
  [{ config: { a: 7 } }, 'config.a must be a string or a boolean, got 7'],
  [{ honoursDepth: 'yes' }, 'honoursDepth must be true or false'],
  [{ enforces: { persona: 'yes' } }, 'enforces.persona must be a function'],
  [{ pool: 2 }, 'pool must be an object with a size, got 2'],
  [{ pool: { size: 0 } }, 'pool.size must be a whole number from 1, got 0'],
  [{ onStderr: 'log' }, 'onStderr must be a function'],
  [{ env: ['KEY=x'] }, 'env must be an object of strings'],
  [{ env: new Map([['KEY', 'x']]) }, 'env must be an object of strings'],
  [{ config: new Map() }, 'config must be an object of strings and booleans'],
  [{ config: ['a'] }, 'config must be an object of strings and booleans'],
  [{ enforces: [] }, 'enforces must be an object'],
  [{ name: ' ' }, 'name must be a non-empty string'],
  [{ command: ' ' }, 'command must be a non-empty string'],
  [{ timeoutMs: 5 }, 'has no option "timeoutMs"'],
  [{ permision: 'allow' }, 'Did you mean permission?'],
]

describe('enforces', () => {
  it('A15: a function that throws, or gives what is no object, fails the start by its name, with nothing spawned', () => {
    const odd = [
      () => {
        throw new Error('broken')
      },
      () => undefined,
      () => 'text',
      () => ['text'],
      () => ({ big: 10n }),
      () => Promise.resolve({}),
    ]
    for (const persona of odd) {
      const { agents, start } = setUp({}, { enforces: { persona: persona as never } })
      const begin = (): unknown => start({ persona: 'a poet' })
      expect(begin).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('enforces.persona') }))
      expect(agents).toEqual([])
    }
  })
})

describe('options', () => {
  it('A1: what has the wrong shape is refused by the name of the option, before anything is started', () => {
    for (const [options, message] of refused) {
      const make = (): unknown => acpProvider({ command: 'agent', ...options } as never)
      expect(make, JSON.stringify(options)).toThrow(message)
      expect(make).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
    }
    expect(() => acpProvider(undefined as never)).toThrow('options must be an object with a command')
  })

  it('A1: no value of the environment is in what a refusal says', () => {
    try {
      acpProvider({ command: 'agent', env: { KEY: 'a-secret\0' } })
      expect.unreachable()
    } catch (error) {
      expect(SubagentError.is(error, 'INVALID_REQUEST')).toBe(true)
      expect(String(error)).not.toContain('a-secret')
    }
  })

  it('A1: it is named acp unless it is given a name, and several live side by side', async () => {
    const service = createSubagentService({
      providers: [
        acpProvider({ command: 'one' }),
        acpProvider({ ...knownAgents.opencode }),
        acpProvider({ ...knownAgents.claude, name: 'reviewer' }),
      ],
    })
    expect(service.list()).toEqual(['acp', 'opencode', 'reviewer'])
    await service.close()
  })

  it('A15: it claims what its agent enforces, and no more', () => {
    expect(acpProvider({ command: 'agent' })).toMatchObject({
      capabilities: { outputSchema: true, depthLimit: false, toolFilter: false, persona: false },
      inheritsParentContext: false,
      signalsReady: true,
    })
    expect(acpProvider({ command: 'agent', honoursDepth: true }).capabilities.depthLimit).toBe(true)
    expect(acpProvider({ command: 'agent', structuredOutput: false }).capabilities.outputSchema).toBe(false)
    expect(acpProvider({ ...knownAgents.claude }).capabilities).toEqual({
      outputSchema: true,
      depthLimit: false,
      toolFilter: true,
      persona: true,
    })
  })
})

describe('known agents', () => {
  it('A1: each has a command, its own name, and says with which version it was driven last, or that it was not', () => {
    for (const [name, agent] of Object.entries(knownAgents)) {
      expect(agent.name).toBe(name)
      expect(acpProvider({ ...agent }).name).toBe(name)
      expect(agent.verified === 'unverified' || /^\d{4}-\d\d-\d\d$/.test((agent.verified as { date: string }).date), name).toBe(true)
    }
    expect(Object.keys(knownAgents)).toEqual(['claude', 'cline', 'codex', 'copilot', 'gemini', 'goose', 'kimi', 'opencode', 'qwen'])
  })
})

import { describe, expect, it } from 'vitest'
import { chooseModel, showUrl } from '../../../src/cli/models/model-choice.ts'

describe('--model and --base-url', () => {
  it('C3: takes VENDOR/ID of a vendor it knows, and scripted', () => {
    expect(chooseModel('scripted', undefined)).toEqual({ kind: 'scripted' })
    expect(chooseModel('anthropic/claude-x', undefined)).toMatchObject({
      kind: 'vendor',
      vendor: { name: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
      id: 'claude-x',
    })
    expect(chooseModel('openai/ft:a/b', undefined)).toMatchObject({ id: 'ft:a/b' })
  })

  it('C3: takes any vendor with a base URL', () => {
    const choice = chooseModel('local/qwen/qwen3', 'http://127.0.0.1:11434/v1')
    expect(choice).toMatchObject({ kind: 'base-url', vendor: 'local', id: 'qwen/qwen3' })
    expect(choice.kind === 'base-url' && choice.url.href).toBe('http://127.0.0.1:11434/v1')
  })

  it('C3: says what is wrong with a value and gives one that works', () => {
    const message = (model: string, url?: string) => {
      try {
        chooseModel(model, url)
        return 'accepted'
      } catch (error) {
        return (error as Error).message
      }
    }
    expect(message('deepsek/x')).toContain('there is no vendor deepsek. Did you mean deepseek/x?')
    expect(message('mistral/x')).toMatch(/there is no vendor mistral, only deepseek, openai, anthropic\.\n.*--base-url URL/)
    expect(message('deepseek')).toContain('"deepseek" is not of the form VENDOR/ID. Did you mean --model deepseek/deepseek-flash?')
    expect(message('scriptd')).toContain('Did you mean --model scripted?')
    expect(message('gpt-5')).toContain('nor scripted')
    expect(message('')).toContain('is not of the form VENDOR/ID')
    for (const malformed of ['openai/', '/x', 'openai/a b', ' openai/x'])
      expect(message(malformed)).toContain('is not of the form VENDOR/ID')
    expect(message('llama3.2', 'http://localhost/v1')).toContain('Did you mean --model local/llama3.2?')
    expect(message('scripted', 'http://localhost/v1')).toContain('--base-url makes no sense with --model scripted')
    expect(message('a/b', 'localhost:8080')).toContain('is not an http or https address')
    expect(message('a/b', 'nonsense')).toContain('"nonsense" is not an http or https address')
  })

  it('C3: shows no password or key that stands in an address', () => {
    expect(() => chooseModel('a/b', 'https://me:hunter22@host/v1')).toThrow('leave user and password out')
    try {
      chooseModel('a/b', 'https://me:hunter22@host/v1')
    } catch (error) {
      expect((error as Error).message).not.toContain('hunter22')
    }
    try {
      chooseModel('a/b', 'ftp://me:hunter22@host/v1?key=hunter33')
    } catch (error) {
      expect((error as Error).message).not.toMatch(/hunter/)
    }
    expect(showUrl(new URL('http://host:1/v1?key=secret'))).toBe('http://host:1/v1')
    expect(showUrl(new URL('http://host'))).toBe('http://host')
  })
})

import { describe, expect, it } from 'vitest'
import { keyVariablesFor, loadModel } from '../../../src/cli/models/load-model.ts'
import { chooseModel } from '../../../src/cli/models/model-choice.ts'
import { vendors } from '../../../src/cli/models/vendors.ts'

const load = (model: string, env: Record<string, string> = {}, url?: string) => loadModel(chooseModel(model, url), env)

describe('loading a model', () => {
  it('C3: makes the model of each vendor with the key of its variable', async () => {
    for (const { name, keyVariable, defaultModel } of vendors) {
      const loaded = await load(`${name}/${defaultModel}`, { [keyVariable]: 'a-key-of-mine' })
      expect(loaded).toMatchObject({ label: `${name}/${defaultModel}`, keyVariable, scripted: false, model: { modelId: defaultModel } })
      expect(loaded.note).toBe(`Model: ${name}/${defaultModel}, with the key in ${keyVariable}.`)
    }
  })

  it('C3: asks for a key that is missing or blank, by the name of its variable', async () => {
    for (const env of [{}, { DEEPSEEK_API_KEY: '  ' }, { OPENAI_API_KEY: 'of another vendor' }]) {
      await expect(load('deepseek/x', env)).rejects.toThrow('--model deepseek/x needs a key, and DEEPSEEK_API_KEY is not set.')
    }
  })

  it('C3: refuses a key that no header can hold, by the name of its variable and without a part of it; white space around it is no harm', async () => {
    for (const bad of ['part1\npart2', 'part1\u0007part2', 'part1\u2013part2', 'part1\r\npart2']) {
      for (const [model, variable, url] of [
        ['deepseek/x', 'DEEPSEEK_API_KEY', undefined],
        ['local/x', 'LOCAL_API_KEY', 'http://127.0.0.1:9/v1'],
      ] as const) {
        const failure = await load(model, { [variable]: bad }, url).catch((error: unknown) => error)
        expect(failure).toMatchObject({ name: 'UsageError', message: expect.stringContaining(`The key in ${variable} has a line break`) })
        expect((failure as Error).message).not.toMatch(/part\d/)
      }
    }
    expect(await load('deepseek/x', { DEEPSEEK_API_KEY: 'of a file\r\n' })).toMatchObject({ keyVariable: 'DEEPSEEK_API_KEY' })
  })

  it('C3: gives a server at --base-url the key of its vendor, else that of OpenAI, else none', async () => {
    expect(keyVariablesFor('anthropic')).toEqual(['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'])
    expect(keyVariablesFor('my-host.io')).toEqual(['MY_HOST_IO_API_KEY', 'OPENAI_API_KEY'])
    const url = 'http://127.0.0.1:9/v1'
    expect((await load('local/x', { LOCAL_API_KEY: 'k', OPENAI_API_KEY: 'k' }, url)).note).toBe(
      'Model: local/x at http://127.0.0.1:9/v1, with the key in LOCAL_API_KEY.',
    )
    expect((await load('local/x', { OPENAI_API_KEY: 'k' }, url)).keyVariable).toBe('OPENAI_API_KEY')
    const none = await load('local/x', {}, url)
    expect(none.note).toBe('Model: local/x at http://127.0.0.1:9/v1, without a key.')
    expect('keyVariable' in none).toBe(false)
  })

  it('C1: says of the scripted model that it is scripted', async () => {
    expect(await load('scripted')).toMatchObject({ label: 'scripted', scripted: true, note: expect.stringMatching(/^Model: scripted\./) })
  })
})

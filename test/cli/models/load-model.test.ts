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

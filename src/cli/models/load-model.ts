/** Makes the model object for a choice. Contract: C3. */
import type { LanguageModel } from 'ai'
import { programName } from '../program-name.ts'
import type { Pause } from '../scripted/pause.ts'
import { UsageError } from '../usage-error.ts'
import { showUrl, type ModelChoice } from './model-choice.ts'
import { keyIn, usableKeyIn, vendors, type Environment, type Vendor } from './vendors.ts'

export interface LoadedModel {
  readonly model: LanguageModel
  /** `VENDOR/ID` or `scripted`, as results name it. */
  readonly label: string
  /** Where it is and with what, in words, for a person. */
  readonly note: string
  /** Name of the variable whose key is used. */
  readonly keyVariable?: string
  readonly scripted: boolean
  /** By what agent definitions may call them: this model, and others of the same vendor. */
  readonly named: Readonly<Record<string, LanguageModel>>
}

/**
 * @param pause makes a script slow enough to be watched
 * @throws UsageError where the key is missing or cannot be sent
 */
export async function loadModel(choice: ModelChoice, env: Environment, pause?: Pause): Promise<LoadedModel> {
  switch (choice.kind) {
    case 'scripted': {
      const { scriptedTodoModel } = await import('../scripted/scripted-todo-model.ts')
      const model = scriptedTodoModel(pause)
      const note = 'Model: scripted. No key, no network: a script plays the model, and it only finds TODOs.'
      return {
        model,
        label: 'scripted',
        note: pause ? `${note} It takes its time, to be watched.` : note,
        scripted: true,
        named: { scripted: model },
      }
    }
    case 'vendor': {
      const { vendor, id } = choice
      const key = usableKeyIn(env, vendor.keyVariable)
      if (key === undefined) {
        throw new UsageError(
          `--model ${vendor.name}/${id} needs a key, and ${vendor.keyVariable} is not set.\n` +
            `Set it (export ${vendor.keyVariable}=…) and run the command again, or try it without a key: ${programName(env)} demo`,
        )
      }
      const model = await vendor.load(id, key)
      return {
        model,
        label: `${vendor.name}/${id}`,
        note: `Model: ${vendor.name}/${id}, with the key in ${vendor.keyVariable}.`,
        keyVariable: vendor.keyVariable,
        scripted: false,
        named: { ...(await aliasesOf(vendor, key)), ...byItsNames(vendor.name, id, model) },
      }
    }
    case 'base-url': {
      const { vendor, id, url } = choice
      const keyVariable = keyVariablesFor(vendor).find((variable) => keyIn(env, variable) !== undefined)
      const key = keyVariable === undefined ? undefined : usableKeyIn(env, keyVariable)
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const model = createOpenAICompatible({
        name: vendor,
        baseURL: url.href.replace(/\/$/, ''),
        includeUsage: true,
        ...(key !== undefined && { apiKey: key }),
      })(id)
      const withKey = keyVariable === undefined ? 'without a key' : `with the key in ${keyVariable}`
      return {
        model,
        label: `${vendor}/${id}`,
        note: `Model: ${vendor}/${id} at ${showUrl(url)}, ${withKey}.`,
        ...(keyVariable !== undefined && { keyVariable }),
        scripted: false,
        // Which other models the server has is not known, whatever it is called.
        named: byItsNames(vendor, id, model),
      }
    }
  }
}

function byItsNames(vendor: string, id: string, model: LanguageModel): Readonly<Record<string, LanguageModel>> {
  return { [id]: model, [`${vendor}/${id}`]: model }
}

async function aliasesOf({ aliases = {}, load }: Vendor, key: string): Promise<Readonly<Record<string, LanguageModel>>> {
  return Object.fromEntries(await Promise.all(Object.entries(aliases).map(async ([alias, id]) => [alias, await load(id, key)] as const)))
}

/** Whose key a server at `--base-url` gets: that of the vendor it was named after, else OpenAI's, whose protocol it speaks. */
export function keyVariablesFor(vendor: string): string[] {
  const known = vendors.find(({ name }) => name === vendor)?.keyVariable
  return [known ?? `${vendor.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`, 'OPENAI_API_KEY']
}

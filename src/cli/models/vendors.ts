/**
 * The vendors that `--model VENDOR/ID` knows. The order is the precedence in which found keys are listed (C3).
 * A vendor's package is loaded when its model is used and not before.
 */
import type { LanguageModel } from 'ai'
import { UsageError } from '../usage-error.ts'

export interface Vendor {
  readonly name: string
  /** Name of the environment variable with the key. */
  readonly keyVariable: string
  /** Id that is proposed where none was given. */
  readonly defaultModel: string
  /** What agent definitions call models of this vendor, and their ids. */
  readonly aliases?: Readonly<Record<string, string>>
  readonly load: (id: string, apiKey: string) => Promise<LanguageModel>
}

export const vendors: readonly Vendor[] = [
  {
    name: 'deepseek',
    keyVariable: 'DEEPSEEK_API_KEY',
    defaultModel: 'deepseek-flash',
    load: async (id, apiKey) => (await import('@ai-sdk/deepseek')).createDeepSeek({ apiKey })(id),
  },
  {
    name: 'openai',
    keyVariable: 'OPENAI_API_KEY',
    defaultModel: 'gpt-5.6',
    load: async (id, apiKey) => (await import('@ai-sdk/openai')).createOpenAI({ apiKey })(id),
  },
  {
    name: 'anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    defaultModel: 'claude-sonnet-5-5',
    aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-5-5' },
    load: async (id, apiKey) => (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey })(id),
  },
]

export type Environment = Readonly<Record<string, string | undefined>>

/** The key in that variable, ready to be sent; blank counts as none. @throws UsageError for one that no HTTP header can hold */
export function usableKeyIn(env: Environment, variable: string): string | undefined {
  const key = keyIn(env, variable)
  // What is wrong has to be said here: the message of a failed request would show the key.
  if (key === undefined || /^[\u0020-\u007e\u00a0-\u00ff]*$/.test(key)) return key
  throw new UsageError(
    `The key in ${variable} has a line break or another character in it that no key has, so it was not sent. Set ${variable} again, to the key alone.`,
  )
}

/** The key in that variable as it stands there, without white space around it; blank counts as none. */
export function keyIn(env: Environment, variable: string): string | undefined {
  const key = env[variable]?.trim()
  return key === '' ? undefined : key
}

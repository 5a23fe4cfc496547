/**
 * The vendors that `--model VENDOR/ID` knows. The order is the precedence in which found keys are listed (C3).
 * A vendor's package is loaded when its model is used and not before.
 */
import type { LanguageModel } from 'ai'

export interface Vendor {
  readonly name: string
  /** Name of the environment variable with the key. */
  readonly keyVariable: string
  /** Id that is proposed where none was given. */
  readonly defaultModel: string
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
    load: async (id, apiKey) => (await import('@ai-sdk/anthropic')).createAnthropic({ apiKey })(id),
  },
]

export type Environment = Readonly<Record<string, string | undefined>>

/** The key in that variable; blank counts as none. */
export function keyIn(env: Environment, variable: string): string | undefined {
  const key = env[variable]?.trim()
  return key === '' ? undefined : key
}

/** The types of an AI SDK language model, taken from `ai` itself so that no further package is needed. */
import type { LanguageModel } from 'ai'

export type ModelObject = Extract<LanguageModel, { specificationVersion: 'v3' }>
export type ModelCall = Parameters<ModelObject['doStream']>[0]
export type ModelPrompt = ModelCall['prompt']
export type ModelAnswer = Awaited<ReturnType<ModelObject['doGenerate']>>
export type ModelStreamPart = Awaited<ReturnType<ModelObject['doStream']>>['stream'] extends ReadableStream<infer TPart> ? TPart : never

/** What a script answers to one prompt: words, calls of tools, or both. */
export interface ScriptStep {
  readonly text?: string
  readonly calls?: readonly { readonly name: string; readonly input: { readonly [field: string]: unknown } }[]
}

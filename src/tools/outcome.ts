/**
 * What a run comes to, as its parent's model is told it (T7).
 *
 * Invariant: only `completed` is a success; a stop reason that is not known counts as a failure (R13).
 */
import { toJson } from '../run/json.ts'
import type { ContentBlock, Json, SubagentResult, SubagentStopReason } from '../types.ts'

/** The answer of a tool call, in the words of the Model Context Protocol. */
export interface SubagentToolResult {
  /** True for every end but `completed`, and for a call that could not be made. */
  readonly isError: boolean
  /** The text as one block; after it what else the child answered. Plain JSON, never empty. */
  readonly content: readonly ContentBlock[]
  /**
   * The validated object as plain JSON, where an `outputSchema` was configured and the child honoured it. What a transform of the
   * schema made of it counts: dates are texts, a bigint is one such as `10n`; an array or a single value is in `content` alone.
   * As it is it stands in the run's result.
   */
  readonly structured?: { readonly [key: string]: Json | undefined }
}

const sentences: { readonly [Reason in Exclude<SubagentStopReason, 'completed'>]: string } = {
  aborted: 'The subagent was cancelled before it had finished.',
  error: 'The subagent failed.',
  'max-tokens': 'The subagent was cut off at its token limit before it had finished.',
  refusal: 'The subagent refused the task.',
  'timed-out': 'The subagent did not finish in time and was stopped.',
}

/** @throws what reading a block throws, where the provider's output could not be copied */
export function toToolResult(result: SubagentResult): SubagentToolResult {
  const { output, structured, stopReason } = result
  if (stopReason !== 'completed') return errorResult(failureText(result))
  if (structured !== undefined) return structuredResult(toJson(structured))
  const text = textOf(output)
  const others = output.flatMap((block) => (block.type === 'text' ? [] : [toJson(block) as ContentBlock]))
  return { isError: false, content: text === '' && others.length > 0 ? others : [{ type: 'text', text }, ...others] }
}

function structuredResult(json: Json): SubagentToolResult {
  const content: ContentBlock[] = [{ type: 'text', text: JSON.stringify(json) }]
  return { isError: false, content, ...(isObject(json) && { structured: json }) }
}

function isObject(json: Json): json is { readonly [key: string]: Json | undefined } {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

export function errorResult(text: string): SubagentToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}

/** The text blocks, joined. */
export function textOf(blocks: readonly ContentBlock[]): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}

function failureText({ stopReason, diagnostic, output }: SubagentResult): string {
  const sentence = Object.hasOwn(sentences, stopReason)
    ? sentences[stopReason as keyof typeof sentences]
    : `The subagent stopped for a reason that is not known (${String(stopReason)}), which counts as a failure.`
  const text = textOf(output)
  return [sentence, ...(diagnostic ? [diagnostic] : []), ...(text === '' ? [] : [`What it had written until then:\n${text}`])].join('\n\n')
}

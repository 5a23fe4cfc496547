import type { SubagentResult, ToolFilter } from '../../src/index.ts'

/** What a child comes to that was asked for `{ answer: number }` and did not give it. */
export const unfit: Partial<SubagentResult> = {
  stopReason: 'error',
  failure: { code: 'NO_STRUCTURED_OUTPUT', phase: 'running', retryable: true, message: 'answer must be a number' },
}

/** What a child comes to that gives this for `{ answer: number }`. */
export function fitted(value: unknown): Partial<SubagentResult> {
  return typeof (value as { readonly answer?: unknown } | null)?.answer === 'number' ? { structured: value } : unfit
}

/** What a filter leaves of these tools. */
export const visible = (tools: readonly string[], { allow, deny }: ToolFilter = {}): string[] =>
  tools.filter((tool) => (allow?.includes(tool) ?? true) && !deny?.includes(tool))

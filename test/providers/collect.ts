import type { ContentBlock, Logger, SubagentResult } from '../../src/index.ts'

/** A logger that keeps what it was told. */
export function collectLogger(): Logger & { readonly warnings: string[] } {
  const warnings: string[] = []
  return { warnings, debug: () => {}, warn: (message) => void warnings.push(message), error: (message) => void warnings.push(message) }
}

export const textOf = ({ output }: Pick<SubagentResult, 'output'>): string =>
  output.map((block: ContentBlock) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('')

/** Resolves once `condition` holds, asked between turns of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setImmediate(resolve))
}

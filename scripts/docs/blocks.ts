/**
 * The fenced blocks of a page, and where each comes from: a comment before a block names the file or the command.
 *
 *     <!-- code of: examples/delegate.ts -->
 *     <!-- output of: node scripts/run.js examples/delegate.ts -->
 */
export interface Block {
  readonly language: string
  readonly body: string
  readonly source?: { readonly kind: 'code' | 'output'; readonly of: string }
}

const fence = /(?:<!-- (code|output) of: (.+?) -->\n)?```(\w*)\n([\s\S]*?)```/g

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(fence)].map(([, kind, of, language = '', body = '']) => ({
    language,
    body,
    ...(kind && of && { source: { kind: kind as 'code' | 'output', of } }),
  }))
}

/** The page with the body of every block that has a source replaced by what `read` gives for it. */
export function fillBlocks(page: string, read: (source: NonNullable<Block['source']>) => string): string {
  return page.replace(fence, (whole, kind: 'code' | 'output' | undefined, of: string, language: string) =>
    kind ? `<!-- ${kind} of: ${of} -->\n\`\`\`${language}\n${read({ kind, of }).trimEnd()}\n\`\`\`` : whole,
  )
}

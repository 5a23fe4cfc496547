/** Sizes of entries held against their budgets. */
import type { EntrySize } from './measure.ts'

/** In kB of 1000 bytes, by entry. */
export type Budgets = Readonly<Record<string, number>>

const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(1)

/** The table that is printed, and what is wrong; nothing is, where `problems` is empty. */
export function judge(sizes: readonly EntrySize[], budgets: Budgets, budgetFile: string): { table: string; problems: string[] } {
  const rows = sizes.map(({ entry, atOnce, later }) => [
    entry,
    kilobytes(atOnce),
    budgets[entry]?.toFixed(1) ?? 'none',
    later > 0 ? kilobytes(later) : '',
  ])
  const lines = [['entry', 'kB', 'budget', 'loaded later'], ...rows].map(([entry = '', ...figures]) =>
    [entry.padEnd(12), ...figures.map((figure) => figure.padStart(12))].join(' ').trimEnd(),
  )
  const over = sizes.flatMap(({ entry, atOnce }) => {
    const budget = budgets[entry]
    if (budget === undefined) return [`${entry} has no budget. Give it one in ${budgetFile}, a little above ${kilobytes(atOnce)}.`]
    if (atOnce <= budget * 1000) return []
    return [
      `${entry} is ${kilobytes(atOnce)} kB, over its budget of ${budget.toFixed(1)} kB. Find what it has come to import, and load that later or leave it out. ` +
        `Where it is worth its size, raise the budget in ${budgetFile} in the same commit, which says why.`,
    ]
  })
  const gone = Object.keys(budgets).filter((entry) => !sizes.some((size) => size.entry === entry))
  return {
    table: lines.join('\n'),
    problems: [...over, ...gone.map((entry) => `${budgetFile} has a budget for ${entry}, which is no entry.`)],
  }
}

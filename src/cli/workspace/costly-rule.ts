/**
 * Which rules of an ignore file are passed over, since matching them could take for ever: each becomes a regular
 * expression that backtracks, and the time grows with the length of the name to the power of its wildcards. Contract: C4.
 */

/** A name of 255 characters takes some milliseconds with so many. */
const mostStars = 3
/** `**` goes over whole components of a path, of which there are few. */
const mostDoubleStars = 4
const shownCharacters = 40

/** Whether a rule, as it stands in the file, has more wildcards than are safe. A run of stars counts as one. */
export function isCostly(rule: string): boolean {
  if (rule.startsWith('#')) return false
  const runs = [...rule.trim().matchAll(/\\.|\*+/g)].filter(([run]) => run.startsWith('*'))
  const isDouble = ({ 0: run, index, input }: RegExpExecArray) =>
    run === '**' && /^!?$|\/$/.test(input.slice(0, index)) && /^(\/|$)/.test(input.slice(index + 2))
  const doubles = runs.filter(isDouble).length
  return doubles > mostDoubleStars || runs.length - doubles > mostStars
}

/** The rule as a note names it. */
export function nameRule(path: string, rule: string): string {
  const text = rule.trim()
  return `${text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text} in ${path}`
}

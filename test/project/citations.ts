/**
 * How a test says which requirement it holds: by ids in its title or in the title of a `describe` around it.
 *
 *     it('R8: a deaf child is given up after its grace')          at the start, then a colon
 *     it('S14, S15: start and end come as a pair')                several, with comma and space
 *     it('a deaf child among many delays no other (R8, R11)')     or in brackets at the end
 *
 * Only what is written in the call counts: a plain string, or what a template begins or ends with. A skipped test and
 * one still to do cite nothing.
 */
import ts from 'typescript'
import type { Requirement } from '../requirements.ts'

export interface Title {
  /** `file:line` */
  readonly at: string
  readonly text: string
}

const suites = new Set(['it', 'test', 'describe'])
const inert = new Set(['skip', 'todo', 'skipIf', 'runIf'])
const idList = /^[A-Z]\d+(, [A-Z]\d+)*$/
const leading = /^((?:[A-Z]\d+\b[\s,/;+&–-]*)+):/
const trailing = /\(((?:[A-Z]\d+\b[\s,/;+&–-]*)+)\)$/

/** The titles of a test file, in order. */
export function titlesOf(path: string, source: string): Title[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, false)
  const titles: Title[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && suiteOf(node.expression) === 'inert') return
    if (ts.isCallExpression(node) && suiteOf(node.expression) === 'live') {
      const [title] = node.arguments
      const text = title && textOf(title)
      if (text !== undefined) titles.push({ at: `${path}:${file.getLineAndCharacterOfPosition(title!.getStart(file)).line + 1}`, text })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return titles
}

/** `it`, `it.concurrent`, `it.each(rows)`, …; inert with a `skip` or `todo` on the way. */
function suiteOf(callee: ts.Expression): 'live' | 'inert' | undefined {
  if (ts.isIdentifier(callee)) return suites.has(callee.text) ? 'live' : undefined
  if (ts.isCallExpression(callee)) return suiteOf(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return suiteOf(callee.tag)
  if (!ts.isPropertyAccessExpression(callee)) return undefined
  const of = suiteOf(callee.expression)
  return of === 'live' && inert.has(callee.name.text) ? 'inert' : of
}

/** A value in a template stands as `…`, which is part of no id. */
function textOf(title: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(title)) return title.text
  if (ts.isTemplateExpression(title)) return [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)].join('…')
  return undefined
}

/** The ids that a title cites, and what of it looks like a citation but is none. */
export function citationsOf(text: string): { readonly ids: readonly string[]; readonly malformed?: string } {
  const ids: string[] = []
  for (const pattern of [leading, trailing]) {
    const list = pattern.exec(text)?.[1]
    if (list === undefined) continue
    if (!idList.test(list)) return { ids, malformed: list }
    ids.push(...list.split(', '))
  }
  return { ids }
}

/** What is wrong with the manifest itself, a sentence each. */
export function manifestProblems(requirements: readonly Requirement[]): string[] {
  const problems: string[] = []
  const seen = new Set<string>()
  const next = new Map<string, number>()
  for (const { id, sentence, since, whole } of requirements) {
    const [, letter, number] = /^([A-Z])([1-9]\d*)$/.exec(id) ?? []
    if (letter === undefined || number === undefined) {
      problems.push(`${JSON.stringify(id)} is no id: a capital letter and a number from 1 are.`)
      continue
    }
    if (seen.has(id)) problems.push(`${id} is listed twice.`)
    else if (Number(number) !== (next.get(letter) ?? 1))
      problems.push(`${id} is out of order: ${letter}${next.get(letter) ?? 1} should come here.`)
    seen.add(id)
    next.set(letter, Number(number) + 1)
    if (!/^\S.{10,}\S$/.test(sentence)) problems.push(`${id} has no sentence.`)
    if (!isIssue(since)) problems.push(`${id}: since is ${since}, and an issue is 1 … 6.`)
    if (whole !== undefined && (!isIssue(whole) || whole <= since))
      problems.push(`${id}: whole is ${whole}, and has to be an issue after ${since}.`)
  }
  return problems
}

const isIssue = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 6

/** What keeps the tests and the manifest apart, a sentence each. */
export function citationProblems(requirements: readonly Requirement[], currentIssue: number, titles: readonly Title[]): string[] {
  const known = new Set(requirements.map(({ id }) => id))
  const cited = new Set<string>()
  const problems: string[] = []
  for (const { at, text } of titles) {
    const { ids, malformed } = citationsOf(text)
    if (malformed !== undefined)
      problems.push(`${at}: ${JSON.stringify(malformed)} is no list of ids. Write R1, R2: with a comma and a space.`)
    for (const id of ids) {
      if (known.has(id)) cited.add(id)
      else problems.push(`${at} cites ${id}, which is no requirement.`)
    }
  }
  for (const { id, since, sentence } of requirements)
    if (since <= currentIssue && !cited.has(id)) problems.push(`No test cites ${id}: ${sentence}`)
  return problems
}

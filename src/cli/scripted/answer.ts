/** The parent's answer: every figure in it was reported by a child or stood in the listing. Contract: C2. */
import type { Listing } from './listing.ts'
import { oneLine, type Report, type Todo } from './report.ts'

export type ChildAnswer = { readonly task: string } & ({ readonly report: Report } | { readonly failure: string })

const mostFiles = 20
const mostTodos = 50

export function writeAnswer(listing: Listing, answers: readonly ChildAnswer[]): string {
  if (listing.total === 0) return ['There is no file to search in this folder.', ...missing(listing.notes)].join('\n')
  const reports = answers.flatMap((answer) => ('report' in answer ? [answer.report] : []))
  const todos = reports.flatMap((report) => report.todos)
  const found = reports.reduce((sum, report) => sum + report.found, 0)
  const files = reports.reduce((sum, report) => sum + report.filesWithTodos, 0)
  const searched = reports.reduce((sum, report) => sum + report.filesSearched, 0)
  const gaps = [
    ...new Set(answers.flatMap((answer) => ('failure' in answer ? [failureOf(answer.task, answer.failure)] : []))),
    // The children search whole folders, so a listing that was cut hides nothing from them.
    ...listing.notes.filter((note) => !note.startsWith('Shows')),
    ...gapsOf(reports, listing.notes),
    ...(found > todos.length ? [`Of ${found} TODOs only ${todos.length} were shown to the parent; the lists above have only those.`] : []),
  ]
  if (reports.length === 0) return ['No file was searched: no child gave a report.', ...missing(gaps)].join('\n')
  if (searched === 0 && gaps.length > 0) return ['No file was searched.', ...missing(gaps)].join('\n')
  if (found === 0) return [`Found no TODO in ${count(searched, 'file')} searched.`, ...missing(gaps)].join('\n')

  const byFile = new Map<string, number>()
  for (const { path } of todos) byFile.set(path, (byFile.get(path) ?? 0) + 1)
  const rankedFiles = [...byFile].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
  const ranked = [...todos].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (byFile.get(b.path) ?? 0) - (byFile.get(a.path) ?? 0) ||
      (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1),
  )
  const fixmes = todos.filter(({ kind }) => kind === 'FIXME').length
  return [
    `Found ${count(found, 'TODO')} in ${files} of ${count(searched, 'file')} searched: ${fixmes} FIXME, ${todos.length - fixmes} TODO.`,
    '',
    'By file:',
    ...rankedFiles.slice(0, mostFiles).map(([path, number]) => `  ${String(number).padStart(3)}  ${oneLine(path)}`),
    ...more(rankedFiles.length - mostFiles, 'file'),
    '',
    'Ranked, FIXME first, then by how many the file has:',
    ...ranked
      .slice(0, mostTodos)
      .map((todo, index) => `  ${String(index + 1).padStart(2)}. ${oneLine(todo.path)}:${todo.line} ${todo.kind} ${todo.text}`),
    ...more(ranked.length - mostTodos, 'TODO'),
    ...missing(gaps),
  ].join('\n')
}

/** What the listing does not tell already. Two children can say the same of different files. */
function gapsOf(reports: readonly Report[], told: readonly string[]): string[] {
  const links = /^Symbolic links/
  const linksTold = told.some((note) => links.test(note))
  const times = new Map<string, number>()
  for (const gap of reports.flatMap(({ gaps }) => gaps)) {
    // The listing went through all folders, and counted the links in those that no child was given too.
    if (!told.includes(gap) && !(linksTold && links.test(gap))) times.set(gap, (times.get(gap) ?? 0) + 1)
  }
  return [...times].map(([gap, number]) => (number === 1 ? gap : `${gap} (${number} times)`))
}

function rank({ kind }: Todo): number {
  return kind === 'FIXME' ? 0 : 1
}

function more(number: number, noun: string): string[] {
  return number > 0 ? [`  … and ${count(number, `more ${noun}`)}`] : []
}

function missing(gaps: readonly string[]): string[] {
  return gaps.length > 0 ? ['', 'Not covered:', ...gaps.map((gap) => `  - ${gap}`)] : []
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** A refusal for the depth is told in the command's words: it holds for every child of this parent. */
function failureOf(task: string, failure: string): string {
  return /delegation depth \d+, and maxDepth is \d+/.test(failure)
    ? '--max-depth 0 allows no children, and the script leaves all searching to them. Give --max-depth 1 or more.'
    : `${task}: ${firstLine(failure)}`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** `tools` and `disallowedTools` as a filter on what the host offers (P10). */
import type { ToolFilter } from '../types.ts'
import type { Field, Item } from './fields.ts'
import { shown } from './findings.ts'
import type { FileFindings } from './findings.ts'
import type { LoadAgentDefinitionsOptions } from './options.ts'
import { hostToolsOf, isToolOfClaudeCode } from './tool-names.ts'

/** Of the tools that a line lacks, so many are named; the others are counted. */
const mostNamed = 20

type Host = Pick<LoadAgentDefinitionsOptions, 'tools' | 'toolNames'>

/** `undefined` where a definition limits nothing; `'wrong'` where it cannot be told what it limits: the problem has been told. */
export function readToolFilter(
  tools: Field | undefined,
  denied: Field | undefined,
  host: Host,
  findings: FileFindings,
): ToolFilter | undefined | 'wrong' {
  const allow = tools && listOf(tools, findings)
  const deny = denied && listOf(denied, findings)
  if (allow === 'wrong' || deny === 'wrong') return 'wrong'
  if (deny?.some(({ text }) => text === '*')) return { allow: [] }
  const allowed = tools && allow && !allow.some(({ text }) => text === '*') ? allowedBy(tools, allow, host, findings) : undefined
  const forbidden = deny ? deniedBy(deny, host, findings) : []
  return allowed || forbidden.length > 0
    ? { ...(allowed && { allow: allowed }), ...(forbidden.length > 0 && { deny: forbidden }) }
    : undefined
}

/** A YAML list, or names between commas or spaces; what stands in parentheses belongs to its name. */
function listOf({ name, line, value }: Field, { problem }: FileFindings): readonly Item[] | 'wrong' {
  if (typeof value === 'string') return itemsIn(value, line)
  if (value !== undefined) return value.flatMap((item) => itemsIn(item.text, item.line))
  problem(line, `${name} must be a list of tool names, such as "${name}: Read, Grep".`)
  return 'wrong'
}

function itemsIn(text: string, line: number): Item[] {
  return (text.match(/(?:\([^)]*\)?|[^\s,(])+/g) ?? []).map((each) => ({ text: each, line }))
}

function allowedBy(field: Field, items: readonly Item[], host: Host, findings: FileFindings): string[] {
  const allowed = new Set<string>()
  const missing: Missing[] = []
  for (const item of items) {
    const found = hostToolsOf(item.text, host)
    if (typeof found === 'string') missing.push({ ...item, why: found })
    else for (const tool of found) allowed.add(tool)
  }
  tellMissing(missing, 'left out', host, findings)
  if (items.length === 0) findings.warning(field.line, 'tools is empty, so the agent has no tools. Leave the field out to give it all.')
  else if (allowed.size === 0) findings.warning(field.line, 'none of its tools is left, so the agent has no tools.')
  return [...allowed]
}

/** Denies more rather than less: of a tool that is denied in part, all. */
function deniedBy(items: readonly Item[], host: Host, findings: FileFindings): string[] {
  const denied = new Set<string>()
  const missing: Missing[] = []
  for (const { text, line } of items) {
    const whole = text.replace(/\(.*$/s, '')
    const exact = hostToolsOf(text, host)
    const found = typeof exact === 'string' ? hostToolsOf(whole, host) : exact
    if (typeof found === 'string') {
      // That there is no Write here is as it should be; another word may be a slip of the pen.
      if (!isToolOfClaudeCode(whole)) missing.push({ text, line, why: found })
      continue
    }
    if (typeof exact === 'string')
      findings.warning(line, `${shown(text)}: a part of a tool cannot be denied here; all of ${found.join(', ')} is.`)
    for (const tool of found) denied.add(tool)
  }
  tellMissing(missing, 'not denied', host, findings)
  return [...denied]
}

interface Missing extends Item {
  readonly why: string
}

/** One warning for all that a line lacks for the same reason. */
function tellMissing(missing: readonly Missing[], done: string, { tools }: Host, { warning }: FileFindings): void {
  const offered = tools === undefined ? '' : ` Offered: ${tools.length === 0 ? 'none' : tools.join(', ')}.`
  const groups = new Map<string, { readonly line: number; readonly why: string; readonly names: string[] }>()
  for (const { text, line, why } of missing) {
    const key = `${line} ${why}`
    const group = groups.get(key)
    if (group) group.names.push(shown(text))
    else groups.set(key, { line, why, names: [shown(text)] })
  }
  for (const { line, why, names } of groups.values()) {
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
    warning(line, `${names.slice(0, mostNamed).join(', ')}${more}: ${why}, ${done}.${offered}`)
  }
}

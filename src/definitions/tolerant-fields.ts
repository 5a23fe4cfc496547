/**
 * Front matter that is no valid YAML, as people write it all the same: an unquoted description with colons, quotes or lines
 * that are not indented. Claude Code takes a good part of such files, so they are read here line by line. What decides on
 * permissions is never guessed: `tools` that cannot be read are a problem.
 */
import { readYamlFields } from './fields.ts'
import type { Field } from './fields.ts'
import { limitMeantBy } from './lookalikes.ts'

/** Fields of Claude Code. In a description that runs over several lines, other words with a colon are prose. */
const knownFields = new Set(
  'name description tools disallowedTools model color permissionMode maxTurns skills mcpServers hooks memory background effort isolation initialPrompt'.split(
    ' ',
  ),
)
const permissions = new Set(['tools', 'disallowedTools'])

export interface Fault {
  readonly line: number
  readonly text: string
}

/** @returns the fields, and what could not be read */
export function readTolerantFields(text: string): { readonly fields: readonly Field[]; readonly faults: readonly Fault[] } {
  const fields: Field[] = []
  const faults: Fault[] = []
  for (const entry of entriesOf(text, faults)) {
    if (fields.some(({ name }) => name === entry.name)) {
      faults.push({ line: entry.line, text: `${entry.name} stands here for the second time. Leave one of them out.` })
      continue
    }
    const field = fieldOf(entry)
    if ('text' in field) faults.push(field)
    else fields.push(field)
  }
  return { fields, faults }
}

interface Entry {
  readonly name: string
  readonly line: number
  /** From its name on. */
  readonly lines: string[]
}

function entriesOf(text: string, faults: Fault[]): Entry[] {
  const entries: Entry[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const current = entries.at(-1)
    const name = fieldNameOf(line, current)
    if (name !== undefined) entries.push({ name, line: index + 1, lines: [line] })
    else if (current) current.lines.push(line)
    else if (line.trim() !== '' && !line.trim().startsWith('#'))
      faults.push({ line: index + 1, text: `the front matter is broken: here a field should begin, such as "name: code-reviewer".` })
  }
  return entries
}

/**
 * The field that begins with a line. In a description that is one of Claude Code's, and whatever looks like a field that limits
 * the agent, with or without a space behind its colon: read as a part of the description, it would give the agent all tools.
 */
function fieldNameOf(line: string, current: Entry | undefined): string | undefined {
  const [, name] = /^([A-Za-z][\w-]*)[ \t]*:(?:[ \t]|$)/.exec(line) ?? []
  if (name !== undefined && (current?.name !== 'description' || knownFields.has(name))) return name
  const [, , limit] = /^(["']?)([A-Za-z][\w -]{0,30}?)\1[ \t]*:/.exec(line) ?? []
  return limit !== undefined && limitMeantBy(limit) ? limit : undefined
}

function fieldOf({ name, line, lines }: Entry): Field | Fault {
  const read = readYamlFields(lines.join('\n'))
  if ('fields' in read) {
    const [field, ...others] = read.fields
    if (field && others.length === 0) return { ...field, line, value: shift(field.value, line) }
  }
  const [first = '', ...rest] = lines.map((each, index) => (index === 0 ? each.slice(each.indexOf(':') + 1).trim() : each))
  if (name === 'description') return { name, line, value: unquote(plainText(first, rest)) }
  const single = rest.every((each) => each.trim() === '')
  // A star, or a colon with a space after it, is no valid YAML, and no riddle either.
  if (single && (!permissions.has(name) || !/["'[\]{}]/.test(first))) return { name, line, value: unquote(first) }
  if (!permissions.has(name) && name !== 'name' && name !== 'model') return { name, line, value: undefined }
  const where = 'message' in read ? read : { message: 'it has more than one field', line: 1 }
  return { line: line + where.line - 1, text: `${name} cannot be read: ${where.message}.` }
}

function shift(value: Field['value'], line: number): Field['value'] {
  return typeof value === 'object' ? value.map((item) => ({ ...item, line: item.line + line - 1 })) : value
}

/** The lines of a description, without their common indentation and the mark of a YAML block. */
function plainText(first: string, rest: readonly string[]): string {
  const indents = rest.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0].length)
  const indent = Math.min(...indents)
  const lines = rest.map((line) => line.slice(Math.min(indent, line.length)).trimEnd())
  return [...(/^[|>][-+\d]*$/.test(first) ? [] : [first]), ...lines].join('\n').trim()
}

function unquote(text: string): string {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/s.exec(text) ?? []
  if (quote === undefined) return text
  return quote === '"' ? inner.replaceAll('\\"', '"') : inner.replaceAll("''", "'")
}

/** Front matter as fields, each with its line: as YAML where it is YAML, else line by line. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { ParsedNode, Scalar, YAMLError } from 'yaml'
import { shown } from './findings.ts'

export interface Item {
  readonly text: string
  /** Counted from 1, in what was read. */
  readonly line: number
}

export interface Field {
  readonly name: string
  readonly line: number
  /** A text, a list of texts, or `undefined` for what is neither. */
  readonly value: string | readonly Item[] | undefined
}

export type YamlFields = { readonly fields: readonly Field[] } | { readonly message: string; readonly line: number }

/** The fields of YAML with a map at its root; or what stands in the way, and where. */
export function readYamlFields(text: string): YamlFields {
  const lines = new LineCounter()
  // Nothing is a number or a date here: name: 007 is a name.
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: lines, prettyErrors: false, logLevel: 'silent' })
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line
  const [error] = document.errors
  if (error) return { message: inWords(error), line: lineAt(error.pos[0]) }
  const root: ParsedNode | null = document.contents
  if (root === null) return { fields: [] }
  if (!isMap(root)) return { message: 'it has no fields', line: 1 }
  return {
    fields: root.items.map(({ key, value }) => ({
      name: isScalar(key) ? textOf(key) : '',
      line: lineAt(key?.range[0]),
      value: valueOf(value, lineAt),
    })),
  }
}

function valueOf(node: ParsedNode | null, lineAt: (offset: number | undefined) => number): Field['value'] {
  if (node === null) return ''
  if (isScalar(node)) return textOf(node)
  if (!isSeq(node)) return undefined
  const items = node.items.filter((item) => isScalar(item))
  return items.length < node.items.length ? undefined : items.map((item) => ({ text: textOf(item), line: lineAt(item.range?.[0]) }))
}

function textOf({ value }: Scalar): string {
  return typeof value === 'string' ? value : ''
}

/** The parser's message without what only its author knows. */
function inWords({ message }: YAMLError): string {
  return shown(message.replace(/\s+/g, ' ').replace(/\.$/, '').trim(), 160)
}

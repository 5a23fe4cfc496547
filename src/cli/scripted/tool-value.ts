/** Reads fields of a tool result that came as JSON: absent or of another type is `undefined`, or an empty list. */

export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function numberIn(record: JsonRecord, field: string): number | undefined {
  const value = record[field]
  return typeof value === 'number' ? value : undefined
}

export function textIn(record: JsonRecord, field: string): string | undefined {
  const value = record[field]
  return typeof value === 'string' ? value : undefined
}

export function stringsIn(record: JsonRecord, field: string): string[] {
  const value = record[field]
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

export function recordsIn(record: JsonRecord, field: string): JsonRecord[] {
  const value = record[field]
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** What a workspace tool said it left out. */
export function notesOf(record: JsonRecord): string[] {
  return stringsIn(record, 'notes')
}

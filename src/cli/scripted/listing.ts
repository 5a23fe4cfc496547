/** What the script reads out of the result of `list_files`. */
import { isRecord, notesOf, numberIn, recordsIn, stringsIn, textIn } from './tool-value.ts'

export interface Listing {
  readonly path: string
  readonly total: number
  readonly files: readonly string[]
  readonly folders: readonly { readonly path: string; readonly files: number }[]
  readonly notes: readonly string[]
}

/** `undefined` where the value is no listing. */
export function readListing(value: unknown): Listing | undefined {
  if (!isRecord(value)) return undefined
  const total = numberIn(value, 'total')
  if (total === undefined) return undefined
  return {
    path: textIn(value, 'path') ?? '.',
    total,
    files: stringsIn(value, 'files'),
    folders: recordsIn(value, 'folders').flatMap((folder) => {
      const path = textIn(folder, 'path')
      const files = numberIn(folder, 'files')
      return path === undefined || files === undefined ? [] : [{ path, files }]
    }),
    notes: notesOf(value),
  }
}

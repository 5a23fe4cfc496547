/** How the parent divides a workspace into parts, and the prompt that hands one to a child, both ways. */
import type { Listing } from './listing.ts'

/** A folder to search. */
export interface Place {
  readonly path: string
  readonly recursive: boolean
  readonly files: number
}
export type Part = readonly Place[]

/** Divides what was listed by folder into at most `most` parts of about the same number of files. */
export function divide(listing: Listing, most: number): Part[] {
  let places = placesIn(listing.path, listing)
  // A listing that was cut does not tell what is in a folder; then folders stay whole.
  const whole = listing.files.length === listing.total
  while (whole && places.length < most) {
    const largest = places.filter((place) => place.recursive && place.files > 1).sort((a, b) => b.files - a.files)
    const split = largest
      .map((place) => ({ place, inner: placesIn(place.path, listing) }))
      .find(({ inner }) => inner.some(({ recursive }) => recursive))
    if (!split) break
    places = places.flatMap((place) => (place === split.place ? split.inner : [place]))
  }
  const parts: Place[][] = []
  for (const place of [...places].sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1))) {
    if (parts.length < most) parts.push([place])
    else parts.reduce((smallest, part) => (filesOf(part) < filesOf(smallest) ? part : smallest)).push(place)
  }
  return parts
}

/** The folder's sub-folders, and the folder itself for the files that are directly in it. */
function placesIn(folder: string, listing: Listing): Place[] {
  const prefix = folder === '.' ? '' : `${folder}/`
  const folders = folder === listing.path ? listing.folders : subFolders(prefix, listing.files)
  const total = folder === listing.path ? listing.total : listing.files.filter((file) => file.startsWith(prefix)).length
  const own = total - folders.reduce((sum, { files }) => sum + files, 0)
  const places = folders.map(({ path, files }) => ({ path, files, recursive: true }))
  return own > 0 ? [...places, { path: folder, files: own, recursive: false }] : places
}

function subFolders(prefix: string, files: readonly string[]): { path: string; files: number }[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const end = file.startsWith(prefix) ? file.indexOf('/', prefix.length) : -1
    if (end !== -1) counts.set(file.slice(0, end), (counts.get(file.slice(0, end)) ?? 0) + 1)
  }
  return [...counts].map(([path, count]) => ({ path, files: count }))
}

function filesOf(part: Part): number {
  return part.reduce((sum, place) => sum + place.files, 0)
}

/** The part in words: `server/`, `web/ and the top folder`. */
export function namePart(part: Part): string {
  const names = part.map(({ path, recursive }) =>
    path === '.' ? (recursive ? 'the folder' : 'the top folder') : recursive ? `${path}/` : `${path}/ itself`,
  )
  return names.length > 3 ? `${names.slice(0, 2).join(', ')} and ${names.length - 2} more folders` : names.join(' and ')
}

const opening = 'Find every TODO and FIXME comment in this part of the workspace:'

export function writePartPrompt(part: Part): string {
  const places = part.map(
    ({ path, recursive, files }) =>
      `- ${JSON.stringify(path)}, ${recursive ? 'sub-folders included' : 'without sub-folders'}: ${files} ${files === 1 ? 'file' : 'files'}`,
  )
  return [
    opening,
    ...places,
    '',
    'Search each with search_files, read the lines around what you find with read_file, change nothing.',
    'Report how many there are, then one line for each: "- path:line [TODO or FIXME] text", then what you could not cover.',
  ].join('\n')
}

/** `undefined` where the task is not one that `writePartPrompt` wrote. */
export function readPartPrompt(task: string): Part | undefined {
  if (!task.startsWith(opening)) return undefined
  const places = [...task.matchAll(/^- ("(?:[^"\\]|\\.)*"), (sub-folders included|without sub-folders): (\d+) files?$/gm)]
  return places.map(([, path = '""', depth, files]) => ({
    path: JSON.parse(path) as string,
    recursive: depth === 'sub-folders included',
    files: Number(files),
  }))
}

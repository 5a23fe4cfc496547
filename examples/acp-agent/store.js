/** Sessions on disk, one JSON file each. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const pathOf = (folder, id) => join(folder, `${encodeURIComponent(id)}.json`)

export async function readSession(folder, id) {
  try {
    return JSON.parse(await readFile(pathOf(folder, id), 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** Whole or not at all: a process that ends in the middle leaves what was there. */
export async function writeSession(folder, id, events) {
  await mkdir(folder, { recursive: true })
  const path = pathOf(folder, id)
  await writeFile(`${path}.new`, JSON.stringify(events))
  await rename(`${path}.new`, path)
}

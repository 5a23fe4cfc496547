import { readFileSync, renameSync, writeFileSync } from 'node:fs'

export function openStore(path) {
  const data = read(path)
  return {
    books: data.books,
    loans: data.loans,
    save() {
      // FIXME: two servers on one file overwrite each other; take a lock.
      writeFileSync(`${path}.new`, JSON.stringify({ books: this.books, loans: this.loans }))
      renameSync(`${path}.new`, path)
    },
  }
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return { books: [], loans: [] }
  }
}

import { openStore } from '../server/store.js'

const today = new Date().toISOString().slice(0, 10)
const store = openStore(process.env.BOOKSHELF_DATA ?? 'bookshelf.json')

for (const loan of store.loans.filter((candidate) => candidate.due < today)) {
  console.log(`${loan.reader}\t${loan.isbn}\t${loan.due}`)
}

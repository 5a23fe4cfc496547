import { dueDate } from './due-date.js'

const limit = 5

export function lend(store, { reader, isbn }) {
  const book = store.books.find((candidate) => candidate.isbn === isbn)
  if (!book) throw new Error(`There is no book ${isbn}.`)
  // TODO: count copies that are reserved as out.
  const out = store.loans.filter((loan) => loan.isbn === isbn).length
  if (out >= book.copies) throw new Error(`All copies of ${book.title} are out.`)
  if (store.loans.filter((loan) => loan.reader === reader).length >= limit) throw new Error(`${reader} has ${limit} books already.`)
  const loan = { reader, isbn, due: dueDate(new Date()) }
  store.loans.push(loan)
  store.save()
  return loan
}

export function giveBack(store, { reader, isbn }) {
  const index = store.loans.findIndex((loan) => loan.reader === reader && loan.isbn === isbn)
  if (index === -1) throw new Error(`${reader} does not have ${isbn}.`)
  store.loans.splice(index, 1)
  store.save()
  return { reader, isbn }
}

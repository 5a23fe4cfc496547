/** The books in order of title, each with the number of copies that are in. */
export function listBooks(store) {
  return store.books
    .map((book) => ({ ...book, available: book.copies - store.loans.filter((loan) => loan.isbn === book.isbn).length }))
    // TODO: sort by the reader's locale, "Ä" comes after "Z" today.
    .sort((a, b) => (a.title < b.title ? -1 : 1))
}

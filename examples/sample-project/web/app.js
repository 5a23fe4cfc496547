import { fetchBooks } from './api.js'

const list = document.querySelector('#books')

for (const book of await fetchBooks()) {
  const item = document.createElement('li')
  item.textContent = `${book.title} (${book.available} of ${book.copies} in)`
  item.classList.toggle('out', book.available === 0)
  list.append(item)
}

export async function fetchBooks() {
  // TODO: show something while the answer is on its way
  // and try again once when the network fails.
  const response = await fetch('/books')
  if (!response.ok) throw new Error(`The server answered ${response.status}.`)
  return response.json()
}

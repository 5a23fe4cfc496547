import { listBooks } from './books.js'
import { lend, giveBack } from './loans/lend.js'

const routes = {
  'GET /books': (store) => listBooks(store),
  'POST /loans': (store, body) => lend(store, body),
  'DELETE /loans': (store, body) => giveBack(store, body),
}

export async function route(store, request, response) {
  const handler = routes[`${request.method} ${new URL(request.url, 'http://localhost').pathname}`]
  if (!handler) return send(response, 404, { error: 'There is nothing here.' })
  // FIXME: a body of any length is read into memory; refuse more than 64 KiB.
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  try {
    send(response, 200, handler(store, chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}))
  } catch (error) {
    send(response, 400, { error: error.message })
  }
}

function send(response, status, value) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

import { createServer } from 'node:http'
import { route } from './router.js'
import { openStore } from './store.js'

const store = openStore(process.env.BOOKSHELF_DATA ?? 'bookshelf.json')
const server = createServer((request, response) => route(store, request, response))

// TODO: close the store on SIGTERM, so that the last loans
// are on disk before the process goes.
server.listen(Number(process.env.PORT ?? 8080))

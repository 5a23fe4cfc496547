/**
 * The way to the server of the result for agents that start servers of the Model Context Protocol as programs: one of Node
 * that passes each line of its stdin on, and the reply back. Its text is an argument of Node, so that no file has to be found
 * or taken away; what is secret comes in its environment.
 */
import type { McpServer } from '../protocol.ts'
import { serverName } from './own-tool.ts'

const urlVariable = 'SUBAGENT_RESULT_URL'
const tokenVariable = 'SUBAGENT_RESULT_TOKEN'

/** Ends with its stdin, once what it asked has been answered. A request that cannot be passed on gets an error for its reply. */
const program = `
const http = require('node:http')
const { ${urlVariable}: url, ${tokenVariable}: token } = process.env
const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + token }
let open = 0
let over = false
const done = () => { if (over && open === 0) process.exit(0) }
const reply = (text) => process.stdout.write(text + '\\n')
const failed = (line, message) => {
  let id
  try { id = JSON.parse(line).id } catch { id = null }
  if (id !== undefined) reply(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message } }))
}
const pass = (line) => {
  open++
  let ended = false
  const end = (act) => { if (!ended) { ended = true; act(); open--; done() } }
  const request = http.request(url, { method: 'POST', headers }, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part) => { text += part })
    response.on('error', (error) => end(() => failed(line, String(error.message))))
    response.on('end', () => end(() => {
      if (response.statusCode === 202) return
      if (text.startsWith('{')) reply(text)
      else failed(line, 'HTTP ' + response.statusCode)
    }))
  })
  request.on('error', (error) => end(() => failed(line, String(error.message))))
  request.end(line)
}
process.stdout.on('error', () => process.exit(0))
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => { if (line.trim() !== '') pass(line) })
  .on('close', () => { over = true; done() })
`

/** As it stands in `session/new`. @param node the program that runs it */
export function relayServer(node: string, url: string, token: string): McpServer {
  return {
    name: serverName,
    command: node,
    args: ['--eval', program],
    env: [
      { name: urlVariable, value: url },
      { name: tokenVariable, value: token },
    ],
  }
}

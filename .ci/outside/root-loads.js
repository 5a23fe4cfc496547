/** What Node loads for the root entry, as it is packed: itself and XState; no process, and nothing that is optional. */
import assert from 'node:assert/strict'
import { register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'

const hooks = `
  let port
  export const initialize = (given) => { port = given }
  export async function load(url, context, next) { port.postMessage(url); return next(url, context) }`
const { port1, port2 } = new MessageChannel()
register(`data:text/javascript,${encodeURIComponent(hooks)}`, { data: port2, transferList: [port2] })
await import('xstate-subagents')

const packages = new Set()
for (let message = receiveMessageOnPort(port1); message; message = receiveMessageOnPort(port1)) {
  packages.add(/^node:.*|(?<=\/node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(message.message)?.[0] ?? message.message)
}
port1.close()
assert.deepEqual([...packages].toSorted(), ['xstate', 'xstate-subagents'])

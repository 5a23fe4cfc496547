/** An ACP agent that answers at once: what is measured is its client. */
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const content = { type: 'text', text: 'Here I am.' }
const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: 'bench', version: '1' } }),
  'session/new': () => ({ sessionId: 'session-1' }),
  'session/prompt': ({ sessionId }) => {
    send({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content } } })
    return { stopReason: 'end_turn' }
  },
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (answers[method]) send({ id, result: answers[method](params) })
})

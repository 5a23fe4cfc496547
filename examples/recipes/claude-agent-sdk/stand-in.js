/**
 * Stands in for the executable of Claude Code: it answers the SDK's handshake and one prompt in the stream-json protocol, as
 * STAND_IN says: `answers`, `hangs` or `fails`. The SDK before it is the real one; no model, no tool, no network is behind.
 */
import { createInterface } from 'node:readline'

const how = process.env.STAND_IN
const session_id = 'session'
const send = (message) => process.stdout.write(`${JSON.stringify({ session_id, uuid: 'uuid', ...message })}\n`)
const stream = (text) =>
  send({
    type: 'stream_event',
    parent_tool_use_id: null,
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
  })
const assistant = (block) =>
  send({ type: 'assistant', parent_tool_use_id: null, message: { id: 'message', role: 'assistant', content: [block] } })
const usage = { input_tokens: 5, output_tokens: 4 }
const result = { type: 'result', duration_ms: 1, duration_api_ms: 1, num_turns: 1, total_cost_usd: 0, usage, permission_denials: [] }

for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id } = JSON.parse(line)
  if (type === 'control_request')
    send({ type: 'control_response', response: { subtype: 'success', request_id, response: { commands: [], models: [] } } })
  if (type !== 'user') continue
  send({ type: 'system', subtype: 'init', cwd: process.cwd(), model: 'stand-in', tools: [], mcp_servers: [], permissionMode: 'default' })
  if (how === 'answers') {
    assistant({ type: 'tool_use', id: 'call', name: 'Grep', input: { pattern: 'TODO' } })
    const text = ['There are ', 'three.']
    text.forEach(stream)
    assistant({ type: 'text', text: text.join('') })
    send({ ...result, subtype: 'success', is_error: false, result: text.join('') })
  } else {
    stream('half')
    if (how === 'fails') send({ ...result, subtype: 'error_during_execution', is_error: true, errors: ['bad key sk-secret'] })
  }
}
// The SDK closes the input of a session that it is told to abort.
process.exit(0)

/** What an agent of this library reports, as updates of an ACP session. */
export function toSessionUpdate(update) {
  switch (update.type) {
    case 'text':
    case 'thought': {
      const sessionUpdate = update.type === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk'
      const content = { type: 'text', text: update.text }
      return { sessionUpdate, content, ...(update.messageId !== undefined && { messageId: update.messageId }) }
    }
    case 'tool-call':
      return {
        sessionUpdate: 'tool_call',
        toolCallId: update.toolCallId,
        title: update.name,
        name: update.name,
        status: 'in_progress',
        rawInput: update.input,
      }
    case 'tool-result':
      return { sessionUpdate: 'tool_call_update', toolCallId: update.toolCallId, status: update.status === 'ok' ? 'completed' : 'failed' }
    case 'usage':
      return update.usage.totalTokens === undefined ? undefined : { sessionUpdate: 'usage_update', used: update.usage.totalTokens, size: 0 }
    default:
      return undefined
  }
}

/** One run of a graph over messages, as its caller hears it. */
export async function readMessages(graph, content, mode) {
  const { signal } = new AbortController()
  const input = { messages: [{ role: 'user', content }] }
  if (mode === 'whole') return (await graph.invoke(input, { signal })).messages.at(-1).text
  let text = ''
  for await (const [message] of await graph.stream(input, { signal, streamMode: 'messages' }))
    if (message.type === 'ai') text += message.text
  return text
}

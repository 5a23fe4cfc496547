/** A tool that asks before it runs. */
const options = [
  { id: 'allow', name: 'Allow', kind: 'allow_once' },
  { id: 'reject', name: 'Reject', kind: 'reject_once' },
]

/** @param ask gives the id of the option that was chosen */
export function withPermission(tools, name, ask) {
  const tool = tools[name]
  if (!tool) return { ...tools }
  const execute = async (input, call) => {
    const title = `${name} ${JSON.stringify(input)}`
    const chosen = await ask({ title, toolCallId: call.toolCallId, toolKind: 'read', input, options })
    if (chosen !== 'allow') throw new Error(`${name} was not allowed. Do without it, or say that it could not be done.`)
    return tool.execute(input, call)
  }
  return { ...tools, [name]: { ...tool, execute } }
}

import { fileURLToPath } from 'node:url'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { acpProvider } from 'xstate-subagents/acp'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const service = createSubagentService({
  providers: [
    acpProvider({
      // Or { ...knownAgents.opencode }, with whatever else on top.
      name: 'todo-finder',
      command: process.execPath,
      args: [here('../acp-agent/main.js'), '--ask-for', 'list_files'],
      permission: ({ provider, request }) => {
        console.log(`${provider} asks: ${request.title} (${request.options.map(({ name }) => name).join(', ')})`)
        const once = request.options.find(({ kind }) => kind === 'allow_once')
        return once && { optionId: once.id }
      },
    }),
  ],
})
service.on('subagent/update', ({ update }) => {
  if (update.type === 'tool-call') console.log(`calls ${update.name}`)
})

const { stopReason, output } = await service.delegate('todo-finder', {
  parent: rootAgent({ cwd: here('../sample-project') }),
  prompt: 'Find every TODO',
  timeoutMs: 60_000,
})
const [first] = output
console.log(stopReason, first?.type === 'text' ? first.text.split('\n')[0] : first)
// Ends the process with everything that it started.
await service.close()

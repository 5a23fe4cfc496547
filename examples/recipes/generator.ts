import { createSubagentService, defineProvider, rootAgent } from 'xstate-subagents'

/** A child that is a loop: what it yields shows while it works, and stays when it is cancelled. */
const counter = defineProvider({
  name: 'counter',
  async *run(request, { signal }) {
    const files = request.prompt.flatMap((block) => (block.type === 'text' ? block.text.split(' ') : []))
    for (const [index, file] of files.entries()) {
      yield { type: 'plan', entries: files.map((content, at) => ({ content, status: at < index ? 'completed' : 'pending' })) }
      yield `${file}: ${await countTodos(file, signal)}\n`
    }
  },
})

/** Stands in for what takes its time. */
async function countTodos(file: string, signal: AbortSignal): Promise<number> {
  if (file === 'huge.log') await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  return file.length % 4
}

const service = createSubagentService({ providers: [counter] })
const parent = rootAgent({ cwd: process.cwd() })
console.log(await service.delegate('counter', { parent, prompt: 'a.ts main.ts' }))

const run = service.start('counter', { parent, prompt: 'a.ts huge.log main.ts' })
for await (const update of run.updates) if (update.type === 'text') run.cancel()
console.log(await run.result)
await service.close()

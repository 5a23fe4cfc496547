/**
 * From the start of an ACP child to its first update: by this package, from its pool, and by hand, which is a plain spawn and
 * lines of JSON without a check, a limit or a teardown.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createSubagentService, rootAgent } from '../dist/index.js'
import { acpProvider } from '../dist/providers/acp/index.js'

const agent = fileURLToPath(new URL('acp-agent.js', import.meta.url))
const cwd = process.cwd()
const parent = rootAgent({ cwd })
const common = { command: process.execPath, args: [agent], drainMs: 0 }
const { PATH, HOME } = process.env

/** @returns what the time and the CPU up to the first update were, once nothing of it is left */
async function clocked(work) {
  const [before, began] = [process.cpuUsage(), performance.now()]
  const end = await work()
  const { user, system } = process.cpuUsage(before)
  const ms = performance.now() - began
  await end()
  return { cpuMs: (user + system) / 1000, ms }
}

export const byHand = () =>
  clocked(async () => {
    const child = spawn(process.execPath, [agent], { cwd, env: { PATH, HOME }, stdio: ['pipe', 'pipe', 'pipe'] })
    const send = (id, method, params) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    const next = [
      () => send(1, 'session/new', { cwd, mcpServers: [] }),
      ({ sessionId }) => send(2, 'session/prompt', { sessionId, prompt: [{ type: 'text', text: 'nothing' }] }),
    ]
    const updated = new Promise((resolve) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const { id, method, result } = JSON.parse(line)
        if (method === 'session/update') resolve()
        else next[id]?.(result)
      })
    })
    child.stderr.resume()
    send(0, 'initialize', { protocolVersion: 1, clientCapabilities: {} })
    await updated
    return async () => {
      child.stdin.end()
      await once(child, 'close')
    }
  })

const runsOf = (service, name) => () =>
  clocked(async () => {
    const run = service.start(name, { parent, prompt: 'nothing' })
    for await (const { type } of run.updates) if (type === 'text') break
    return async () => {
      await run.result
      await run.dispose()
    }
  })

export function acpSubjects() {
  const service = createSubagentService({ providers: [acpProvider(common), acpProvider({ ...common, name: 'pooled', pool: { size: 1 } })] })
  const pooled = runsOf(service, 'pooled')
  return {
    ours: runsOf(service, 'acp'),
    pooled: async () => {
      const sample = await pooled()
      // The next one is ready when the machine rests: there is no event for it, since nobody else waits for that.
      await new Promise((resolve) => setTimeout(resolve, 250))
      return sample
    },
    close: () => service.close(),
  }
}

import { PassThrough } from 'node:stream'
import type { ExitFacts, LaunchedProcess, LaunchOptions } from '../../../src/processes/launched-process.ts'
import { createAcpProvider } from '../../../src/providers/acp/provider.ts'
import type { AcpProviderParts } from '../../../src/providers/acp/provider.ts'
import type { AcpProviderOptions } from '../../../src/providers/acp/options.ts'
import { createSubagentService, rootAgent } from '../../../src/index.ts'
import type { SubagentRun, SubagentServiceOptions, SubagentStartRequest, SubagentUpdate } from '../../../src/index.ts'
import { createSimulatedClock } from '../../../src/testing/index.ts'
import { collectLogger, until } from '../collect.ts'

export interface Message {
  readonly id?: any
  readonly method?: string
  readonly params?: any
  readonly result?: any
  readonly error?: any
}
/** What the agent does at a message; without one it does what a good agent does. */
export type Script = { readonly [method: string]: (message: Message, agent: MemoryAgent) => void }

const good: Script = {
  initialize: ({ id }, agent) => agent.send({ id, result: { protocolVersion: 1, agentInfo: { name: 'memory', version: '1' } } }),
  'session/new': ({ id }, agent) => agent.send({ id, result: { sessionId: 's' } }),
  'session/prompt': ({ id }, agent) => agent.send({ id, result: { stopReason: 'end_turn' } }),
}

/** An agent without a process: its lines go over streams of this process. */
export class MemoryAgent {
  readonly received: Message[] = []
  readonly stdout = new PassThrough()
  readonly options: LaunchOptions
  stderr = ''
  isClosed = false
  /** Writes reject with it. */
  writeError: Error | undefined
  /** Until it resolves the agent reads nothing more. */
  reads: Promise<void> | undefined
  #exit!: (exit: ExitFacts) => void
  readonly exited = new Promise<ExitFacts>((resolve) => (this.#exit = resolve))
  readonly #script: Script

  constructor(script: Script, options: LaunchOptions) {
    this.#script = { ...good, ...script }
    this.options = options
  }

  get launched(): LaunchedProcess {
    // oxlint-disable-next-line typescript/no-this-alias
    const agent = this
    return {
      pid: 4711,
      stdout: this.stdout,
      exited: this.exited,
      get stderrTail() {
        return agent.stderr
      },
      write: async (line) => {
        if (this.writeError) throw this.writeError
        const message = JSON.parse(String(line)) as Message
        this.received.push(message)
        const { method } = message
        if (method !== undefined) this.#script[method]?.(message, this)
        await this.reads
      },
      endInput: () => {},
      close: async () => {
        this.isClosed = true
        this.exit({ code: 0 })
        return { exit: await this.exited, by: 'eof', others: 0, left: [] }
      },
      killNow: () => this.exit({ code: null, signal: 'SIGKILL' }),
      ref: () => {},
      unref: () => {},
    }
  }

  send(message: Message): void {
    this.raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  raw(text: string | Uint8Array): void {
    this.stdout.write(text)
  }

  update(update: object, sessionId = 's'): void {
    this.send({ method: 'session/update', params: { sessionId, update } })
  }

  text(text: string, more: object = {}): void {
    this.update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text }, ...more })
  }

  exit({ code = null, signal = null }: { code?: number | null; signal?: NodeJS.Signals | null }): void {
    if (this.stdout.writableEnded) return
    this.stdout.end()
    // As with a process: its end is told once its output was read.
    this.stdout.once('end', () => this.#exit({ code, signal }))
    if (this.stdout.readableEnded) this.#exit({ code, signal })
  }

  got(method: string): Message | undefined {
    return this.received.find((message) => message.method === method)
  }
}

export function setUp(
  script: Script = {},
  options: Partial<AcpProviderOptions> = {},
  { parts = {}, service: serviceOptions = {} }: { parts?: AcpProviderParts; service?: SubagentServiceOptions } = {},
) {
  const clock = createSimulatedClock()
  const logger = collectLogger()
  const agents: MemoryAgent[] = []
  const launch = (launchOptions: LaunchOptions): LaunchedProcess => {
    const agent = new MemoryAgent(script, launchOptions)
    agents.push(agent)
    return agent.launched
  }
  const provider = createAcpProvider({ command: '/bin/agent', drainMs: 0, ...options }, { launch, ...parts })
  const service = createSubagentService({ providers: [provider], clock, logger, ...serviceOptions })
  const updates: SubagentUpdate[] = []
  service.on('subagent/update', ({ update }) => void updates.push(update))
  const start = (request: Partial<SubagentStartRequest> = {}): SubagentRun =>
    service.start(provider.name, { parent: rootAgent({ cwd: '/' }), prompt: 'work', ...request })
  return { clock, logger, agents, service, provider, updates, start }
}

/** Waits until the agent was sent a message of that method. */
export async function received(agents: readonly MemoryAgent[], method: string, child = 0): Promise<Message> {
  await until(() => agents[child]?.got(method) !== undefined)
  return agents[child]!.got(method)!
}

export const stateOf = (run: SubagentRun): unknown => run.ref.getSnapshot().value

/** What tests of agents share: a factory with everything injected, and a log without what differs from run to run. */
import { createAgents } from '../../src/agents/index.ts'
import type { CreateAgentOptions, CreateAgentsOptions, InProcessAgent } from '../../src/agents/index.ts'
import type { Logger, Session, SubagentUpdateContent } from '../../src/types.ts'

export interface MemoryLogger extends Logger {
  readonly lines: string[]
}

export function memoryLogger(): MemoryLogger {
  const lines: string[] = []
  const write = (level: string) => (message: string, details?: unknown) =>
    void lines.push(`${level}: ${message}${details === undefined ? '' : ` ${String(details)}`}`)
  return { lines, debug: write('debug'), warn: write('warn'), error: write('error') }
}

export function setUp(options: CreateAgentsOptions, request: CreateAgentOptions = {}) {
  const logger = memoryLogger()
  let ids = 0
  let now = 1000
  const clock = { now: () => now++, setTimeout: () => 0, clearTimeout: () => {} }
  const agents = createAgents({ logger, clock, createId: () => `id-${++ids}`, ...options })
  const updates: SubagentUpdateContent[] = []
  const { agent, dispose } = agents.create({ id: 'agent', sessionId: 'session', onUpdate: (update) => updates.push(update), ...request })
  return { agents, agent, dispose, updates, logger }
}

/** The log as short lines, one an event, without numbers, times and counts. */
export function lines(session: Session): string[] {
  return session.events.map((event) => {
    switch (event.type) {
      case 'turn/start':
        return `turn ${event.turn}`
      case 'turn/end': {
        const { kind, ...rest } = event.reason
        return `end ${event.turn} ${kind}${Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : ''}`
      }
      case 'tool/call':
        return `call ${event.name} ${JSON.stringify(event.input)}`
      case 'tool/result':
        return `result ${event.name} ${event.status} ${JSON.stringify(event.output)}`
      default: {
        const text = event.content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|')
        const source = 'source' in event && event.source !== undefined ? ` (${event.source})` : ''
        return `${event.type.split('/')[0]} ${JSON.stringify(text)}${source}`
      }
    }
  })
}

/** Runs one message to its end. */
export async function ask(agent: InProcessAgent, text: string): Promise<string[]> {
  agent.send(text)
  await agent.whenIdle()
  return lines(agent.session)
}

export interface Gate<T = void> {
  readonly opened: Promise<T>
  open(value: T): void
}

/** Something a test lets through when it wants. */
export function gate<T = void>(): Gate<T> {
  let open!: (value: T) => void
  const opened = new Promise<T>((resolve) => (open = resolve))
  return { opened, open }
}

/** Lets everything that is due run: all microtasks, and one round of the event loop. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What the controlled agent tells. */
export interface ControlEvent {
  readonly id: string
  readonly event: 'up' | 'initialize' | 'session' | 'prompt' | 'cancel' | 'outcome'
  readonly pid?: number
  readonly text?: string
  readonly depth?: number
  readonly method?: string
  readonly params?: any
  readonly outcome?: { readonly outcome: string; readonly optionId?: string }
}

export const controlledAgent = fileURLToPath(new URL('../../fixtures/acp/controlled-agent.js', import.meta.url))

/** The other end of the sockets of controlled agents. */
export class Control {
  readonly #events = new Map<string, ControlEvent[]>()
  readonly #sockets = new Map<string, Socket>()
  readonly #all = new Set<Socket>()
  /** Orders for agents that are not up yet. */
  readonly #waiting = new Map<string, string[]>()
  #server = createServer((socket) => this.#connected(socket))

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.#server.unref()
    return (this.#server.address() as { port: number }).port
  }

  order(id: string, order: { readonly do: string; readonly [field: string]: unknown }): void {
    const line = `${JSON.stringify(order)}\n`
    const socket = this.#sockets.get(id)
    if (socket) socket.write(line)
    else this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), line])
  }

  events(id: string): readonly ControlEvent[] {
    return this.#events.get(id) ?? []
  }

  find(id: string, event: ControlEvent['event']): ControlEvent | undefined {
    return this.events(id).find((each) => each.event === event)
  }

  async close(): Promise<void> {
    for (const socket of this.#all) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #connected(socket: Socket): void {
    this.#all.add(socket)
    socket.on('error', () => {})
    const lines = createInterface({ input: socket })
    // It tells again of what went wrong with its input: an agent that is killed resets its socket.
    lines.on('error', () => {})
    lines.on('line', (line) => {
      const event = JSON.parse(line) as ControlEvent
      const { id } = event
      this.#events.set(id, [...this.events(id), event])
      if (event.event !== 'up') return
      this.#sockets.set(id, socket)
      for (const order of this.#waiting.get(id) ?? []) socket.write(order)
      this.#waiting.delete(id)
    })
  }
}

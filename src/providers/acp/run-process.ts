/**
 * The process that one run has (A2, A16, A24): new, kept ready, or of the run before.
 *
 * Owns: which process it is, that its session is open, the channel of its structured results, the end of both. Does not own:
 * what is said in the session (run.ts).
 *
 * Invariants: one that was kept ready and ended before its session was open is replaced, once; one that passed to another run is
 * that run's to close.
 */
import { createRedactor } from '../../agents/environment-secrets.ts'
import type { Redactor } from '../../agents/environment-secrets.ts'
import { debug } from '../../run/contain.ts'
import type { ContentBlock, Logger } from '../../types.ts'
import { initialize, openSession } from './handshake.ts'
import type { SessionRequest } from './handshake.ts'
import type { AcpProcess, ProcessOwner } from './process.ts'
import { refusedBlocks } from './prompt-blocks.ts'
import type { AgentFacts } from './protocol.ts'
import type { StructuredChannel } from './structured-channel.ts'

export interface ProcessSource {
  /** What a new session is opened with; `undefined` for a process whose session rests. */
  readonly session: Omit<SessionRequest, 'mcpServers'> | undefined
  /** Present where a structured result is asked for. Does not reject. */
  readonly openChannel: ((facts: AgentFacts) => Promise<StructuredChannel>) | undefined
  /** Gives the process, new, kept ready, or of the run before, and names this run as its owner. May throw an AcpFailure. */
  readonly obtain: (owner: ProcessOwner) => AcpProcess
  /** Gives a new process in the place of one that was kept ready and has ended. May throw an AcpFailure. */
  readonly replace: (owner: ProcessOwner) => AcpProcess
}

/** The run, as far as its process has to know of it. */
export interface ProcessUser {
  readonly owner: ProcessOwner
  readonly logger: Logger
  /** The run has settled: nothing more is opened for it. */
  isSettled(): boolean
  firstPrompt(): readonly ContentBlock[]
}

export class RunProcess {
  /** Absent where none could be had. */
  agent: AcpProcess | undefined = undefined
  /** Absent where no structured result is asked for, or it is not open yet. */
  channel: StructuredChannel | undefined = undefined
  /** It was kept ready, and no session of it is open yet. */
  isReplaceable = false

  readonly #source: ProcessSource
  readonly #user: ProcessUser
  /** One that was kept ready and had ended. */
  #replaced: AcpProcess | undefined = undefined

  constructor(source: ProcessSource, user: ProcessUser) {
    this.#source = source
    this.#user = user
  }

  /** Takes out what must not be told: of the environment, and the token of the channel. */
  get safe(): Redactor {
    const redactor = this.agent?.safe ?? createRedactor({})
    const clean = (text: string): string => redactor(this.channel?.hide(text) ?? text)
    return Object.assign(clean, { longest: redactor.longest })
  }

  /** The process, which is there at once. @returns it, or another in its place, with its session open unless the run has settled */
  async open(): Promise<AcpProcess> {
    const { obtain, session } = this.#source
    const agent = (this.agent = obtain(this.#user.owner))
    if (session) return this.#openOrReplace(agent, session)
    // It goes on with the session of another run.
    this.channel = await agent.channel
    this.channel?.renew()
    return agent
  }

  async close(): Promise<void> {
    const { agent } = this
    await Promise.all([agent?.isOwnedBy(this.#user.owner) ? agent.close() : undefined, this.#replaced?.close()])
  }

  /** That a process which was kept ready has ended meanwhile is no fault of the run; none was asked anything before its session is open. */
  async #openOrReplace(agent: AcpProcess, session: Omit<SessionRequest, 'mcpServers'>): Promise<AcpProcess> {
    this.isReplaceable = agent.facts !== undefined
    try {
      await this.#openSession(agent, session)
      return agent
    } catch (error) {
      if (!this.isReplaceable || this.#user.isSettled() || agent.sessionId !== undefined || !agent.connection.exit) throw error
      debug(this.#user.logger, `The agent ${agent.command} was kept ready and ended before its session was open; another one is started.`)
    } finally {
      this.isReplaceable = false
    }
    this.#replaced = agent
    this.channel = undefined
    const fresh = (this.agent = this.#source.replace(this.#user.owner))
    await this.#openSession(fresh, session)
    return fresh
  }

  async #openSession(agent: AcpProcess, session: Omit<SessionRequest, 'mcpServers'>): Promise<void> {
    if (!agent.facts) await initialize(agent)
    const facts = agent.facts!
    const refused = refusedBlocks(this.#user.firstPrompt(), facts, agent.command)
    if (refused) throw refused
    if (this.#user.isSettled()) return
    agent.channel = this.#source.openChannel?.(facts)
    this.channel = await agent.channel
    if (this.#user.isSettled()) return
    await openSession(agent, { ...session, mcpServers: this.channel?.mcpServers ?? [] })
  }
}

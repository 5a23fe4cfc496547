/**
 * Processes that are started and greeted before a run wants one (A24).
 *
 * Owns: those that no run has had yet, how many, their end. Does not own: what a run does with the one it is given; that one
 * does not come back.
 *
 * Invariants: a process is given to one run, and only where its folder and its environment are what the run's own would be; no
 * more are kept than `size`; one that ends is replaced, but not for ever; none keeps the host alive.
 */
import { createEmptyActor } from 'xstate'
import type { AnyActorRef } from 'xstate'
import { debug, describeThrown, warn } from '../../run/contain.ts'
import { inNextTurn } from '../../run/turns.ts'
import { AcpFailure } from './failure.ts'
import { initialize } from './handshake.ts'
import type { AcpProcess, ProcessOwner } from './process.ts'
import type { AgentPlace } from './start-agent.ts'

interface Member {
  readonly place: AgentPlace
  readonly agent: AcpProcess
}

/** How many may end by themselves between two runs until none is started in their place. */
const endsAtMost = 3

export class AgentPool {
  readonly #size: number
  readonly #start: (place: AgentPlace, owner: ProcessOwner, parent: AnyActorRef) => AcpProcess
  /** The oldest first; some of them are not greeted yet. */
  readonly #members = new Set<Member>()
  readonly #leaving = new Set<Promise<void>>()
  #ends = 0
  /** Counts closes: what was to be filled before one is not filled after it. */
  #closes = 0

  /** @param start may throw an AcpFailure */
  constructor(size: number, start: (place: AgentPlace, owner: ProcessOwner, parent: AnyActorRef) => AcpProcess) {
    this.#size = size
    this.#start = start
  }

  /** @returns one that is ready, now the caller's own; `undefined` where there is none for that place */
  take(place: AgentPlace): AcpProcess | undefined {
    for (const member of this.#members) {
      if (!member.agent.isWaiting || !isSamePlace(member.place, place)) continue
      this.#members.delete(member)
      member.agent.keepHost(true)
      return member.agent
    }
    return undefined
  }

  /**
   * A run of that place works: the next one may come. Begins in a later turn, and not before the run has its first answer, since a
   * program that starts takes its time from the one that works.
   */
  fill(place: AgentPlace): void {
    const closes = this.#closes
    inNextTurn(() => {
      if (closes !== this.#closes) return
      this.#ends = 0
      this.#makeRoom(place)
      while (this.#members.size < this.#size && this.#add(place));
    })
  }

  /** Takes all of them down. Resolves when nothing of them is left. */
  async close(): Promise<void> {
    this.#closes++
    for (const member of this.#members) this.#dismiss(member)
    await Promise.all(this.#leaving)
  }

  /** Where all are for other places, the oldest of them goes. */
  #makeRoom(place: AgentPlace): void {
    const [oldest, ...others] = this.#members
    if (!oldest || this.#members.size < this.#size) return
    if (![oldest, ...others].some((member) => isSamePlace(member.place, place))) this.#dismiss(oldest)
  }

  /** @returns false where it could not be started */
  #add(place: AgentPlace): boolean {
    const owner: ProcessOwner = {
      // There is no session that these could be of, nor a run to tell.
      onUpdate: () => {},
      onNotification: () => {},
      onPermission: () => Promise.resolve({ outcome: 'cancelled' }),
      onClosing: () => this.#ended(member),
    }
    let member: Member
    try {
      member = { place, agent: this.#start(place, owner, createEmptyActor()) }
    } catch (thrown) {
      warn(place.logger, `No process could be made ready: ${describeThrown(thrown)}`)
      return false
    }
    const { agent } = member
    this.#members.add(member)
    agent.keepHost(false)
    initialize(agent).catch((error: unknown) =>
      agent.fail(error instanceof AcpFailure ? error : new AcpFailure('HANDSHAKE_FAILED', describeThrown(error))),
    )
    return true
  }

  /** It ended by itself, or failed to get ready. */
  #ended(member: Member): void {
    if (!this.#members.has(member)) return
    const { place, agent } = member
    this.#dismiss(member)
    this.#ends++
    if (this.#ends < endsAtMost) {
      debug(place.logger, `The agent ${agent.command} ended while it was kept ready; another one is started.`)
      this.#add(place)
    } else if (this.#ends === endsAtMost)
      warn(
        place.logger,
        `The agent ${agent.command} ended ${endsAtMost} times while it was kept ready: no other one is started before the next run.`,
      )
  }

  #dismiss(member: Member): void {
    this.#members.delete(member)
    const { agent, place } = member
    const left = agent
      .close()
      .catch((error: unknown) => warn(place.logger, `The agent ${agent.command} could not be taken down: ${describeThrown(error)}`))
      .finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }
}

function isSamePlace(one: AgentPlace, other: AgentPlace): boolean {
  if (one.cwd !== other.cwd || one.clock !== other.clock || one.logger !== other.logger) return false
  const names = Object.keys(one.env)
  return names.length === Object.keys(other.env).length && names.every((name) => one.env[name] === other.env[name])
}

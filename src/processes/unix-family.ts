/**
 * A family where there are process groups and signals. The process leads a group of its own, and a session.
 *
 * A signal goes to the group only while the group's id cannot be another's, and to each known member outside of it only
 * while that is still the same process.
 */
import { findMembers } from './family-members.ts'
import type { FamilyRoot, ProcessFamily } from './process-family.ts'
import type { ProcessEntry, ProcessIdentity, ProcessSource, ProcessTable } from './process-table.ts'

/** A kill before the host goes looks again, for what was forked meanwhile. */
const killRounds = 3

export class UnixFamily implements ProcessFamily {
  readonly #root: FamilyRoot
  readonly #source: ProcessSource
  #startedAt: number | undefined
  #members: readonly ProcessEntry[] = []
  /** The group was seen to be the root's own at the last look. */
  #isGroupOwn = true
  readonly #signalled = new Set<string>()

  constructor(root: FamilyRoot, source: ProcessSource) {
    this.#root = root
    this.#source = source
    this.#startedAt = source.startOf(root.pid)
  }

  get signalled(): number {
    return this.#signalled.size
  }

  async look(): Promise<readonly ProcessIdentity[]> {
    return this.#take(await this.#source.scan())
  }

  terminate(): boolean {
    this.#signal('SIGTERM')
    return true
  }

  // oxlint-disable-next-line typescript/require-await -- that of Windows waits for a program.
  async kill(): Promise<void> {
    this.#signal('SIGKILL')
  }

  killNow(): void {
    UnixFamily.killNow([this], this.#source)
  }

  /** Kills many, with one scan a round for all of them. */
  static killNow(families: readonly UnixFamily[], source: ProcessSource): void {
    // At once, whatever a scan costs.
    for (const family of families) family.#signal('SIGKILL')
    for (let round = 0; round < killRounds; round++) {
      const table = source.scanNow()
      const left = families.filter((family) => family.#take(table).length > 0)
      if (left.length === 0) return
      for (const family of left) family.#signal('SIGKILL')
    }
  }

  #take(table: ProcessTable): readonly ProcessIdentity[] {
    const { pid, marker } = this.#root
    const isRootRunning = this.#root.isRunning()
    if (isRootRunning) this.#startedAt ??= table.at(pid)?.startedAt
    this.#members = findMembers(table, {
      root: { pid, marker, startedAt: this.#startedAt },
      isGroupOwn: this.#isGroupOwn && !this.#isReused(table),
      isRootRunning,
      known: this.#members,
    })
    // Once it is empty its id is free.
    this.#isGroupOwn = isRootRunning || this.#members.some(({ groupId }) => groupId === pid)
    return this.#members
  }

  /** Another process has the root's id, and with it its group's. */
  #isReused(table: ProcessTable): boolean {
    const entry = table.at(this.#root.pid)
    return entry !== undefined && entry.startedAt !== this.#startedAt
  }

  #signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this.#root
    const hasGroup = this.#root.isRunning() && (this.#startedAt === undefined || this.#source.isSame({ pid, startedAt: this.#startedAt }))
    if (hasGroup) send(-pid, signal)
    for (const member of this.#members) {
      this.#signalled.add(`${member.pid} ${member.startedAt}`)
      if (!(hasGroup && member.groupId === pid) && this.#source.isSame(member)) send(member.pid, signal)
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended, or is another user's: the next look tells.
  }
}

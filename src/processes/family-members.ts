/**
 * Who belongs to a process: a pure function of the table.
 */
import type { ProcessEntry, ProcessIdentity, ProcessTable } from './process-table.ts'

export interface MembersQuery {
  readonly root: { readonly pid: number; readonly startedAt: number | undefined; readonly marker: string }
  /** The root's process group is still its own: an id that is free again may be another's. */
  readonly isGroupOwn: boolean
  /** The root has not ended, as far as the host knows. */
  readonly isRootRunning: boolean
  /** Who belonged to it at an earlier look. */
  readonly known: Iterable<ProcessIdentity>
}

/**
 * The living members, parents before children: those known before, those of the group, those with the mark, and all that
 * descend from them. Nothing that is older than the root is a member.
 */
export function findMembers(table: ProcessTable, { root, isGroupOwn, isRootRunning, known }: MembersQuery): ProcessEntry[] {
  const members = new Map<number, ProcessEntry>()
  const isYounger = (entry: ProcessEntry): boolean => root.startedAt === undefined || entry.startedAt >= root.startedAt
  const isRoot = (entry: ProcessEntry): boolean =>
    entry.pid === root.pid && (root.startedAt === undefined ? isRootRunning : entry.startedAt === root.startedAt)

  const addDescendants = (pid: number): void => {
    for (const child of table.childrenOf(pid)) add(child)
  }
  const add = (entry: ProcessEntry): void => {
    if (entry.isZombie || isRoot(entry) || members.has(entry.pid) || !isYounger(entry)) return
    members.set(entry.pid, entry)
    addDescendants(entry.pid)
  }

  const rootEntry = table.at(root.pid)
  if (rootEntry && isRoot(rootEntry)) addDescendants(root.pid)
  for (const identity of known) {
    const entry = table.find(identity)
    if (entry) add(entry)
  }
  for (const entry of table.entries) {
    if (members.has(entry.pid) || entry.isZombie || !isYounger(entry)) continue
    if ((isGroupOwn && entry.groupId === root.pid) || table.hasMarker(entry.pid, root.marker)) add(entry)
  }
  return [...members.values()]
}

/**
 * Processes on macOS, from `ps`. Written from its manual and held against sample output written after the documentation: it was not run on macOS (A26).
 *
 * `ps` shows the environment of no process that the system protects, so that there is no sweep by the mark: what has left
 * its group and its parent before any snapshot was made is not found.
 */
import { execFile, spawnSync } from 'node:child_process'
import type { ProcessEntry, ProcessSource } from './process-table.ts'
import { ProcessTable, shareScan } from './process-table.ts'

/** Each column without a header; the start last, since it has spaces. */
export const psArguments: readonly string[] = ['-A', '-o', 'pid=', '-o', 'ppid=', '-o', 'pgid=', '-o', 'stat=', '-o', 'lstart=']
/** Names of months and hours that do not depend on the user. */
const options = { env: { LC_ALL: 'C', TZ: 'UTC' }, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024, timeout: 5000 } as const

/** Lines as `  812     1   812 Ss   Mon Nov 30 18:36:06 2026`; others are passed over. */
export function parsePs(output: string): ProcessEntry[] {
  return output.split('\n').flatMap((line) => {
    const [, pid, parentPid, groupId, state, start] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? []
    const startedAt = Date.parse(`${start} UTC`)
    if (Number.isNaN(startedAt)) return []
    return [{ pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId), startedAt, isZombie: state!.startsWith('Z') }]
  })
}

function scan(): Promise<ProcessTable> {
  return new Promise((resolve) => {
    // With an error there is what was printed, which may be nothing.
    execFile('/bin/ps', psArguments, options, (_error, stdout) => resolve(new ProcessTable(parsePs(stdout))))
  })
}

export const darwinProcesses: ProcessSource = {
  scan: shareScan(scan),
  scanNow: () => new ProcessTable(parsePs(spawnSync('/bin/ps', psArguments, options).stdout ?? '')),
  startOf: () => undefined,
  isSame: () => true,
}

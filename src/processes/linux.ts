/**
 * Processes on Linux, from /proc: exact, without starting a program, and with the mark in their environment.
 */
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { markersIn } from './marker.ts'
import type { ProcessEntry, ProcessSource } from './process-table.ts'
import { ProcessTable, shareScan } from './process-table.ts'

/**
 * One line of /proc/<pid>/stat. The name stands in parentheses and can have spaces, line breaks and parentheses of its own,
 * so that only the last one ends it.
 */
export function parseStat(line: string): ProcessEntry | undefined {
  const end = line.lastIndexOf(')')
  if (end < 0) return undefined
  const pid = Number.parseInt(line, 10)
  // state 0, ppid 1, pgrp 2, …, num_threads 17, …, starttime 19, in ticks since the system started
  const fields = line.slice(end + 2).split(' ', 20)
  const [parentPid, groupId, startedAt] = [Number(fields[1]), Number(fields[2]), Number(fields[19])]
  if (![pid, parentPid, groupId, startedAt].every(Number.isSafeInteger)) return undefined
  // Where only the first thread has ended, the others live on.
  const isZombie = fields[0] === 'X' || (fields[0] === 'Z' && Number(fields[17]) <= 1)
  return { pid, parentPid, groupId, startedAt, isZombie }
}

const buffer = Buffer.allocUnsafe(4096)

function readStat(pid: string | number): ProcessEntry | undefined {
  let file: number | undefined
  try {
    file = openSync(`/proc/${pid}/stat`, 'r')
    return parseStat(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)))
  } catch {
    // It ended meanwhile.
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Of processes of the same user only: what another user runs is none of ours, whatever its environment says. */
function readMarkers(pid: number): readonly string[] {
  let file: number | undefined
  try {
    file = openSync(`/proc/${pid}/environ`, 'r')
    if (fstatSync(file).uid !== process.geteuid!()) return []
    // While a program is being replaced by another, there is a moment without an environment.
    for (let attempt = 0; attempt < 3; attempt++) {
      const environment = readFileSync(file)
      if (environment.length > 0) return markersIn(environment)
      closeSync(file)
      file = undefined
      file = openSync(`/proc/${pid}/environ`, 'r')
    }
    return []
  } catch {
    return []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

function listPids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => name.charCodeAt(0) <= 57)
  } catch {
    return []
  }
}

/**
 * Lists again what has come while it read, where a process ended meanwhile: one that forked after the list was made, and
 * ended before it was read, would hide its child. As long as all live, such a child's parent is seen.
 */
function scanNow(): ProcessTable {
  const entries = new Map<string, ProcessEntry | undefined>()
  let hasOneEnded = true
  for (let round = 0; hasOneEnded && round < 5; round++) {
    hasOneEnded = false
    for (const pid of listPids()) {
      if (entries.has(pid)) continue
      const entry = readStat(pid)
      entries.set(pid, entry)
      if (!entry || entry.isZombie) hasOneEnded = true
    }
  }
  return new ProcessTable(
    [...entries.values()].filter((entry) => entry !== undefined),
    readMarkers,
  )
}

export const linuxProcesses: ProcessSource = {
  scan: shareScan(scanNow),
  scanNow,
  startOf: (pid) => readStat(pid)?.startedAt,
  isSame: ({ pid, startedAt }) => readStat(pid)?.startedAt === startedAt,
}

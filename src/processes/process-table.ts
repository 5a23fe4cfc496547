/**
 * The processes of the system at one moment, and where a platform shows them.
 */

/** A process id alone is reused; with the start time it names one process. */
export interface ProcessIdentity {
  readonly pid: number
  /** In whatever unit the platform counts; later is more. */
  readonly startedAt: number
}

export interface ProcessEntry extends ProcessIdentity {
  readonly parentPid: number
  readonly groupId: number
  /** It has ended, and its parent has not yet asked how. */
  readonly isZombie: boolean
}

export class ProcessTable {
  readonly #entries: ReadonlyMap<number, ProcessEntry>
  readonly #readMarkers: (pid: number) => readonly string[]
  readonly #markers = new Map<number, readonly string[]>()
  #children: Map<number, ProcessEntry[]> | undefined = undefined

  /** @param readMarkers the marks in the environment of a process; called once for each that is asked about */
  constructor(entries: Iterable<ProcessEntry>, readMarkers: (pid: number) => readonly string[] = () => []) {
    this.#entries = new Map([...entries].map((entry) => [entry.pid, entry]))
    this.#readMarkers = readMarkers
  }

  get entries(): Iterable<ProcessEntry> {
    return this.#entries.values()
  }

  /** The entry of that very process, not of another with its id. */
  find({ pid, startedAt }: ProcessIdentity): ProcessEntry | undefined {
    const entry = this.#entries.get(pid)
    return entry?.startedAt === startedAt ? entry : undefined
  }

  at(pid: number): ProcessEntry | undefined {
    return this.#entries.get(pid)
  }

  childrenOf(pid: number): readonly ProcessEntry[] {
    if (!this.#children) {
      this.#children = new Map()
      for (const entry of this.entries) {
        const siblings = this.#children.get(entry.parentPid)
        if (siblings) siblings.push(entry)
        else this.#children.set(entry.parentPid, [entry])
      }
    }
    return this.#children.get(pid) ?? []
  }

  hasMarker(pid: number, marker: string): boolean {
    let markers = this.#markers.get(pid)
    if (!markers) this.#markers.set(pid, (markers = this.#readMarkers(pid)))
    return markers.includes(marker)
  }
}

/** How a platform shows its processes. None of these throws: where nothing can be read, the table is empty. */
export interface ProcessSource {
  /** A table that was begun after the call; calls of one turn of the event loop share it. */
  scan(): Promise<ProcessTable>
  scanNow(): ProcessTable
  /** When the process with that id started; undefined where there is none, or where only a scan can say. */
  startOf(pid: number): number | undefined
  /** True while `identity` is that process; also where only a scan could say. */
  isSame(identity: ProcessIdentity): boolean
}

/**
 * Lets whoever asks in one turn of the event loop share one scan, so that a hundred teardowns at once read the system's
 * processes as often as one. It begins after all of them have asked: none gets an answer that is older than its question.
 */
export function shareScan(scan: () => ProcessTable | Promise<ProcessTable>): () => Promise<ProcessTable> {
  let next: Promise<ProcessTable> | undefined
  return () =>
    (next ??= new Promise((resolve) => {
      setImmediate(() => {
        next = undefined
        resolve(scan())
      })
    }))
}

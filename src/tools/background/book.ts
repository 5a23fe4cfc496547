/**
 * Whose runs are whose (T11): a book a parent, found by the parent itself; an agent of `createAgents()` also by its session, so
 * that one that is resumed, or goes on with the session of another, has the runs of the earlier one.
 *
 * Bounded: a book keeps the outcomes of the last runs that ended; of older ones only that they were there.
 */
import type { Agent, ParentAgent } from '../../types.ts'
import { identityOf } from '../names.ts'
import type { DelegatingService } from '../options.ts'
import type { BackgroundRun } from './run.ts'

/** Ids of dropped outcomes that a book still knows. */
const droppedKept = 1000
/** Sessions whose books are found again after their agent is gone. */
const sessionsKept = 1000

export class Book {
  /** Oldest first. */
  readonly runs = new Map<string, BackgroundRun>()
  readonly #ended = new Set<BackgroundRun>()
  readonly #dropped = new Set<string>()
  /** The agent that has the session now. */
  holder: WeakRef<ParentAgent>

  constructor(holder: ParentAgent) {
    this.holder = new WeakRef(holder)
  }

  get isIdle(): boolean {
    return this.#ended.size === this.runs.size
  }

  isDropped(id: string): boolean {
    return this.#dropped.has(id)
  }

  add(run: BackgroundRun): void {
    this.runs.set(run.id, run)
  }

  /** A run that ended goes on. */
  resumed(run: BackgroundRun): void {
    this.#ended.delete(run)
  }

  ended(run: BackgroundRun, keepEnded: number): void {
    this.#ended.add(run)
    for (const oldest of this.#ended) {
      if (this.#ended.size <= keepEnded) break
      this.#ended.delete(oldest)
      this.runs.delete(oldest.id)
      this.#dropped.add(oldest.id)
    }
    for (const oldest of this.#dropped) {
      if (this.#dropped.size <= droppedKept) break
      this.#dropped.delete(oldest)
    }
  }
}

/** The books of one service. */
class Library {
  readonly #byParent = new WeakMap<ParentAgent, Book>()
  readonly #bySession = new Map<string, Book>()

  bookOf(parent: ParentAgent): Book {
    const own = this.#byParent.get(parent)
    if (own) return own
    const book = this.#inherited(parent) ?? new Book(parent)
    this.#byParent.set(parent, book)
    return book
  }

  /** The book of the session, where the parent is the agent that has it now. */
  #inherited(parent: ParentAgent): Book | undefined {
    if (!isAgent(parent)) return undefined
    const { id } = parent.session.header
    const known = this.#bySession.get(id)
    const holder = known?.holder.deref()
    // Two live agents with one session id are of two factories, and strangers to each other.
    if (holder && isAgent(holder) && holder.status !== 'disposed') return undefined
    const book = known ?? new Book(parent)
    book.holder = new WeakRef(parent)
    this.#bySession.delete(id)
    this.#bySession.set(id, book)
    this.#forgetSessions()
    return book
  }

  #forgetSessions(): void {
    for (const [id, book] of this.#bySession) {
      if (this.#bySession.size <= sessionsKept) return
      if (book.isIdle) this.#bySession.delete(id)
    }
  }
}

const libraries = new WeakMap<object, Library>()

export function bookOf(service: DelegatingService, parent: ParentAgent): Book {
  const key = identityOf(service)
  let library = libraries.get(key)
  if (!library) libraries.set(key, (library = new Library()))
  return library.bookOf(parent)
}

function isAgent(parent: ParentAgent): parent is Agent {
  return typeof (parent as Partial<Agent>).inject === 'function'
}

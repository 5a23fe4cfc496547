import { expect, it } from 'vitest'
import type { Script } from './actions.ts'
import { begin, finish, perform, settled } from './commands.ts'
import type { Model } from './model.ts'
import type { ModelRun } from './model-run.ts'
import type { Real } from './real.ts'

/** `npm run test:long` takes them all. */
const seeds = process.env.STEPS === undefined ? 15 : 200
const levels = 3
const each = 5
const slots = 2

const fates = ['completes', 'fails', 'breaks', 'cancelled', 'deaf', 'times out', 'left to its parent'] as const
type Fate = (typeof fates)[number]

/** Numbers from 0 to 1 that depend on the seed alone. */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

class Tree {
  readonly model: Model
  readonly real: Real
  readonly fates = new Map<number, Fate>()
  readonly #random: () => number
  readonly #levels = new Map<number, number>()

  constructor(seed: number) {
    this.#random = randomOf(seed)
    ;({ model: this.model, real: this.real } = begin({ maxConcurrentRuns: slots }))
  }

  pick<T>(among: readonly T[]): T {
    return among[Math.floor(this.#random() * among.length)]!
  }

  start(parent?: ModelRun): void {
    const fate = this.pick(fates)
    const index = this.model.runs.length
    this.fates.set(index, fate)
    this.#levels.set(index, parent ? this.#levels.get(parent.index)! + 1 : 1)
    const script: Script = {
      deaf: fate === 'deaf',
      cancelThrows: false,
      startThrows: false,
      release: this.pick(['at once', 'by hand', 'fails']),
      actor: false,
      onStart: [],
    }
    const action = {
      do: 'start',
      provider: this.pick([0, 1, 2]),
      from: 'nobody',
      duplicate: false,
      signal: undefined,
      timeoutMs: fate === 'times out' ? 40 : undefined,
      graceMs: this.pick([5, 20]),
      releaseMs: 10,
      script,
    } as const
    perform(this.model, this.real, action, { action, run: -1, parent: parent?.index ?? -1 })
  }

  /** Every child at work delegates to five, down to the last level. */
  async grow(): Promise<void> {
    for (let grown = true; grown;) {
      grown = false
      for (const run of this.model.runs) {
        if (run.phase === 'starting')
          perform(this.model, this.real, { do: 'ready', run: 0 }, { action: { do: 'ready', run: 0 }, run: run.index, parent: -1 })
        if (run.phase !== 'active' || this.#levels.get(run.index)! >= levels || this.model.runs.some(({ parent }) => parent === run))
          continue
        for (let child = 0; child < each; child++) this.start(run)
        grown = true
      }
    }
    await settled(this.model, this.real)
  }

  /** Something happens to one of those that are at work. */
  strike(): void {
    const { model, real } = this
    const run = this.pick(model.runs.filter(({ phase }) => phase === 'active'))
    const act = (action: Parameters<typeof perform>[2]): void => perform(model, real, action, { action, run: run?.index ?? -1, parent: -1 })
    if (!run || this.#random() < 0.2) return act({ do: 'advance', ms: this.pick([1, 5, 20]) })
    const fate = this.fates.get(run.index)!
    if (fate === 'completes') act({ do: 'answer', run: 0, with: 'text' })
    else if (fate === 'fails') act({ do: 'answer', run: 0, with: 'error' })
    else if (fate === 'breaks') act({ do: 'answer', run: 0, with: 'rejected' })
    else if (fate === 'cancelled' || fate === 'deaf') act({ do: 'cancel', run: 0, byEvent: false })
    // A root has no parent to leave it to.
    else if (fate === 'left to its parent' && !run.parent) act({ do: 'cancel', run: 0, byEvent: true })
    else act({ do: 'text', run: 0 })
  }

  get isOver(): boolean {
    return this.model.runs.every(({ result }) => result)
  }
}

/** What a run can come to, by what happens to it first: its own fate, or the end of one above it. */
const outcomes: Record<Fate, readonly string[]> = {
  completes: ['completed', 'aborted'],
  fails: ['error MODEL_ERROR', 'aborted'],
  breaks: ['rejected', 'aborted'],
  cancelled: ['aborted'],
  deaf: ['aborted DEAF', 'aborted'],
  'times out': ['timed-out', 'aborted'],
  'left to its parent': ['aborted'],
}

it(`S22, S21, R8, R9, R12: a tree of ${levels} levels, ${each} children each, some failing, cancelled, deaf, timed out: events, results and slots as the contract says, for ${seeds} seeds`, async () => {
  const seen = new Set<string>()
  for (let seed = 1; seed <= seeds; seed++) {
    const tree = new Tree(seed)
    const { model, real } = tree
    try {
      for (let root = 0; root < each; root++) tree.start()
      await tree.grow()
      while (!tree.isOver) {
        for (let blow = 0; blow < 4; blow++) tree.strike()
        await settled(model, real)
        await tree.grow()
      }
      await finish(model, real, seed % 2 === 0 ? 'close' : 'dispose')
    } catch (error) {
      throw new Error(`Seed ${seed}: ${(error as Error).message}`, { cause: error })
    }
    for (const { index, result } of model.runs) {
      const outcome = result!.rejected === undefined ? [result!.stopReason, result!.failure].filter(Boolean).join(' ') : 'rejected'
      const fate = tree.fates.get(index)!
      // Whoever is above may give up a run that still waits for its own; and so may a clock that leaps over a whole grace.
      expect(outcomes[fate], `seed ${seed}, r${index} ${fate}`).toContain(fate === 'deaf' ? outcome : outcome.replace(' DEAF', ''))
      seen.add(`${fate}: ${outcome}`)
    }
  }
  expect([...seen].sort()).toEqual(
    expect.arrayContaining(
      Object.entries(outcomes)
        .flatMap(([fate, ends]) => ends.map((end) => `${fate}: ${end}`))
        .sort(),
    ),
  )
}, 600_000)

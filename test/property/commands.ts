/**
 * Sequences of steps against model and engine (K5): a step is one tick of the loop, in which one to three actions happen,
 * and after which everything that was promised has come.
 */
import fc from 'fast-check'
import { describe as describeAction } from './actions.ts'
import type { Action, Limits } from './actions.ts'
import { action, closing, limits } from './arbitraries.ts'
import { differences, leftovers } from './compare.ts'
import { Model } from './model.ts'
import { Real } from './real.ts'

/** Actions that were performed, over all sequences. */
export const counter = { steps: 0 }

type Finish = 'dispose' | 'close'

/** A turn of the loop: every promise that can come has come. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

class Step implements fc.AsyncCommand<Model, Real> {
  readonly actions: readonly Action[]

  constructor(actions: readonly Action[]) {
    this.actions = actions
  }

  check(): boolean {
    return true
  }

  async run(model: Model, real: Real): Promise<void> {
    for (const each of this.actions) perform(model, real, each)
    await settled(model, real)
  }

  toString(): string {
    return this.actions.map(describeAction).join(' + ')
  }
}

export function perform(model: Model, real: Real, each: Action, plan = model.plan(each)): void {
  if (!plan) return
  counter.steps++
  model.perform(plan)
  real.perform(plan)
}

/** Lets everything come that was promised, and looks. */
export async function settled(model: Model, real: Real): Promise<void> {
  model.turn()
  await turn()
  // A closing that took longer than its slice goes on in the next turn.
  for (let turns = 0; model.state !== 'open' && turns < 20 && differences(model, real).length > 0; turns++) await turn()
  const found = differences(model, real)
  if (found.length > 0) throw new Error(found.join('\n'))
}

export function begin(options: Limits): { model: Model; real: Real } {
  const model = new Model(options)
  const real = new Real(model, options)
  perform(model, real, { do: 'listen', type: '*', manners: 'quiet' })
  for (const provider of [0, 1, 2]) perform(model, real, { do: 'register', provider })
  return { model, real }
}

/** Ends all that lives, waits out every grace, and looks at what is left. */
export async function finish(model: Model, real: Real, how: Finish): Promise<void> {
  if (how === 'close') perform(model, real, { do: 'close', byEvent: false })
  // More than once: what is released may start other runs.
  for (let time = 0; time < 4; time++) {
    if (how === 'dispose') disposeAll(model, real)
    await settled(model, real)
    perform(model, real, { do: 'advance', ms: 100 })
    await settled(model, real)
  }
  const left = leftovers(real)
  if (how === 'close' && !real.closed) left.push('close() has not resolved (S6)')
  if (left.length > 0) throw new Error(left.join('\n'))
}

function disposeAll(model: Model, real: Real): void {
  for (const { index: run } of [...model.live.values()].filter(({ handed }) => handed)) {
    const action: Action = { do: 'dispose', run, byEvent: false }
    perform(model, real, action, { action, run, parent: -1 })
  }
}

export function property(replayPath?: string): fc.IAsyncProperty<[Limits, Iterable<fc.AsyncCommand<Model, Real>>, Finish]> {
  const steps = fc.array(action, { minLength: 1, maxLength: 3, size: 'xsmall' }).map((actions) => new Step(actions))
  const closes = closing.map((each) => new Step([each]))
  const commands = fc.commands([...Array.from({ length: 120 }, () => steps), closes], {
    maxCommands: 60,
    size: 'max',
    ...(replayPath !== undefined && { replayPath }),
  })
  return fc.asyncProperty(limits, commands, fc.constantFrom<Finish[]>('dispose', 'close'), async (options, sequence, how) => {
    const { model, real } = begin(options)
    await fc.asyncModelRun(() => ({ model, real }), sequence)
    await finish(model, real, how)
  })
}

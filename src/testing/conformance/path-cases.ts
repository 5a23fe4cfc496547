/**
 * A case for every path through the run machine: each event of the path becomes the call, the control or the passing of
 * time that causes it. The machine is never sent an event.
 */
import { stateName } from '../paths/state-name.ts'
import type { RunPath } from '../paths/run-paths.ts'
import { caseTimes } from './case.ts'
import type { ProviderAct, ProviderCase, ProviderExpectation, ResultExpectation } from './case.ts'
import type { CaseId } from './requirements.ts'
import type { ControlName } from './subject.ts'

/** Where an edge has several causes, one of them. */
interface Causes {
  readonly cancel: 'call' | 'signal'
  readonly releaseFails: 'error' | 'grace'
}
const ways: readonly Causes[] = [
  { cancel: 'call', releaseFails: 'error' },
  { cancel: 'signal', releaseFails: 'grace' },
]

/** Two cases for a path on which an edge can be caused in two ways, else one. */
export function pathCases(paths: readonly RunPath[]): ProviderCase[] {
  return paths.flatMap((path) => {
    const variants = ways.map((causes) => pathCase(path, causes))
    const [first, second] = variants as [ProviderCase, ProviderCase]
    return JSON.stringify(first.act) === JSON.stringify(second.act) ? [first] : variants
  })
}

function pathCase(path: RunPath, causes: Causes): ProviderCase {
  const way = new Way(path, causes)
  const act = way.acts()
  const ids = way.ids()
  return { id: ids[0]!, ids, sentence: `takes ${way.sentence()}`, path, needs: way.needs(), act, expect: way.expectation() }
}

/** One path, taken in one way. */
class Way {
  readonly #types: readonly string[]
  readonly #states: readonly string[]
  readonly #causes: Causes
  /** The index of the cancel or the deadline, or -1. */
  readonly #stop: number
  /** The child has to be kept from settling on the cancel by itself. */
  readonly #deaf: boolean

  constructor({ steps }: RunPath, causes: Causes) {
    this.#types = steps.map(({ event }) => event.type)
    this.#states = steps.map(({ value }) => stateName(value))
    this.#causes = causes
    this.#stop = this.#types.findIndex((type) => type === 'cancel' || type === 'deadline')
    this.#deaf = this.#stop >= 0 && ['give-up', 'reject'].some((type) => this.#types.indexOf(type) > this.#stop)
  }

  sentence(): string {
    return this.#types
      .map((type, index) => {
        if (type === 'cancel' || (type === 'abort-before-start' && index > 0)) return `${type} by ${this.#causes.cancel}`
        if (type === 'release-failed') return `${type} by ${this.#causes.releaseFails}`
        return type
      })
      .join(' → ')
  }

  /** The child leaves `starting` by something else than its being ready. */
  get #endsWhileStarting(): boolean {
    const at = this.#states.indexOf('starting')
    const next = this.#types[at + 1]
    return at >= 0 && next !== undefined && next !== 'ready' && next !== 'start-failed'
  }

  needs(): ControlName[] {
    const needs: ControlName[] = []
    if (this.#endsWhileStarting) needs.push('ready')
    if (this.#types.includes('start-failed')) needs.push('failStart')
    if (this.#types.includes('ask')) needs.push('ask')
    if (this.#types.indexOf('reject') > 0) needs.push('reject')
    if (this.#deaf) needs.push('ignoreCancel')
    if (this.#types.includes('release-failed')) needs.push(this.#causes.releaseFails === 'error' ? 'failRelease' : 'holdRelease')
    return needs
  }

  ids(): CaseId[] {
    const ids = this.#types.flatMap((type, index) => idsOf(type, index))
    if (this.#endsWhileStarting) ids.push('R18')
    return ids.length === 0 ? ['R6'] : [...new Set(ids)]
  }

  acts(): ProviderAct[] {
    const arranged = this.needs().filter(
      (control) => control === 'failStart' || control === 'ignoreCancel' || control === 'holdRelease' || control === 'failRelease',
    )
    const acts: ProviderAct[] = arranged.map((control) => ({ do: 'arrange', control }))
    for (const [index, type] of this.#types.entries()) {
      const edge = { edge: type, ...this.#stateAfter(index) }
      acts.push(...this.#cause(type, index).map((act, at, all) => (at === all.length - 1 ? { ...act, ...edge } : act)))
    }
    return acts
  }

  /** What has to be read after the event of that index, and when. */
  #stateAfter(index: number): Pick<ProviderAct, 'state' | 'when'> {
    const type = this.#types[index]
    const next = this.#types[index + 1]
    const state = this.#states[index]!
    if (state === 'starting') {
      // A start that throws is over when the call returns; whoever is ready at once is past it.
      if (next === 'start-failed') return {}
      return next === 'ready' ? {} : { state, when: type === 'slot' ? 'soon' : 'at once' }
    }
    if (state === 'disposed' && (index === 0 || type === 'start-failed') && !this.#types.includes('slot')) return {}
    if (state === 'settling.draining') return { state, when: this.#deaf ? 'still' : 'at once' }
    if (state === 'settling.releasing') {
      if (this.#isChildless) return {}
      const held = next === 'release-failed' && this.#causes.releaseFails === 'grace'
      return { state, when: held ? 'still' : 'at once' }
    }
    return { state, when: 'soon' }
  }

  get #isChildless(): boolean {
    return this.#types.includes('abort-before-start')
  }

  #cause(type: string, index: number): ProviderAct[] {
    const stop: ProviderAct = { do: this.#causes.cancel === 'signal' ? 'abort the signal' : 'cancel' }
    switch (type) {
      case 'accept':
        return [{ do: 'start' }]
      case 'wait':
        return [{ do: 'start', waits: true }]
      case 'slot':
        return [{ do: 'free the slot' }]
      case 'abort-before-start':
        return index === 0 ? [{ do: 'abort the signal' }, { do: 'start' }] : [stop]
      case 'ready':
        return [{ do: 'ready' }]
      case 'settle':
        // After a cancel the child settles by itself.
        return this.#stop >= 0 ? [{ do: 'wait' }] : [{ do: 'settle', text: 'answer' }]
      case 'reject':
        return index === 0 ? [{ do: 'start', request: { prompt: '' } }] : [{ do: 'reject' }]
      case 'cancel':
        return [stop]
      case 'deadline':
        return [{ do: 'let time pass', ms: caseTimes.timeoutMs }]
      case 'give-up':
        return [{ do: 'let time pass', ms: caseTimes.cancelGraceMs }]
      case 'ask':
      case 'answer':
      case 'dispose':
        return [{ do: type }]
      case 'released':
        // A deaf child comes to its end, so that it can be released.
        return this.#deaf ? [{ do: 'settle', text: 'too late' }, { do: 'wait' }] : [{ do: 'wait' }]
      case 'release-failed':
        return this.#causes.releaseFails === 'error' ? [{ do: 'wait' }] : [{ do: 'let time pass', ms: caseTimes.releaseGraceMs }]
      default:
        // What follows from the event before it.
        return [{ do: 'wait' }]
    }
  }

  expectation(): ProviderExpectation {
    const types = this.#types
    if (types[0] === 'reject') return { start: 'INVALID_REQUEST', started: 0 }
    if (types.includes('start-failed')) return types[0] === 'wait' ? { events: [], results: [{ is: 'rejects' }] } : { start: 'throws' }
    const disposal = types.includes('released') ? 'resolves' : types.includes('release-failed') ? 'rejects' : 'none'
    return { ...(this.#isChildless && { started: 0 }), results: this.#isOpen ? [] : [this.#result()], disposal }
  }

  /** The path ends with a child that settles by itself, now or soon. */
  get #isOpen(): boolean {
    return this.#stop === this.#types.length - 1 && this.#stop >= 0
  }

  #result(): ResultExpectation {
    const decided = this.#types.some((type) => ['settle', 'reject', 'give-up', 'abort-before-start'].includes(type))
    if (!decided) return { is: 'none' }
    if (this.#isChildless) return { is: 'aborted', text: '' }
    if (this.#stop < 0) return this.#types.includes('reject') ? { is: 'rejects' } : { is: 'completed', text: 'answer' }
    const nothing = this.#types[this.#stop] === 'cancel' && this.#endsWhileStarting
    return {
      is: this.#types[this.#stop] === 'cancel' ? 'aborted' : 'timed-out',
      ...(nothing && { text: '' }),
      ...(this.#types.includes('give-up') && { failure: 'DEAF' }),
    }
  }
}

function idsOf(type: string, index: number): CaseId[] {
  switch (type) {
    case 'wait':
      return ['S21']
    case 'reject':
      return index === 0 ? ['S11'] : ['R12']
    case 'abort-before-start':
      return ['S12']
    case 'start-failed':
      return ['S13']
    case 'cancel':
      return ['R7']
    case 'deadline':
      return ['R9']
    case 'give-up':
      return ['R8']
    case 'ask':
      return ['A13']
    case 'release-failed':
      return ['R11']
    default:
      return []
  }
}

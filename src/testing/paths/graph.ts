/**
 * The one place where the path generators of `@xstate/graph` come in. They are taken from `xstate/graph`, where that
 * package's code lives on inside XState itself: nobody has to install it, and every XState that is supported has it. A test
 * holds the paths of both against each other.
 */
import { createTestModel } from 'xstate/graph'
import type { AnyStateMachine, EventObject } from 'xstate'

/** A snapshot, as far as a path needs to know it. */
export interface ModelState {
  readonly value: unknown
  readonly context: unknown
  can(event: never): boolean
}

export interface GraphPath {
  /** The first one is the initial state, under the event `xstate.init`. */
  readonly steps: readonly { readonly event: EventObject; readonly state: ModelState }[]
}

export interface GraphOptions {
  readonly kind: 'shortest' | 'simple'
  readonly input: unknown
  /** What may come next; asked once a state. */
  readonly events: (state: ModelState) => readonly EventObject[]
  readonly toState: ((state: ModelState) => boolean) | undefined
  /** States and events looked at before it gives up with an error. */
  readonly limit: number
}

/** The paths, less those that are the beginning of another. */
export function graphPaths(machine: AnyStateMachine, { kind, toState, ...options }: GraphOptions): GraphPath[] {
  const model = createTestModel(machine as never)
  const traversal = { ...options, ...(toState && { toState }) } as never
  const paths = kind === 'shortest' ? model.getShortestPaths(traversal) : model.getSimplePaths(traversal)
  return paths as unknown as GraphPath[]
}

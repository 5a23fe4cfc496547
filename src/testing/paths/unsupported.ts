/**
 * What of a machine no path can take, since it moves by something else than an event that a test could send: named with
 * the state it stands in, before @xstate/graph would throw without saying where.
 */
import type { AnyStateMachine } from 'xstate'

interface Node {
  readonly key: string
  readonly path: readonly string[]
  readonly invoke: readonly { readonly src?: unknown }[]
  readonly after: readonly { readonly delay?: unknown }[]
  readonly entry: readonly unknown[]
  readonly exit: readonly unknown[]
  readonly transitions: ReadonlyMap<string, readonly { readonly actions: readonly unknown[] }[]>
  readonly states: Readonly<Record<string, Node>>
}

/** One line each: the state and what stands there. */
export function unsupportedParts(machine: AnyStateMachine): string[] {
  const implementations = machine.implementations.actions as Readonly<Record<string, unknown>>
  const found: string[] = []
  const visit = (node: Node): void => {
    const state = node.path.length === 0 ? 'the root' : `state ${JSON.stringify(node.path.join('.'))}`
    for (const { src } of node.invoke) found.push(`${state} invokes ${isNamed(src) ? JSON.stringify(src) : 'an actor'}`)
    for (const { delay } of node.after) found.push(`${state} has after ${describeDelay(delay)}`)
    for (const action of [...node.entry, ...node.exit]) note(action, state)
    for (const [event, edges] of node.transitions)
      if (!event.startsWith('xstate.after.'))
        for (const { actions } of edges) for (const action of actions) note(action, `${state} on ${JSON.stringify(event)}`)
    for (const child of Object.values(node.states)) visit(child)
  }
  const note = (action: unknown, where: string): void => {
    const delay = delayOf(action, implementations)
    if (delay !== undefined) found.push(`${where} has a delayed action (${describeDelay(delay)})`)
  }
  visit(machine.root as unknown as Node)
  return found
}

function delayOf(action: unknown, implementations: Readonly<Record<string, unknown>>): unknown {
  const name =
    typeof action === 'string' ? action : typeof action === 'object' && action !== null ? (action as { type?: unknown }).type : undefined
  const built = typeof name === 'string' ? implementations[name] : action
  if (typeof built !== 'function' || !('delay' in built)) return undefined
  // What `after` puts into entry is told of as `after`.
  const { event, delay } = built as { event?: { type?: unknown }; delay?: unknown }
  return String(event?.type).startsWith('xstate.after.') ? undefined : delay
}

/** XState makes up a name for an actor that is given in place. */
const isNamed = (src: unknown): src is string => typeof src === 'string' && !src.startsWith('xstate.invoke.')

const describeDelay = (delay: unknown): string =>
  typeof delay === 'number' ? `${delay} ms` : typeof delay === 'string' ? `the delay ${JSON.stringify(delay)}` : 'a computed delay'

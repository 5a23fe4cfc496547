/**
 * Which tools have which names on a service (T9).
 *
 * Two tools of one name would shadow each other in every loop that has both, so the second is refused where it is made. The
 * same tool made again, as by a server for each request, is no second one: same is what is equal in all that a model sees and
 * that decides what runs. Tools that are bound to two parents never meet in one loop, so they may have the same name; one
 * without a parent may meet any. A provider's registration is never touched.
 */
import { SubagentError } from '../errors.ts'
import type { SubagentService } from '../service.ts'
import type { ParentAgent } from '../types.ts'
import type { Binding } from './binding.ts'
import { differences, identityOfBinding } from './identity.ts'
import type { BindingIdentity } from './identity.ts'
import type { DelegatingService } from './options.ts'

/** Gives names back; once. */
export type NameRelease = () => void

/** By name, then by what is bound to it; how many tools are. More than one of them has a name only where their parents differ. */
class Table {
  readonly #holdings = new Map<string, Map<string, { readonly identity: BindingIdentity; tools: number }>>()

  other(name: string, { key }: BindingIdentity): BindingIdentity | undefined {
    for (const [held, { identity }] of this.#holdings.get(name) ?? []) if (held !== key) return identity
    return undefined
  }

  add(name: string, identity: BindingIdentity): void {
    let holdings = this.#holdings.get(name)
    if (!holdings) this.#holdings.set(name, (holdings = new Map()))
    const holding = holdings.get(identity.key)
    if (holding) holding.tools++
    else holdings.set(identity.key, { identity, tools: 1 })
  }

  remove(name: string, { key }: BindingIdentity): void {
    const holdings = this.#holdings.get(name)
    const holding = holdings?.get(key)
    if (!holdings || !holding || --holding.tools > 0) return
    holdings.delete(key)
    if (holdings.size === 0) this.#holdings.delete(name)
  }
}

/** The names of one service. A table holds no parent: a tool that its parent refers to would never be garbage else. */
class Names {
  readonly #unbound = new Table()
  /** Of all parents. */
  readonly #bound = new Table()
  readonly #byParent = new WeakMap<ParentAgent, Table>()

  /** Where a tool is entered, and with whose tools it could meet. */
  tablesFor(parent: ParentAgent | undefined): { readonly own: readonly Table[]; readonly met: readonly Table[] } {
    if (!parent) return { own: [this.#unbound], met: [this.#unbound, this.#bound] }
    let table = this.#byParent.get(parent)
    if (!table) this.#byParent.set(parent, (table = new Table()))
    return { own: [this.#bound, table], met: [this.#unbound, table] }
  }
}

const namesByService = new WeakMap<object, Names>()

/** What stands for a service: its registry, since that may have several faces. */
export function identityOf(service: DelegatingService): object {
  return (service as Partial<SubagentService>).ref ?? service
}

/** @throws SubagentError INVALID_REQUEST naming both tools, where one of the names is another's */
export function claimNames(binding: Binding, names: readonly string[]): NameRelease {
  const key = identityOf(binding.service)
  let known = namesByService.get(key)
  if (!known) namesByService.set(key, (known = new Names()))
  const identity = identityOfBinding(binding)
  const { own, met } = known.tablesFor(binding.parent)
  for (const name of names)
    for (const table of met) {
      const other = table.other(name, identity)
      if (other) throw clash(name, other, identity)
    }
  for (const name of names) for (const table of own) table.add(name, identity)
  let released = false
  return () => {
    if (released) return
    released = true
    for (const name of names) for (const table of own) table.remove(name, identity)
  }
}

function clash(name: string, first: BindingIdentity, second: BindingIdentity): SubagentError {
  const differing = first.bound === second.bound ? `, with another ${differences(first, second).join(', ')}` : ''
  return new SubagentError(
    'INVALID_REQUEST',
    `A tool named ${JSON.stringify(name)} is bound to ${first.bound} on this service, and another of that name would be bound to ${second.bound}${differing}. Give one of them another toolName, dispose the first (dispose() of a set or a mount, tool[Symbol.dispose]() of a tool), or bind each to a parent of its own.`,
  )
}

const collected = new FinalizationRegistry<NameRelease>((release) => release())

/** For tools that nobody disposes: the names are given back when `holder` is garbage. */
export function releaseWithHolder(holder: object, release: NameRelease): void {
  collected.register(holder, release)
}

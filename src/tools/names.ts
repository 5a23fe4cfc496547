/**
 * Which tools have which names on a service (T9).
 *
 * Two tools of one name would shadow each other in every loop that has both, so the second is refused where it is made. The
 * same tool made again, as by a server for each request, is no second one. A provider's registration is never touched.
 */
import { SubagentError } from '../errors.ts'
import type { SubagentService } from '../service.ts'
import type { Binding } from './binding.ts'
import type { DelegatingService } from './options.ts'

/** A name, as long as there are tools that have it. */
interface Holding {
  readonly boundTo: string
  tools: number
}

/** Gives names back; once. */
export type NameRelease = () => void

const namesByService = new WeakMap<object, Map<string, Holding>>()

/** What stands for a service: its registry, since that may have several faces. */
export function identityOf(service: DelegatingService): object {
  return (service as Partial<SubagentService>).ref ?? service
}

/** @throws SubagentError INVALID_REQUEST naming both tools, where one of the names is another's */
export function claimNames(binding: Binding, names: readonly string[]): NameRelease {
  const key = identityOf(binding.service)
  const held = namesByService.get(key) ?? new Map<string, Holding>()
  namesByService.set(key, held)
  const boundTo = describe(binding)
  for (const name of names) {
    const other = held.get(name)
    if (other && other.boundTo !== boundTo)
      throw new SubagentError(
        'INVALID_REQUEST',
        `A tool named ${JSON.stringify(name)} is bound to ${other.boundTo} on this service, and another of that name would be bound to ${boundTo}. Give one of them another toolName, or dispose the first.`,
      )
  }
  for (const name of names) {
    const holding = held.get(name)
    if (holding) holding.tools++
    else held.set(name, { boundTo, tools: 1 })
  }
  let released = false
  return () => {
    if (released) return
    released = true
    for (const name of names) {
      const holding = held.get(name)!
      if (--holding.tools === 0) held.delete(name)
    }
  }
}

const collected = new FinalizationRegistry<NameRelease>((release) => release())

/** For tools that nobody disposes: the names are given back when `holder` is garbage. */
export function releaseWithHolder(holder: object, release: NameRelease): void {
  collected.register(holder, release)
}

function describe({ hasChoice, agents, toolName }: Binding): string {
  const children = agents.map(({ name, provider }) => (hasChoice ? `${JSON.stringify(name)} (${JSON.stringify(provider)})` : provider))
  // The controls of a tool have names of their own, so the tool's stands here too.
  return `${hasChoice ? `the agents ${children.join(', ')}` : `provider ${JSON.stringify(children[0])}`} as ${JSON.stringify(toolName)}`
}

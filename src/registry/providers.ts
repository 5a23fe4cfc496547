/**
 * The providers of one registry, by name (S1–S5).
 *
 * `subagent/provider-added` is the one event whose listeners can refuse: a tool that derives itself from a provider must be
 * able to stop a registration it cannot serve, while the registrant is still there to hear it. A removal cannot be refused,
 * since by then there is nothing to keep.
 */
import { SubagentError } from '../errors.ts'
import type { Relay } from '../run/relay.ts'
import type { SubagentCapabilities, SubagentProvider } from '../types.ts'

/** Undoes a registration: call it, or let `using` do so. Once; a stale one does nothing. */
export interface ProviderDisposer extends Disposable {
  (): void
}

/** One registration: the same provider registered again is another. */
interface Registration {
  readonly provider: SubagentProvider
}

export class Providers {
  readonly #byName = new Map<string, Registration>()
  readonly #relay: Relay
  readonly #onGone: (provider: SubagentProvider) => void

  /** @param onGone called when a registration is over; must not throw */
  constructor(relay: Relay, onGone: (provider: SubagentProvider) => void) {
    this.#relay = relay
    this.#onGone = onGone
  }

  get(name: string): SubagentProvider | undefined {
    return this.#byName.get(name)?.provider
  }

  names(): string[] {
    return [...this.#byName.keys()]
  }

  has(provider: SubagentProvider): boolean {
    return this.all().includes(provider)
  }

  all(): SubagentProvider[] {
    return Array.from(this.#byName.values(), (registration) => registration.provider)
  }

  /** @throws SubagentError INVALID_PROVIDER, DUPLICATE_PROVIDER; what a listener of `subagent/provider-added` threw */
  register(provider: SubagentProvider): ProviderDisposer {
    const name = checkProvider(provider)
    if (this.#byName.has(name))
      throw new SubagentError(
        'DUPLICATE_PROVIDER',
        `A provider named ${JSON.stringify(name)} is registered already. Dispose it first, or give one of them another name.`,
      )
    const registration: Registration = { provider }
    this.#byName.set(name, registration)
    this.#relay.dispatchRefusable({ type: 'subagent/provider-added', name, provider }, (heard) => {
      if (this.#byName.get(name) !== registration) return
      this.#byName.delete(name)
      if (heard > 0) this.#relay.dispatch({ type: 'subagent/provider-removed', name })
      this.#onGone(provider)
    })
    let done = false
    const dispose = (): void => {
      if (done) return
      done = true
      if (this.#byName.get(name) === registration) this.remove(name)
    }
    return Object.assign(dispose, { [Symbol.dispose]: dispose })
  }

  /** @returns false where there is none */
  remove(name: string): boolean {
    const registration = this.#byName.get(name)
    if (!registration) return false
    this.#byName.delete(name)
    this.#relay.dispatch({ type: 'subagent/provider-removed', name })
    this.#onGone(registration.provider)
    return true
  }
}

/** @returns the name that it has now, by which it is known from here on */
function checkProvider(provider: SubagentProvider): string {
  const candidate = provider as Partial<SubagentProvider> | null | undefined
  const fail = (what: string): never => {
    throw new SubagentError(
      'INVALID_PROVIDER',
      `The provider ${what}. A provider is { name, capabilities: { outputSchema, depthLimit, toolFilter }, start }.`,
    )
  }
  if (typeof candidate !== 'object' || candidate === null) return fail(`is ${candidate === null ? 'null' : typeof candidate}`)
  const { name, capabilities, start } = candidate
  if (typeof name !== 'string' || name === '') return fail('has no name (a non-empty string)')
  if (typeof start !== 'function') return fail(`${JSON.stringify(name)} has no start()`)
  if (typeof capabilities !== 'object' || capabilities === null) return fail(`${JSON.stringify(name)} has no capabilities`)
  for (const flag of ['outputSchema', 'depthLimit', 'toolFilter'] as const)
    if (typeof capabilities[flag] !== 'boolean') return fail(`${JSON.stringify(name)} does not say whether it can ${flag} (true or false)`)
  const { persona } = capabilities as SubagentCapabilities
  if (persona !== undefined && typeof persona !== 'boolean')
    return fail(`${JSON.stringify(name)} has a capability persona that is neither true nor false`)
  return name
}

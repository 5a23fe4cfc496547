/** `--via`: who gets the task: a provider of agents of this process, which runs their children too, or an agent of its own. Contract: C3. */
import { nearest } from '../run/nearest.ts'
import { agentNames, anyAgent, isAgentName, type AgentName } from './acp/agent-choice.ts'
import { vendors } from './models/vendors.ts'
import { UsageError } from './usage-error.ts'

/** The providers of agents in this process. */
export const providerNames = ['spawn', 'fork'] as const
export type ProviderName = (typeof providerNames)[number]
export const defaultProvider: ProviderName = 'spawn'

/** All that `--via` can name. */
export const viaNames: readonly (ProviderName | AgentName)[] = [...providerNames, anyAgent, ...agentNames]

export type Via = { readonly kind: 'provider'; readonly name: ProviderName } | { readonly kind: 'agent'; readonly name: AgentName }

/** @throws UsageError for any other name, with what was probably meant */
export function parseVia(text: string): Via {
  const name = providerNames.find((known) => known === text)
  if (name) return { kind: 'provider', name }
  if (isAgentName(text)) return { kind: 'agent', name: text }
  throw new UsageError(`--via ${JSON.stringify(text)}: ${reasonFor(text)}`)
}

function reasonFor(text: string): string {
  const known = `--via names who runs the task: ${providerNames.join(' and ')} with a model, ${anyAgent} with a program of --command, or an agent by its name (${agentNames.join(', ')}).`
  // A vendor, or a model with its vendor, stands where a provider should.
  const [vendorName = '', id] = text.toLowerCase().split(/\/(.*)/s)
  const vendor = vendors.find(({ name }) => name === vendorName)
  if (vendor) {
    return `${vendor.name} is a vendor of models. ${known}\nA model is named with --model VENDOR/ID: --model ${vendor.name}/${id || vendor.defaultModel}`
  }
  const near = nearest(text.toLowerCase(), viaNames)
  return near
    ? `there is no such provider. Did you mean --via ${near}?`
    : `there is no such provider. ${known}\nA model is named with --model VENDOR/ID.`
}

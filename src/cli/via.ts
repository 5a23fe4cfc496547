/** `--via`: the provider that runs the agent which gets the task, and its children. Contract: C3. */
import { knownAgents } from './models/found/agents-on-path.ts'
import { vendors } from './models/vendors.ts'
import { nearest } from '../run/nearest.ts'
import { UsageError } from './usage-error.ts'

/** The providers that the command registers. */
export const providerNames = ['spawn', 'fork'] as const
export type ProviderName = (typeof providerNames)[number]
export const defaultProvider: ProviderName = 'spawn'

/** @throws UsageError for any other name, with what was probably meant */
export function parseVia(text: string): ProviderName {
  const name = providerNames.find((known) => known === text)
  if (name) return name
  throw new UsageError(`--via ${JSON.stringify(text)}: ${reasonFor(text)}`)
}

function reasonFor(text: string): string {
  const known = `--via names a provider, which is a way to run an agent; there are ${providerNames.join(' and ')}.`
  // A vendor, or a model with its vendor, stands where a provider should.
  const [vendorName = '', id] = text.toLowerCase().split(/\/(.*)/s)
  const vendor = vendors.find(({ name }) => name === vendorName)
  if (vendor) {
    return `${vendor.name} is a vendor of models. ${known}\nA model is named with --model VENDOR/ID: --model ${vendor.name}/${id || vendor.defaultModel}`
  }
  if (knownAgents.some((agent) => agent === text.toLowerCase())) return `${text} is an agent with a program of its own. ${known}`
  const near = nearest(text, providerNames)
  return near
    ? `there is no such provider. Did you mean --via ${near}?`
    : `there is no such provider. ${known}\nA model is named with --model VENDOR/ID.`
}

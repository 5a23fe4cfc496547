/** What `--model` and `--base-url` ask for. Contract: C3. */
import { nearest } from '../../run/nearest.ts'
import { UsageError } from '../usage-error.ts'
import { vendors, type Vendor } from './vendors.ts'

export type ModelChoice =
  | { readonly kind: 'scripted' }
  | { readonly kind: 'vendor'; readonly vendor: Vendor; readonly id: string }
  /** A server that speaks OpenAI's chat completions; `vendor` is what the user calls it. */
  | { readonly kind: 'base-url'; readonly vendor: string; readonly id: string; readonly url: URL }

/** @throws UsageError */
export function chooseModel(model: string, baseUrl: string | undefined): ModelChoice {
  if (model === 'scripted') {
    if (baseUrl !== undefined)
      throw new UsageError('--base-url makes no sense with --model scripted, which calls no server. Leave one of them out.')
    return { kind: 'scripted' }
  }
  const [, vendorName = '', id = ''] = /^([^/\s]+)\/(\S+)$/.exec(model) ?? []
  if (id === '') throw new UsageError(malformed(model, baseUrl))
  if (baseUrl !== undefined) return { kind: 'base-url', vendor: vendorName, id, url: parseBaseUrl(baseUrl) }
  const vendor = vendors.find(({ name }) => name === vendorName)
  if (vendor) return { kind: 'vendor', vendor, id }
  const names = vendors.map(({ name }) => name)
  const near = nearest(vendorName, names)
  throw new UsageError(
    `--model ${model}: there is no vendor ${vendorName}${near ? `. Did you mean ${near}/${id}?` : `, only ${names.join(', ')}.`}\n` +
      `For any other server that speaks OpenAI's protocol add --base-url URL.`,
  )
}

function malformed(model: string, baseUrl: string | undefined): string {
  const near = nearest(model, ['scripted', ...vendors.map(({ name }) => name)])
  const vendor = vendors.find(({ name }) => name === near)
  const example =
    near === 'scripted'
      ? 'scripted'
      : vendor
        ? `${vendor.name}/${vendor.defaultModel}`
        : baseUrl !== undefined
          ? `local/${model || 'llama3.2'}`
          : undefined
  return (
    `--model ${JSON.stringify(model)} is not of the form VENDOR/ID${example ? `. Did you mean --model ${example}?` : ', nor scripted.'}\n` +
    `Examples: ${vendors.map(({ name, defaultModel }) => `--model ${name}/${defaultModel}`).join(', ')}, --model scripted`
  )
}

function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.username !== '' || url.password !== '')) {
    throw new UsageError(
      `--base-url ${showUrl(url)}: leave user and password out of the address. Set the key as OPENAI_API_KEY, or as the variable named after the vendor.`,
    )
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new UsageError(
    `--base-url ${JSON.stringify(withoutCredentials(text))} is not an http or https address. Example: --base-url http://127.0.0.1:11434/v1`,
  )
}

/** A URL as it may be shown: user, password and query can hold a key. */
export function showUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`
}

function withoutCredentials(text: string): string {
  return text.replace(/[^/@]*@/, '').replace(/\?.*$/, '')
}

/** How this client introduces itself in `initialize`. */
import { readFileSync } from 'node:fs'

let known: { readonly name: string; readonly version: string } | undefined

export function clientInfo(): { readonly name: string; readonly version: string } {
  if (!known) {
    const { name, version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
      name: string
      version: string
    }
    known = { name, version }
  }
  return known
}

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const source = fileURLToPath(new URL('../../src/', import.meta.url))

/** The packages that loading a module loads: what is imported for its types alone is gone at run time. */
function packagesOf(module: string, seen = new Set<string>(), packages = new Set<string>()): Set<string> {
  if (seen.has(module)) return packages
  seen.add(module)
  for (const [, specifier] of readFileSync(module, 'utf8').matchAll(/^(?:import|export) (?!type\b)(?:[^'"]*?\bfrom )?'([^']+)'/gm)) {
    if (specifier!.startsWith('.')) packagesOf(join(dirname(module), specifier!), seen, packages)
    else packages.add(specifier!)
  }
  return packages
}

it.each(['tools/index.ts', 'providers/index.ts'])('T1, G1: %s loads without the AI SDK', (entry) => {
  expect([...packagesOf(join(source, entry))].filter((name) => /^(ai$|ai\/|@ai-sdk\/)/.test(name))).toEqual([])
})

it('T1: the same look at the agents finds the AI SDK, so it can find it', () => {
  expect([...packagesOf(join(source, 'agents/index.ts'))]).toContain('ai')
})

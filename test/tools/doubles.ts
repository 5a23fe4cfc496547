import { createSubagentService, defineProvider, rootAgent } from '../../src/index.ts'
import type { ProviderStartRequest, RunContext, SubagentProvider, SubagentResult, SubagentService } from '../../src/index.ts'
import { collectLogger } from '../providers/collect.ts'

export const parent = rootAgent({ cwd: '/project' })
export const task = { description: 'Count', prompt: 'How many TODOs?' }

/** A service with one provider, `helper`, that answers as told. */
export function serviceWith(
  run: (request: ProviderStartRequest, context: RunContext) => SubagentResult | string | Promise<SubagentResult | string>,
  capabilities: Partial<SubagentProvider['capabilities']> = {},
): SubagentService & { readonly requests: ProviderStartRequest[]; readonly warnings: string[] } {
  const requests: ProviderStartRequest[] = []
  const logger = collectLogger()
  const helper = defineProvider({
    name: 'helper',
    capabilities,
    run: (request, context) => {
      requests.push(request)
      return run(request, context)
    },
  })
  return Object.assign(createSubagentService({ providers: [helper], logger }), { requests, warnings: logger.warnings })
}

/** A provider whose runs answer with `result` and whose release fails. */
export function unreleasable(result: Promise<SubagentResult>): SubagentProvider {
  return {
    name: 'helper',
    capabilities: { outputSchema: false, depthLimit: false, toolFilter: false },
    start: () => ({ result, cancel: () => {}, dispose: () => Promise.reject(new Error('the lock is stuck')) }),
  }
}

/** Providers that do nothing, so that what is measured is this package alone. */
import { createSubagentService, rootAgent } from '../../dist/index.js'

export const answered = Promise.resolve({ output: [], stopReason: 'completed' })
export const quiet = Promise.resolve()
const cancel = () => {}
const dispose = () => quiet
const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }

/** Its children have answered when they start. */
const noop = { name: 'noop', capabilities, start: () => ({ result: answered, cancel, dispose }) }
/** Its children never answer. */
const hanging = { name: 'hanging', capabilities, start: () => ({ result: new Promise(() => {}), cancel, dispose }) }

export const parent = rootAgent()
const request = { parent, prompt: 'nothing' }

export function serviceWith({ listeners = 0 } = {}) {
  const service = createSubagentService({ providers: [noop, hanging] })
  for (let n = 0; n < listeners; n++) service.on('subagent/end', () => {})
  return service
}

/** Start, result, dispose: a whole delegation to nobody. */
export async function wholeRun(service) {
  const run = service.start('noop', request)
  await run.result
  await run.dispose()
}

export const startHanging = (service) => service.start('hanging', request)

/** @returns `count` runs that stay alive */
export const fill = (service, count) => Array.from({ length: count }, () => startHanging(service))

/** The heap after a full collection, in bytes. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

export async function heapAfterGc(): Promise<number> {
  // What waits for a turn of the loop holds memory until then; finalizers need a second round.
  for (let round = 0; round < 3; round++) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    collect()
  }
  return process.memoryUsage().heapUsed
}

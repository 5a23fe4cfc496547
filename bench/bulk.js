/** Many live runs ended at once. */
import { streamText } from 'ai'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { cpuOf, many, median, report } from './measure.js'
import { startBareChild } from './shared/bare-child.js'
import { fill, parent, serviceWith } from './shared/no-op.js'
import { model } from './shared/script.js'

const turn = () => new Promise((resolve) => setImmediate(resolve))
const settle = async () => {
  for (let n = 0; n < 10; n++) await turn()
}

// Children whose model has begun and says nothing, each cancelled by its handle.
const silent = model(() => undefined)
const count = many(1000)
const agents = createAgents({ model: silent })

async function cancelOurs() {
  const service = createSubagentService({ providers: [spawnProvider({ agents })] })
  const runs = Array.from({ length: count }, () => service.start('spawn', { parent, prompt: 'nothing' }))
  await settle()
  const cost = await cpuOf(async () => {
    for (const run of runs) run.cancel()
    await Promise.all(runs.map(({ result }) => result))
  })
  await service.close()
  return cost
}

async function cancelByHand() {
  const calls = Array.from({ length: count }, () => {
    const abort = new AbortController()
    return { abort, done: streamText({ model: silent, prompt: 'nothing', abortSignal: abort.signal, onError: () => {} }).consumeStream() }
  })
  await settle()
  return cpuOf(async () => {
    for (const { abort } of calls) abort.abort()
    await Promise.all(calls.map(({ done }) => done))
  })
}

const samples = { ours: [], byHand: [] }
for (let round = 0; round < many(5, 1); round++) {
  globalThis.gc()
  samples.ours.push(await cancelOurs())
  globalThis.gc()
  samples.byHand.push(await cancelByHand())
}
const cancelled = median(samples.ours)
report({ name: `CPU to cancel ${count} live in-process runs`, value: cancelled / 1000, unit: 'ms', bound: 200 })
report({
  name: `to cancel ${count} live in-process runs`,
  value: cancelled / median(samples.byHand),
  reference: 'aborting as many calls of the AI SDK',
})

const lots = many(100_000, 200)
const service = serviceWith()
const runs = fill(service, lots)
globalThis.gc()
const closed = await cpuOf(() => service.close())
const bystander = serviceWith()
const children = Array.from({ length: lots }, () => startBareChild(bystander))
globalThis.gc()
// What moves a child to its end is the least that there is.
const ended = await cpuOf(() => {
  for (const child of children) for (let n = 0; n < 2; n++) child.send({ type: 'next' })
})
report({ name: `CPU of close() with ${runs.length} live runs`, value: closed / 1e6, unit: 's', bound: 6 })
report({ name: `close() with ${runs.length} live runs`, value: closed / ended, reference: 'ending as many bare machines' })
process.exit()

/**
 * What is measured: a no-op provider of ours, and the bare machine that it is set beside.
 */
import { jsonSchema, tool } from 'ai'
import { createActor, setup } from 'xstate'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService, rootAgent } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { scriptedModel } from '../dist/testing/index.js'

const answered = Promise.resolve({ output: [], stopReason: 'completed' })
const nothing = () => {}
const quiet = Promise.resolve()
const cancel = () => {}
const dispose = () => quiet
const capabilities = { outputSchema: false, depthLimit: false, toolFilter: false }

export const noop = { name: 'noop', capabilities, start: () => ({ result: answered, cancel, dispose }) }
export const hanging = { name: 'hanging', capabilities, start: () => ({ result: new Promise(nothing), cancel, dispose }) }
export const parent = rootAgent()

export const serviceWith = (options = {}) => createSubagentService({ providers: [noop, hanging], ...options })

/** Start, result, dispose: a whole delegation to nobody. */
export const wholeRuns = (service) => async (count) => {
  for (let n = 0; n < count; n++) {
    const run = service.start('noop', { parent, prompt: 'nothing' })
    await run.result
    await run.dispose()
  }
}

/** As many at once: all are live before the first is awaited. */
export const wholeRunsAtOnce = (service) => async (count) => {
  const runs = []
  for (let n = 0; n < count; n++) runs.push(service.start('noop', { parent, prompt: 'nothing' }))
  await Promise.all(
    runs.map(async (run) => {
      await run.result
      await run.dispose()
    }),
  )
}

/** The same with turns of the event loop between, in which a file can be written. */
export const withTurns = (work) => async (count) => {
  for (let done = 0; done < count; done += 50) {
    await work(Math.min(50, count - done))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

/** How many entries of a journal one of these takes. */
export async function entriesA(work, journal, count = 20) {
  const reader = journal.read({ most: Infinity })[Symbol.asyncIterator]()
  await reader.next()
  await work(count)
  const { value } = await reader.next()
  await reader.return()
  return value.length / count
}

const bare = setup({ types: {}, actions: { first: () => {}, second: () => {} } }).createMachine({
  id: 'bare',
  context: ({ input }) => ({ ...input }),
  initial: 'one',
  states: {
    one: { on: { next: 'two' } },
    two: { entry: 'first', on: { next: 'three' } },
    three: { entry: 'second', on: { next: 'four' } },
    four: { on: { next: 'five' } },
    five: { type: 'final' },
  },
})

function startBare(service, n) {
  const child = createActor(bare, { parent: service.ref, id: `bare-${n}`, src: 'bare', input: { runId: 'x', provider: 'noop' } })
  child.start()
  child.send({ type: 'next' })
  child.send({ type: 'next' })
  return child
}

async function endBare(child) {
  await answered
  child.send({ type: 'next' })
  await quiet
  child.send({ type: 'next' })
}

/** A five-state machine of XState under the same registry, taken through four events, awaiting as often as a run does. */
export const bareChildren = (service) => async (count) => {
  for (let n = 0; n < count; n++) await endBare(startBare(service, n))
}

export const bareChildrenAtOnce = (service) => async (count) => {
  const children = []
  for (let n = 0; n < count; n++) children.push(startBare(service, n))
  await Promise.all(children.map(endBare))
}

/** Whole delegations to a spawned agent whose model answers from a script, after one call of a tool. */
export const delegations = (sessions) => {
  const work = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ten lines of text '.repeat(20) })
  const model = scriptedModel(({ prompt }) => (prompt.at(-1).role === 'tool' ? 'It is done.' : { tools: [{ name: 'work' }] }))
  const agents = createAgents({ model, tools: { work }, ...(sessions && { sessions }) })
  const service = createSubagentService({ providers: [spawnProvider({ agents })] })
  return async (count) => {
    for (let n = 0; n < count; n++) await service.delegate('spawn', { parent, prompt: 'Do the work.' })
  }
}

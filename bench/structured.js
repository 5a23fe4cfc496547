/** A child that has to answer with an object: beside the AI SDK asked for the same object, checked against the same schema. */
import { Output, stepCountIs, streamText, tool } from 'ai'
import { z } from 'zod'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { compare, report } from './measure.js'
import { parent } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'
import { calls, isAfterTool, model, says } from './shared/script.js'

const prompt = 'Count the TODOs.'
const answer = { count: 3, files: ['a.ts', 'b.ts'] }
const schema = z.object({ count: z.number(), files: z.array(z.string()) })
const callsTool = model((prompt) => (isAfterTool(prompt) ? says('Done.') : calls('structured_output', answer)))
const writesJson = model(() => says(JSON.stringify(answer)))

const service = createSubagentService({ providers: [spawnProvider({ agents: createAgents({ model: callsTool }) })] })
async function ours() {
  const { structured } = await service.delegate('spawn', { parent, prompt, outputSchema: schema })
  return structured
}

/** As `Output.object` has it: the answer itself is JSON. */
async function byOutput() {
  const { signal } = new AbortController()
  return streamText({ model: writesJson, prompt, output: Output.object({ schema }), abortSignal: signal }).output
}

/** By a tool, as ours: the first valid call ends it. */
async function byTool() {
  const { signal } = new AbortController()
  let object
  const structured_output = tool({
    inputSchema: schema,
    execute: (input) => {
      object = input
      return 'Taken.'
    },
  })
  const stopWhen = [stepCountIs(50), () => object !== undefined]
  await streamText({ model: callsTool, tools: { structured_output }, prompt, stopWhen, abortSignal: signal }).consumeStream()
  return object
}

const subjects = { ours, byOutput, byTool }
for (const [name, once] of Object.entries(subjects))
  if (JSON.stringify(await once()) !== JSON.stringify(answer)) throw new Error(`${name} gave another object.`)
const repeated = Object.fromEntries(Object.entries(subjects).map(([name, once]) => [name, inTurn(once)]))
const cost = await compare(repeated, { rounds: 61, count: 10, warmup: 200 })
report({ name: 'a structured result', value: cost.ours / cost.byTool, reference: 'a tool of the AI SDK alone' })
report({ name: 'a structured result', value: cost.ours / cost.byOutput, reference: 'Output.object of the AI SDK alone' })

/**
 * One delegation in this package and in others, side by side: `npm run bench:peers`, or `npm run bench:peers -- --json FILE`.
 *
 * Each has a process of its own; they are asked for short samples in turn, so that a machine that speeds up or slows down does so
 * for all. Only ratios are worth quoting.
 */
import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { median } from '../measure.js'
import { tableOf } from './table.js'

const all = [
  ['xstate-subagents', 'streamed'],
  ['xstate-subagents', 'whole'],
  ['xstate-subagents-tool', 'streamed'],
  ['ai-sdk', 'streamed'],
  ['ai-sdk', 'whole'],
  ['openai-agents', 'streamed'],
  ['openai-agents', 'whole'],
  ['langgraph', 'streamed'],
  ['langgraph', 'whole'],
  ['deepagents', 'streamed'],
  ['deepagents', 'whole'],
  ['mastra', 'streamed'],
  ['mastra', 'whole'],
]

const { values: options } = parseArgs({
  options: { json: { type: 'string' }, rounds: { type: 'string', default: '41' }, warmupMs: { type: 'string', default: '15000' } },
})
const warmupUs = 1000 * Number(options.warmupMs)
const sampleUs = 100_000
const leastWarmup = 1000
// Larger than all that is allocated in a measurement, so that nothing is collected meanwhile.
const youngGeneration = ['--min-semi-space-size=256', '--max-semi-space-size=256']

function open([file, mode], flags = []) {
  const path = fileURLToPath(new URL('subject.js', import.meta.url))
  const process = fork(path, [file, mode], { execArgv: ['--expose-gc', ...flags], env: quiet })
  const ask = (task, count) =>
    new Promise((answer, fail) => {
      const ended = (code) =>
        fail(new Error(`${file}, ${mode} ended with ${code} when it was asked to ${task}. What it wrote stands above.`))
      process.once('exit', ended)
      process.once('message', (message) => {
        process.off('exit', ended)
        answer(message)
      })
      process.send({ task, count })
    })
  return { ask, close: () => process.kill() }
}

/** Nothing is traced, and nothing sent anywhere. */
const quiet = { ...process.env, LANGSMITH_TRACING: 'false', LANGCHAIN_TRACING_V2: 'false', OPENAI_AGENTS_DISABLE_TRACING: '1' }

async function alone(peer, flags, ...question) {
  const { ask, close } = open(peer, flags)
  const answer = await ask(...question)
  close()
  return answer
}

/** What an import of it costs a process that has nothing yet; the same whatever is done with it then. */
const loading = new Map()

async function loadingOf(peer) {
  const loads = []
  for (let n = 0; n < 3; n++) loads.push(await alone(peer, [], 'about'))
  const middle = (of) => median(loads.map(({ loaded }) => loaded[of]))
  const { name, version } = loads[0]
  return { name, version, loadCpuUs: middle('cpuUs'), loadBytes: middle('bytes') }
}

async function bytesAndLoading(peer) {
  const [file, mode] = peer
  if (!loading.has(file)) loading.set(file, await loadingOf(peer))
  // Bytes are the same however busy the machine is.
  const [allocatedBytes, heldBytes] = await Promise.all([alone(peer, youngGeneration, 'allocate', 20), alone(peer, [], 'hold', 100)])
  return { ...loading.get(file), mode, allocatedBytes, heldBytes }
}

async function warmUp(peer) {
  const subject = open(peer)
  let count = 2
  for (let spent = 0, done = 0; spent < warmupUs || done < leastWarmup;) {
    const cost = await subject.ask('time', count)
    spent += count * cost
    done += count
    count = Math.max(2, Math.ceil(sampleUs / cost))
  }
  return { ...subject, count, samples: [] }
}

const peers = []
for (const peer of all) {
  process.stderr.write(`bytes: ${peer.join(', ')}\n`)
  peers.push(await bytesAndLoading(peer))
}
const subjects = []
for (const peer of all) {
  process.stderr.write(`warming up: ${peer.join(', ')}\n`)
  subjects.push(await warmUp(peer))
}
const turns = [...subjects]
for (let round = 0; round < Number(options.rounds); round++) {
  turns.push(turns.shift())
  if (round % 3 === 0) turns.reverse()
  for (const { ask, count, samples } of turns) samples.push(await ask('time', count))
}
for (const [index, { samples, close }] of subjects.entries()) {
  peers[index].cpuUs = median(samples)
  close()
}

const results = { node: process.version, processor: cpus()[0].model.trim(), rounds: Number(options.rounds), peers }
console.log(tableOf(results))
// npm runs this in the folder of the peers; a path is meant where npm was called.
if (options.json) writeFileSync(resolve(process.env.INIT_CWD ?? '.', options.json), `${JSON.stringify(results, null, 2)}\n`)

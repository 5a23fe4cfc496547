/**
 * The figures that the contract bounds. `npm run bench`; a bound that does not hold ends it with exit code 1.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createJournal, recordJournal } from '../dist/inspect/index.js'
import { traceRuns } from '../dist/telemetry/index.js'
import { bytesOf, compare, report } from './measure.js'
import {
  bareChildren,
  bareChildrenAtOnce,
  delegations,
  entriesA,
  hanging,
  parent,
  serviceWith,
  wholeRuns,
  wholeRunsAtOnce,
  withTurns,
} from './subjects.js'

const start = (service) => service.start(hanging.name, { parent, prompt: 'nothing' })
const fill = (service, live) => {
  const runs = []
  for (let n = 0; n < live; n++) runs.push(start(service))
  return runs
}

const plain = serviceWith()
const single = serviceWith()
single.on('subagent/end', () => {})
const cost = await compare({ run: wholeRuns(single), bare: bareChildren(plain) })
console.log(`a run with a no-op provider and a listener takes ${cost.run.toFixed(1)} µs of CPU, a bare child ${cost.bare.toFixed(1)} µs`)
report('no-op run ÷ bare five-state child', cost.run / cost.bare, 1.4, '×')
const atOnce = await compare(
  { run: wholeRunsAtOnce(single), bare: bareChildrenAtOnce(plain) },
  { rounds: 15, count: 10_000, warmup: 10_000 },
)
console.log(`10 000 of each at once take ${atOnce.run.toFixed(1)} µs and ${atOnce.bare.toFixed(1)} µs each`)
report('no-op run ÷ bare five-state child, 10 000 at once', atOnce.run / atOnce.bare, 1.4, '×')

const listened = serviceWith()
for (let n = 0; n < 10; n++) listened.on('subagent/end', () => {})
const heard = await compare({ one: wholeRuns(single), ten: wholeRuns(listened) })
report('no-op run with ten listeners ÷ with one', heard.ten / heard.one, 1.5, '×')

// Observers: what one costs an event that it tells of.
const watched = serviceWith()
const journal = createJournal(watched, { env: {} })
const told = await entriesA(wholeRuns(watched), journal)
const file = join(mkdtempSync(join(tmpdir(), 'subagents-bench-')), 'runs.jsonl')
const taped = serviceWith()
const recording = await recordJournal(createJournal(taped, { env: {} }), file, { gatherMs: 0 })
const traced = serviceWith()
traceRuns(traced, { env: {} })
const observed = await compare({ none: wholeRuns(plain), journal: wholeRuns(watched), traced: wholeRuns(traced) })
console.log(`a run is told in ${told} entries`)
report('a journal, an entry', (observed.journal - observed.none) / told, 10, ' µs')
report('traces without an exporter, an event', (observed.traced - observed.none) / told, 10, ' µs')
const written = await compare({ none: withTurns(wholeRuns(plain)), recorded: withTurns(wholeRuns(taped)) })
await recording.close()
rmSync(dirname(file), { recursive: true })
report('a journal with its recording, an entry', (written.recorded - written.none) / told, 10, ' µs')
console.log(`entries that the recording missed: ${recording.dropped}`)

const { bytes } = bytesOf(() => start(plain), 20_000)
report('a live run', bytes / 1000, 3, ' kB')

const small = serviceWith()
const large = serviceWith()
const live = [fill(small, 1_000), fill(large, 100_000)]
globalThis.gc()
const growth = await compare({ among1000: wholeRuns(small), among100000: wholeRuns(large) })
report(`start and end among ${live[1].length} live runs ÷ among ${live[0].length}`, growth.among100000 / growth.among1000, 1.2, '×')

const directory = mkdtempSync(join(tmpdir(), 'sessions-'))
const kept = await compare({ kept: delegations({ directory }), inMemory: delegations() }, { rounds: 201, count: 10, warmup: 200 })
rmSync(directory, { recursive: true })
console.log(
  `a scripted delegation of two steps takes ${kept.inMemory.toFixed(0)} µs of CPU, with its session on disk ${kept.kept.toFixed(0)} µs`,
)
report('scripted delegation with its session on disk ÷ in memory', kept.kept / kept.inMemory, 1.15, '×')

const before = process.cpuUsage()
await large.close()
const { user, system } = process.cpuUsage(before)
report('close() with 100 000 live runs, in CPU', (user + system) / 1e6, 6, ' s')
process.exit()

/** What observers cost: a journal, its recording, Stately's inspector with a viewer, traces. Beside nobody looking. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { WebSocket } from 'ws'
import { createJournal, recordJournal, statelyInspector } from '../dist/inspect/index.js'
import { traceRuns } from '../dist/telemetry/index.js'
import { compare, report } from './measure.js'
import { serviceWith, wholeRun } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'

const env = {}
const runsOf = (service) => inTurn(() => wholeRun(service))

/** How many entries of a journal one run takes. */
async function entriesOf(service, journal, count = 20) {
  const reader = journal.read({ most: Infinity })[Symbol.asyncIterator]()
  await reader.next()
  await runsOf(service)(count)
  const { value } = await reader.next()
  await reader.return()
  return value.length / count
}

/** Turns of the event loop between, in which a file or a socket can be written. */
const withTurns = (work) => async (count) => {
  for (let done = 0; done < count; done += 50) {
    await work(Math.min(50, count - done))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

const plain = serviceWith()
const watched = serviceWith()
const entries = await entriesOf(watched, createJournal(watched, { env }))
const traced = serviceWith()
traceRuns(traced, { env })

const cost = await compare({ none: runsOf(plain), journal: runsOf(watched), traced: runsOf(traced) })
const anEntry = (more) => ({ value: more / entries, unit: 'µs', bound: 10 })
report({ name: 'a run with a journal', value: cost.journal / cost.none, reference: 'without' })
report({ name: `a journal, an entry of the ${entries} of a run`, ...anEntry(cost.journal - cost.none) })
report({ name: 'a run with traces that nobody exports', value: cost.traced / cost.none, reference: 'without' })
report({ name: 'traces that nobody exports, an event', ...anEntry(cost.traced - cost.none) })

const file = join(mkdtempSync(join(tmpdir(), 'subagents-bench-')), 'runs.jsonl')
const taped = serviceWith()
const recording = await recordJournal(createJournal(taped, { env }), file, { gatherMs: 0 })
const shown = serviceWith()
const inspector = await statelyInspector({ journal: createJournal(shown, { env }) })
const viewer = new WebSocket(inspector.webSocketUrl)
await new Promise((resolve) => viewer.once('open', resolve))
viewer.on('message', () => {})

const written = await compare({ none: withTurns(runsOf(plain)), taped: withTurns(runsOf(taped)), shown: withTurns(runsOf(shown)) })
report({ name: 'a run with a journal that is recorded', value: written.taped / written.none, reference: 'without' })
report({ name: 'a journal that is recorded, an entry', ...anEntry(written.taped - written.none) })
report({ name: "a run in Stately's inspector with a viewer", value: written.shown / written.none, reference: 'without' })
console.log(`  entries that the recording missed: ${recording.dropped}, the viewer: ${inspector.dropped}`)

viewer.close()
await Promise.all([recording.close(), inspector.close()])
rmSync(dirname(file), { recursive: true })
process.exit()

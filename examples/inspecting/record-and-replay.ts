import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSubagentService, rootAgent } from 'xstate-subagents'
import { createJournal, readJournal, recordJournal, stateName } from 'xstate-subagents/inspect'
import { scriptedProvider } from 'xstate-subagents/testing'

const folder = await mkdtemp(join(tmpdir(), 'runs-'))
const service = createSubagentService({
  providers: [scriptedProvider([{ text: 'Three TODOs.', usage: { totalTokens: 40 } }, { stopReason: 'refusal' }])],
})

// From here on: what happens is told to whoever reads the journal.
const journal = createJournal(service)
const recording = await recordJournal(journal, join(folder, 'runs.jsonl'))

const request = { parent: rootAgent(), prompt: 'Count the TODOs' }
await service.delegate('scripted', { ...request, label: 'count' })
await service.delegate('scripted', { ...request, label: 'rank' })

// In this order, so that the recording has the end as well.
await service.close()
await recording.close()
journal.close()

const { entries, stateAt } = await readJournal(recording.file)
const { runs, actors } = stateAt()
for (const { actor, label, stopReason, usage } of runs) {
  const way = actors.get(actor)!.path.map(({ value }) => stateName(value))
  console.log(`${label}: ${stopReason}, ${usage?.totalTokens ?? 'no'} tokens`)
  console.log(`  ${way.join(' → ')}`)
}

// The state at any point: here, when the first run had ended.
const { runs: then } = stateAt(entries.findIndex(({ type }) => type === 'end') + 1)
console.log([...then].map(({ label, stopReason }) => `${label}: ${stopReason}`))
await rm(folder, { recursive: true })

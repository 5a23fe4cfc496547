/**
 * What it costs to keep sessions on disk: a whole delegation, and a child alone, each beside the same in memory; and what a
 * session adds, beside a file that is opened, written to three times and closed by hand.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { compare, report } from './measure.js'
import { delegation, read, scripts } from './shared/delegation.js'
import { parent } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'

const script = scripts(20)

function child(sessions) {
  const agents = createAgents({ model: script.child, tools: { read }, ...(sessions && { sessions }) })
  const service = createSubagentService({ providers: [spawnProvider({ agents })] })
  return () => service.delegate('spawn', { parent, prompt: 'Do the work.' })
}

/** The same in memory, and then a file for each of the two sessions, written as one would by hand. */
function byHand(directory, lines) {
  const whole = delegation(script)
  let count = 0
  return async () => {
    await whole()
    for (let session = 0; session < 2; session++) {
      const file = openSync(join(directory, `by-hand-${count++}`), 'ax', 0o600)
      for (const line of lines) writeSync(file, line)
      closeSync(file)
    }
  }
}

// Where many files were deleted within minutes, ext4 takes up to half a millisecond to make one: TMPDIR can name another place.
const directory = mkdtempSync(join(tmpdir(), 'sessions-'))
const sessions = { directory }
const kept = delegation(script, sessions)
await kept()
const first = readdirSync(directory).find((name) => name.endsWith('.jsonl'))
const text = readFileSync(join(directory, first), 'utf8')
// A turn of two steps adds to the file three times.
const third = Math.ceil(text.length / 3)
const lines = [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)]

const cost = await compare(
  {
    kept: inTurn(kept),
    inMemory: inTurn(delegation(script)),
    byHand: inTurn(byHand(directory, lines)),
    childKept: inTurn(child(sessions)),
    childInMemory: inTurn(child()),
  },
  { rounds: 101, count: 10, warmup: 200 },
)
rmSync(directory, { recursive: true })
report({ name: 'a delegation, both sessions on disk', value: cost.kept / cost.inMemory, bound: 1.15, reference: 'in memory' })
report({
  name: 'a delegation, both sessions on disk',
  value: cost.kept / cost.byHand,
  reference: 'in memory, and two files written by hand',
})
report({ name: 'what each of its two sessions adds', value: (cost.kept - cost.inMemory) / 2, unit: 'µs' })
report({ name: 'what a file written by hand adds', value: (cost.byHand - cost.inMemory) / 2, unit: 'µs' })
report({ name: 'a child alone, its session on disk', value: cost.childKept / cost.childInMemory, reference: 'in memory' })
report({ name: 'what its session adds', value: cost.childKept - cost.childInMemory, unit: 'µs' })

/**
 * What it costs to keep sessions on disk: a whole delegation, and a child alone. Beside the same in memory, beside as many files
 * written by hand, and beside the AI SDK, which keeps nothing.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { compare, report } from './measure.js'
import { byHand as aiSdk } from './shared/ai-sdk.js'
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
function withFiles(directory, parts) {
  const whole = delegation(script)
  let count = 0
  return async () => {
    await whole()
    for (let session = 0; session < 2; session++) {
      const file = openSync(join(directory, `by-hand-${count++}`), 'ax', 0o600)
      for (const part of parts) writeSync(file, part)
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
const lines = readFileSync(join(directory, first), 'utf8').split(/(?<=\n)/)
const ended = (type) => lines.findIndex((line) => line.includes(`"type":"${type}"`)) + 1
// A turn of two steps adds to the file three times.
const parts = [
  lines.slice(0, ended('user/message')),
  lines.slice(ended('user/message'), ended('tool/result')),
  lines.slice(ended('tool/result')),
].map((part) => part.join(''))

const cost = await compare(
  {
    kept: inTurn(kept),
    inMemory: inTurn(delegation(script)),
    withFiles: inTurn(withFiles(directory, parts)),
    aiSdk: inTurn(aiSdk(script)),
    childKept: inTurn(child(sessions)),
    childInMemory: inTurn(child()),
  },
  { rounds: 101, count: 10, warmup: 400 },
)
rmSync(directory, { recursive: true })
const name = 'a delegation, both sessions on disk'
report({ name, value: cost.kept / cost.inMemory, bound: 1.15, reference: 'in memory' })
report({ name, value: cost.kept / cost.withFiles, reference: 'in memory, and two files written by hand' })
report({ name, value: cost.kept / cost.aiSdk, reference: 'the AI SDK alone, which keeps nothing' })
report({ name: 'what both sessions on disk add', value: (cost.kept - cost.inMemory) / cost.aiSdk, bound: 0.15, reference: 'all of that' })
report({ name: 'a child alone, its session on disk', value: cost.childKept / cost.childInMemory, reference: 'in memory' })
report({ name: 'what a session on disk adds', value: (cost.kept - cost.inMemory) / 2, unit: 'µs', reference: 'in memory' })
report({ name: 'what a file written by hand adds', value: (cost.withFiles - cost.inMemory) / 2, unit: 'µs', reference: 'in memory' })

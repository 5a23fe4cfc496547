/**
 * What it costs to keep sessions on disk: a whole delegation, and a child alone, each beside the same in memory; and, since
 * that says little once the rest gets cheaper, the log of such a child by itself, beside a file that is opened, written to
 * three times and closed by hand.
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAgents } from '../dist/agents/index.js'
import { openSessionDirectory } from '../dist/agents/sessions/directory.js'
import { createSessionLog } from '../dist/agents/sessions/log.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { systemClock } from '../dist/run/defaults.js'
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

/** A file, written as one would by hand. */
function fileByHand(directory, parts) {
  let count = 0
  return () => {
    const file = openSync(join(directory, `by-hand-${count++}`), 'ax', 0o600)
    for (const part of parts) writeSync(file, part)
    closeSync(file)
  }
}

/** The same in memory, and then a file for each of the two sessions. */
function byHand(write) {
  const whole = delegation(script)
  return async () => {
    await whole()
    write()
    write()
  }
}

/** The log alone, filled as a turn does: `parts` are the lines of a session that were written at a time. */
function log(parts, directory) {
  const [header, ...entries] = parts.flatMap(linesOf)
  // What the log adds by itself.
  for (const value of [header, ...entries]) for (const name of ['version', 'createdAt', 'seq', 'at']) delete value[name]
  const ends = parts.map((part) => linesOf(part).length).slice(0, -1)
  const [first, second] = [ends[0] - 1, ends[0] - 1 + ends[1]]
  const kept = directory && openSessionDirectory({ directory, clock: systemClock, logger: console })
  return () => {
    const { sessionId = header.id, store } = kept?.createNew() ?? {}
    const own = createSessionLog({ header: { ...header, id: sessionId }, clock: systemClock, ...(store && { store }) })
    own.nextTurn()
    entries.forEach((entry, index) => {
      if (index === first || index === second) own.save()
      if (entry.type === 'turn/end') own.commit(entry)
      else own.append(entry)
    })
    own.close()
  }
}

const linesOf = (part) =>
  part
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

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
const write = fileByHand(directory, parts)

const cost = await compare(
  {
    kept: inTurn(kept),
    inMemory: inTurn(delegation(script)),
    byHand: inTurn(byHand(write)),
    childKept: inTurn(child(sessions)),
    childInMemory: inTurn(child()),
  },
  { rounds: 101, count: 10, warmup: 200 },
)
const alone = await compare(
  { kept: inTurn(log(parts, directory)), inMemory: inTurn(log(parts)), byHand: inTurn(write) },
  { rounds: 201, count: 20, warmup: 400 },
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
report({ name: 'what a log by itself adds, with its JSON', value: alone.kept - alone.inMemory, unit: 'µs' })
report({ name: 'a file written by hand, by itself', value: alone.byHand, unit: 'µs' })

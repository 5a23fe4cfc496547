/** A scripted child of two steps that keeps its session on disk: beside the same in memory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonSchema, tool } from 'ai'
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { scriptedModel } from '../dist/testing/index.js'
import { compare, report } from './measure.js'
import { parent } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'

const work = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'ten lines of text '.repeat(20) })

function delegation(sessions) {
  const model = scriptedModel(({ prompt }) => (prompt.at(-1).role === 'tool' ? 'It is done.' : { tools: [{ name: 'work' }] }))
  const agents = createAgents({ model, tools: { work }, ...(sessions && { sessions }) })
  const service = createSubagentService({ providers: [spawnProvider({ agents })] })
  return () => service.delegate('spawn', { parent, prompt: 'Do the work.' })
}

const directory = mkdtempSync(join(tmpdir(), 'sessions-'))
const subjects = { kept: inTurn(delegation({ directory })), inMemory: inTurn(delegation()) }
const cost = await compare(subjects, { rounds: 201, count: 10, warmup: 200 })
rmSync(directory, { recursive: true })
report({ name: 'a child of two steps with its session on disk', value: cost.kept / cost.inMemory, bound: 1.15, reference: 'in memory' })

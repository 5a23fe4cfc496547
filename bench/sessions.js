/** What it costs to keep sessions on disk: a whole delegation, and a child alone, each beside the same in memory. */
import { mkdtempSync, rmSync } from 'node:fs'
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

// A file system may be slow to make files where many were deleted within minutes, so this is a directory that is not used again.
const directory = mkdtempSync(join(tmpdir(), 'sessions-'))
const sessions = { directory }
const cost = await compare(
  {
    delegationKept: inTurn(delegation(script, sessions)),
    delegation: inTurn(delegation(script)),
    childKept: inTurn(child(sessions)),
    child: inTurn(child()),
  },
  { rounds: 101, count: 10, warmup: 200 },
)
rmSync(directory, { recursive: true })
const reference = 'in memory'
report({ name: 'a delegation, both sessions on disk', value: cost.delegationKept / cost.delegation, bound: 1.15, reference })
report({ name: 'a child alone, its session on disk', value: cost.childKept / cost.child, reference })

/**
 * One scripted delegation, parent → tool → child → result: an agent calls the subagent tool, the child calls a tool of its own
 * and answers, the agent ends its turn. Beside it the AI SDK alone, as one would write that by hand.
 */
import { createAgents } from '../dist/agents/index.js'
import { createSubagentService } from '../dist/index.js'
import { spawnProvider } from '../dist/providers/index.js'
import { subagentTool } from '../dist/tools/index.js'
import { compare, report } from './measure.js'
import { ask, byHand } from './shared/ai-sdk.js'
import { delegation, read, scripts } from './shared/delegation.js'
import { parent } from './shared/no-op.js'
import { inTurn } from './shared/repeat.js'

/** Our tool and our child under a loop of one's own, which is told of the progress. */
function toolAlone({ leader, child }) {
  const children = createAgents({ model: child, tools: { read } })
  const service = createSubagentService({ providers: [spawnProvider({ agents: children })] })
  const subagent = subagentTool({ service, provider: 'spawn', parent })
  return () => ask({ model: leader, tools: { subagent } })
}

const reference = 'the AI SDK alone'
for (const [how, pieces] of [
  ['answers of 20 deltas', 20],
  ['answers in one piece', 1],
]) {
  const script = scripts(pieces)
  const subjects = { ours: delegation(script), toolAlone: toolAlone(script), byHand: byHand(script) }
  const answers = await Promise.all(Object.values(subjects).map((once) => once()))
  if (new Set(answers).size !== 1 || answers[0] === '') throw new Error(`They do not do the same: ${JSON.stringify(answers)}`)
  const repeated = Object.fromEntries(Object.entries(subjects).map(([name, once]) => [name, inTurn(once)]))
  const cost = await compare(repeated, { rounds: 61, count: 8, warmup: 150 })
  report({ name: `a delegation, ${how}`, value: cost.ours / cost.byHand, bound: 1.25, reference })
  report({ name: `the tool in a loop of one's own, ${how}`, value: cost.toolAlone / cost.byHand, reference })
}

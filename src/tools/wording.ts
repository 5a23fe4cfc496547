/** What the model is told of a subagent: what the child can see decides how it has to be asked (T3, T14). */
import { availableAgents } from './binding.ts'
import type { Binding } from './binding.ts'
import type { BoundAgent } from './bound-agents.ts'

const purpose =
  'Delegates a task to a subagent, which works on it alone and answers once, with its final message. Several calls in one step run in parallel.'
const fresh = 'The subagent sees nothing of this conversation: its prompt has to be self-contained.'
const inheriting = 'The subagent sees the completed turns of this conversation, but not the current one.'
const nobody = 'No agent is available at the moment.'

/** The tool's description, as it stands with the providers that are registered now. */
export function toolWording(binding: Binding): string {
  const { description = purpose, hasChoice, toolName, background } = binding
  const children = hasChoice ? choiceWording(binding) : ` ${inherits(binding, binding.agents[0]!) ? inheriting : fresh}`
  const later = background
    ? `${hasChoice ? '\n\n' : ' '}With run_in_background it answers at once with a run id, and you are told when the run has ended. ${toolName}_result reads its answer or waits for it, ${toolName}_send writes to it, ${toolName}_cancel stops it, ${toolName}_list shows all of yours.`
    : ''
  return `${description}${children}${later}`
}

function choiceWording(binding: Binding): string {
  const available = availableAgents(binding)
  if (available.length === 0) return ` ${nobody}`
  const lines = available.map(
    (agent) =>
      `- ${agent.name}: ${agent.description} (${inherits(binding, agent) ? 'Sees the completed turns of this conversation, but not the current one.' : 'Sees nothing of this conversation.'})`,
  )
  return `\n\nAvailable agents, by the name that goes into agent:\n${lines.join('\n')}`
}

export function promptWording(binding: Binding): string {
  const agents = binding.hasChoice ? availableAgents(binding) : binding.agents
  const inheritors = agents.filter((agent) => inherits(binding, agent)).length
  if (inheritors === 0) return 'The task for the subagent, self-contained: everything it has to know, and what its answer has to contain.'
  if (inheritors === agents.length)
    return 'The task for the subagent. It knows the completed turns; repeat what it needs from the current one.'
  return 'The task for the subagent, with what its answer has to contain; self-contained, unless the agent sees this conversation.'
}

const inherits = ({ service }: Binding, { provider }: BoundAgent): boolean => service.getProvider(provider)?.inheritsParentContext === true

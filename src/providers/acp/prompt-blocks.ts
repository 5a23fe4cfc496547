/** Which blocks of a prompt an agent takes (A4). */
import type { ContentBlock } from '../../types.ts'
import { AcpFailure } from './failure.ts'
import type { AgentFacts } from './protocol.ts'

/** Text and links every agent takes; the rest it has to advertise. */
const needs: { readonly [Type in ContentBlock['type']]?: keyof AgentFacts['prompt'] } = {
  image: 'image',
  audio: 'audio',
  resource: 'embeddedContext',
}

/** @returns a failure that names the blocks; `undefined` where the agent takes them all */
export function refusedBlocks(prompt: readonly ContentBlock[], facts: AgentFacts, command: string): AcpFailure | undefined {
  const refused = prompt.flatMap(({ type }, index) => {
    const capability = needs[type]
    return capability !== undefined && !facts.prompt[capability]
      ? [`prompt[${index}] (${type}, wants promptCapabilities.${capability})`]
      : []
  })
  if (refused.length === 0) return undefined
  return new AcpFailure(
    'UNSUPPORTED_CAPABILITY',
    `The agent ${command} does not take ${refused.join(', ')}. Leave it out, say it in text, or use another agent.`,
  )
}

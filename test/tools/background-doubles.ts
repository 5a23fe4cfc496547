/** Runs in the background on a provider that is driven by hand, and a clock that stands still. */
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { ParentAgent } from '../../src/index.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedProviderOptions, ScriptedRunStep } from '../../src/testing/scripted-provider.ts'
import { mountSubagentTool } from '../../src/tools/index.ts'
import type { SubagentNotice, SubagentToolDefinition, SubagentToolOptions, SubagentToolResult } from '../../src/tools/index.ts'
import { collectLogger } from '../providers/collect.ts'

export const textIn = ({ content }: SubagentToolResult): string =>
  content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('')

export function background(
  options: Partial<SubagentToolOptions> = {},
  {
    step = { hang: true },
    maxConcurrentRuns,
    ...providerOptions
  }: ScriptedProviderOptions & { step?: ScriptedRunStep; maxConcurrentRuns?: number } = {},
) {
  const clock = createSimulatedClock(1000)
  const logger = collectLogger()
  const provider = scriptedProvider(typeof step === 'function' ? step : () => step, { name: 'helper', ...providerOptions })
  const service = createSubagentService({ providers: [provider], clock, logger, ...(maxConcurrentRuns && { maxConcurrentRuns }) })
  const notices: SubagentNotice[] = []
  const tools: Record<string, SubagentToolDefinition> = {}
  const parent: ParentAgent = rootAgent({ cwd: '/project' })
  const unmount = mountSubagentTool(
    {
      service,
      ...(options.agents ? {} : { provider: 'helper' }),
      parent,
      background: { onNotice: (notice) => void notices.push(notice) },
      clock,
      logger,
      ...options,
    },
    (tool) => void (tools[tool.name] = tool),
  )
  const call = async (name: string, input: object = {}, agent?: ParentAgent) => {
    const { isError, content } = await tools[name]!.execute(input, agent ? { agent } : {})
    return `${isError ? 'error: ' : ''}${textIn({ isError, content })}`
  }
  /** Starts one and gives its id. */
  const begin = async (description = 'Count', agent?: ParentAgent, more: object = {}) => {
    const answer = await call('subagent', { description, prompt: `${description}!`, run_in_background: true, ...more }, agent)
    return /run id is (\S+)\./.exec(answer)![1]!
  }
  return { clock, logger, provider, service, notices, tools, parent, call, begin, unmount }
}

/** Some turns of promises, for what has settled to be told. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

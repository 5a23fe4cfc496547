/** What is wrong with a tool's options, said when the tool is made (T1, T13, T14). */
import { SubagentError } from '../errors.ts'
import { checkOptionNames } from '../run/known-names.ts'
import { checkMs, checkParent, invalid } from '../run/request.ts'
import { jsonSchemaOf } from '../run/schema.ts'
import type { ToolFilter } from '../types.ts'
import { boundAgents } from './bound-agents.ts'
import type { BoundAgent } from './bound-agents.ts'
import { leastMaxOutputBytes } from './options.ts'
import type { SubagentToolOptions } from './options.ts'

/**
 * @throws SubagentError INVALID_REQUEST naming the option; UNSUPPORTED_CAPABILITY where a provider that is registered cannot
 * honour what is configured; with `maxDepth` also NO_PROVIDER
 */
export function checkOptions(options: SubagentToolOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object with service and provider', options)
  checkOptionNames(options, optionNames, 'A subagent tool')
  const { service, toolName, description, parent, maxOutputBytes } = options
  if (typeof service?.start !== 'function' || typeof service.getProvider !== 'function' || typeof service.on !== 'function')
    throw invalid('service', 'what createSubagentService() gives', service)
  checkChildren(options)
  checkText('toolName', toolName)
  if (toolName !== undefined && !/^[a-zA-Z0-9_-]{1,64}$/.test(toolName))
    throw invalid('toolName', 'of 1 to 64 letters, digits, _ and -, which is what model APIs take', toolName)
  checkText('description', description)
  if (parent !== undefined) checkParent(parent)
  if (maxOutputBytes !== undefined && (!Number.isSafeInteger(maxOutputBytes) || maxOutputBytes < leastMaxOutputBytes))
    throw invalid('maxOutputBytes', `a whole number from ${leastMaxOutputBytes}`, maxOutputBytes)
  checkConfigured(options)
  checkBackground(options)
  checkProgress(options)
  checkCapabilities(options)
}

const optionNames = Object.keys({
  service: true,
  provider: true,
  agents: true,
  toolName: true,
  description: true,
  maxDepth: true,
  parent: true,
  maxOutputBytes: true,
  background: true,
  progress: true,
  clock: true,
  logger: true,
  agentOptions: true,
  outputSchema: true,
  toolFilter: true,
  persona: true,
  timeoutMs: true,
  cancelGraceMs: true,
  releaseGraceMs: true,
} satisfies Record<keyof SubagentToolOptions, true>)

/** What is configured of each request would fail every call. */
function checkConfigured({ toolFilter, persona, agentOptions, outputSchema, ...limits }: SubagentToolOptions): void {
  if (toolFilter !== undefined && !isToolFilter(toolFilter))
    throw invalid('toolFilter', 'an object with allow or deny, arrays of tool names', toolFilter)
  if (persona !== undefined && typeof persona !== 'string') throw invalid('persona', "a string ('' for no system prompt)", persona)
  if (agentOptions !== undefined && (typeof agentOptions !== 'object' || agentOptions === null))
    throw invalid('agentOptions', 'an object', agentOptions)
  if (outputSchema !== undefined) jsonSchemaOf(outputSchema)
  if (limits.timeoutMs !== undefined) checkMs('timeoutMs', limits.timeoutMs, 1)
  if (limits.cancelGraceMs !== undefined) checkMs('cancelGraceMs', limits.cancelGraceMs, 0)
  if (limits.releaseGraceMs !== undefined) checkMs('releaseGraceMs', limits.releaseGraceMs, 0)
}

function checkChildren({ provider, agents }: SubagentToolOptions): void {
  if (agents === undefined) {
    if (typeof provider !== 'string' || provider === '') throw invalid('provider', 'the name of a provider', provider)
    return
  }
  if (provider !== undefined)
    throw new SubagentError('INVALID_REQUEST', 'A tool takes either provider or agents, and was given both. Leave one of them out.')
  if (!Array.isArray(agents) || agents.length === 0) throw invalid('agents', 'a non-empty array of { name, provider, description }', agents)
  const seen = new Map<string, number>()
  for (const [index, agent] of agents.entries()) {
    const field = `agents[${index}]`
    if (typeof agent !== 'object' || agent === null) throw invalid(field, 'an object with name, provider and description', agent)
    if (typeof agent.name !== 'string' || agent.name.trim() === '') throw invalid(`${field}.name`, 'a non-empty string', agent.name)
    const entry = `${field} (${JSON.stringify(agent.name)})`
    const earlier = seen.get(agent.name)
    if (earlier !== undefined)
      throw new SubagentError(
        'INVALID_REQUEST',
        `agents[${earlier}] and agents[${index}] are both named ${JSON.stringify(agent.name)}: the model could not tell them apart. Rename one.`,
      )
    seen.set(agent.name, index)
    if (typeof agent.provider !== 'string' || agent.provider === '')
      throw invalid(`${entry}.provider`, 'the name of a provider', agent.provider)
    if (typeof agent.description !== 'string' || agent.description.trim() === '')
      throw invalid(`${entry}.description`, 'a non-empty string, by which the model chooses', agent.description)
    if (agent.persona !== undefined && typeof agent.persona !== 'string')
      throw invalid(`${entry}.persona`, "a string ('' for no system prompt)", agent.persona)
    const { toolFilter, model } = agent
    if (toolFilter !== undefined && !isToolFilter(toolFilter))
      throw invalid(`${entry}.toolFilter`, 'an object with allow or deny, arrays of tool names', toolFilter)
    if (model !== undefined && (typeof model === 'string' ? model === '' : typeof model !== 'object' || model === null))
      throw invalid(`${entry}.model`, 'a model id or a model object', model)
  }
}

function isToolFilter(filter: unknown): boolean {
  if (typeof filter !== 'object' || filter === null) return false
  const lists = [(filter as ToolFilter).allow, (filter as ToolFilter).deny].filter((list) => list !== undefined)
  return lists.length > 0 && lists.every((list) => Array.isArray(list) && list.every((name) => typeof name === 'string'))
}

function checkText(field: string, value: unknown): void {
  if (value !== undefined && (typeof value !== 'string' || value === '')) throw invalid(field, 'a non-empty string', value)
}

function checkBackground({ background }: SubagentToolOptions): void {
  if (background === undefined || typeof background === 'boolean') return
  if (typeof background !== 'object' || background === null) throw invalid('background', 'true, false or an object', background)
  const { keepEnded, maxWaitMs, onNotice } = background
  if (keepEnded !== undefined && (!Number.isSafeInteger(keepEnded) || keepEnded < 1))
    throw invalid('background.keepEnded', 'a whole number from 1', keepEnded)
  if (maxWaitMs !== undefined) checkMs('background.maxWaitMs', maxWaitMs, 1)
  if (onNotice !== undefined && typeof onNotice !== 'function') throw invalid('background.onNotice', 'a function', onNotice)
}

function checkProgress({ progress }: SubagentToolOptions): void {
  if (progress === undefined || typeof progress === 'boolean') return
  if (typeof progress !== 'object' || progress === null) throw invalid('progress', 'true, false or an object', progress)
  if (progress.intervalMs !== undefined) checkMs('progress.intervalMs', progress.intervalMs, 1)
}

const asks = [
  ['outputSchema', 'outputSchema'],
  ['toolFilter', 'toolFilter'],
  ['persona', 'persona'],
] as const

/** What a provider cannot honour would fail every call; one that is not registered yet is asked by the start of each. */
function checkCapabilities(options: SubagentToolOptions): void {
  const { service, maxDepth } = options
  if (maxDepth !== undefined && (!Number.isSafeInteger(maxDepth) || maxDepth < 0 || Object.is(maxDepth, -0)))
    throw invalid('maxDepth', 'a whole number from 0', maxDepth)
  for (const agent of boundAgents(options)) {
    const name = JSON.stringify(agent.provider)
    const registered = service.getProvider(agent.provider)
    if (maxDepth !== undefined && !registered)
      throw new SubagentError(
        'NO_PROVIDER',
        `The tool asks for maxDepth, and no provider is named ${name}${whose(agent)} that could be asked whether it honours one. Register it before the tool is made, or leave maxDepth out.`,
      )
    if (maxDepth !== undefined && !registered!.capabilities.depthLimit)
      throw new SubagentError(
        'UNSUPPORTED_CAPABILITY',
        `Provider ${name}${whose(agent)} cannot honour maxDepth (its capability depthLimit is false): its children manage their own depth. Leave maxDepth out.`,
      )
    if (!registered) continue
    for (const [field, capability] of asks)
      if (agent.request[field] !== undefined && !registered.capabilities[capability])
        throw new SubagentError(
          'UNSUPPORTED_CAPABILITY',
          `Provider ${name}${whose(agent)} cannot honour ${field} (its capability ${capability} is false). Leave ${field} out, or use another provider.`,
        )
  }
}

const whose = ({ name }: BoundAgent): string => (name === undefined ? '' : ` of agent ${JSON.stringify(name)}`)

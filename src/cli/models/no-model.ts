/** What `run` says where no model was named: what was found, and the command for each. Nothing is used unasked. Contract: C3. */
import { shellQuote } from '../shell-quote.ts'
import type { TaskFlags } from '../task-options.ts'
import type { FoundAgent } from './found/agents-on-path.ts'
import type { FoundServer } from './found/local-servers.ts'
import { keyIn, vendors, type Environment } from './vendors.ts'

/** What there is on this machine that could do a task. */
export interface Found {
  /** How this program is started. */
  readonly program: string
  readonly env: Environment
  readonly servers: readonly FoundServer[]
  readonly agents: readonly FoundAgent[]
}

/** Of a server with more than these, the rest is counted. */
const mostModels = 5

export function explainNoModel(task: string, flags: TaskFlags, { program, env, servers, agents }: Found): string {
  const rest = [
    ...(flags.cwd === undefined ? [] : ['--cwd', shellQuote(flags.cwd)]),
    ...(flags.via === undefined ? [] : ['--via', shellQuote(flags.via)]),
    ...(flags.agents === undefined ? [] : ['--agents', shellQuote(flags.agents)]),
    ...(flags.hooks === undefined ? [] : ['--hooks', shellQuote(flags.hooks)]),
    ...(flags.maxDepth === undefined ? [] : ['--max-depth', flags.maxDepth]),
    ...(flags.timeout === undefined ? [] : ['--timeout', flags.timeout]),
    ...(flags.json ? ['--json'] : []),
  ]
  const command = (model: string, baseUrl?: string) =>
    [
      `${program} run`,
      shellQuote(task),
      '--model',
      shellQuote(model),
      ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
      ...rest,
    ].join(' ')

  // Its model and its children are its own.
  const agentRest = [
    ...(flags.cwd === undefined ? [] : ['--cwd', shellQuote(flags.cwd)]),
    ...(flags.timeout === undefined ? [] : ['--timeout', flags.timeout]),
    ...(flags.json ? ['--json'] : []),
  ]
  const agentCommand = (name: string) => [`${program} run`, shellQuote(task), '--via', name, ...agentRest].join(' ')

  const keys = vendors.filter(({ keyVariable }) => keyIn(env, keyVariable) !== undefined)
  const found = [
    ...keys.flatMap(({ name, keyVariable, defaultModel }) => [
      `  ${keyVariable} in the environment`,
      `    ${command(`${name}/${defaultModel}`)}`,
    ]),
    ...servers.flatMap((server) => [
      `  ${server.name} at ${server.baseUrl}${modelCount(server)}`,
      ...server.models.slice(0, mostModels).map((model) => `    ${command(`${server.vendor}/${model}`, server.baseUrl)}`),
    ]),
    ...agents.flatMap(({ name, path, needs }) => [
      `  ${name}, an agent with a login of its own, at ${path}`,
      needs === undefined ? `    ${agentCommand(name)}` : `    Not usable from here: that needs ${needs}.`,
    ]),
  ]
  const usable = keys.length > 0 || agents.some(({ needs }) => needs === undefined) || servers.some(({ models }) => models.length > 0)
  return [
    ...(found.length > 0
      ? ['No model was named, and nothing is used unasked. Found:', ...found, '']
      : [
          `No model was named, and nothing was found: no key (${vendors.map(({ keyVariable }) => keyVariable).join(', ')}), no server of models on this machine.`,
          '',
        ]),
    usable ? 'Further ways:' : 'To get going:',
    ...(keys.length > 0
      ? []
      : [
          '  with a key, for example:',
          ...vendors.map(({ name, keyVariable, defaultModel }) => `    ${keyVariable}=… ${command(`${name}/${defaultModel}`)}`),
        ]),
    "  on a server that speaks OpenAI's protocol (Ollama, llama.cpp and others):",
    `    ${command('local/ID', 'http://127.0.0.1:11434/v1')}`,
    '  without any model, a script that only finds TODOs:',
    `    ${command('scripted')}`,
    `    ${program} demo`,
  ].join('\n')
}

function modelCount({ models }: FoundServer): string {
  if (models.length === 0) return ', which has no model yet'
  return models.length > mostModels ? `, ${mostModels} of its ${models.length} models` : ''
}

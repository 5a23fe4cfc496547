/** What `run` says where no model was named: what was found, and the command for each. Nothing is used unasked. Contract: C3. */
import { shellQuote } from '../shell-quote.ts'
import type { TaskFlags } from '../task-options.ts'
import { keyIn, vendors, type Environment } from './vendors.ts'

export function explainNoModel(task: string, flags: TaskFlags, env: Environment): string {
  const rest = [
    ...(flags.cwd === undefined ? [] : ['--cwd', shellQuote(flags.cwd)]),
    ...(flags.maxDepth === undefined ? [] : ['--max-depth', flags.maxDepth]),
    ...(flags.timeout === undefined ? [] : ['--timeout', flags.timeout]),
    ...(flags.json ? ['--json'] : []),
  ]
  const command = (model: string) => ['subagents run', shellQuote(task), '--model', model, ...rest].join(' ')
  const found = vendors.filter(({ keyVariable }) => keyIn(env, keyVariable) !== undefined)
  const keys =
    found.length > 0
      ? [
          'No model was named, and a found key is not used unasked. Found in the environment:',
          ...found.flatMap(({ name, keyVariable, defaultModel }) => [`  ${keyVariable}`, `    ${command(`${name}/${defaultModel}`)}`]),
          '',
          'Further ways:',
        ]
      : [
          `No model was named, and none of ${vendors.map(({ keyVariable }) => keyVariable).join(', ')} is set.`,
          '',
          'To get going:',
          '  with a key, for example:',
          ...vendors.map(({ name, keyVariable, defaultModel }) => `    ${keyVariable}=… ${command(`${name}/${defaultModel}`)}`),
        ]
  return [
    ...keys,
    "  on a server that speaks OpenAI's protocol (Ollama, llama.cpp and others):",
    `    ${command('local/ID')} --base-url http://127.0.0.1:11434/v1`,
    '  without any model, a script that only finds TODOs:',
    `    ${command('scripted')}`,
    '    subagents demo',
  ].join('\n')
}

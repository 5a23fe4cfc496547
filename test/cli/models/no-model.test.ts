import { describe, expect, it } from 'vitest'
import { explainNoModel, type Found } from '../../../src/cli/models/no-model.ts'
import type { TaskFlags } from '../../../src/cli/task-options.ts'

const explain = (task: string, found: Partial<Found>, flags: TaskFlags = {}) =>
  explainNoModel(task, flags, { program: 'subagents', env: {}, servers: [], agents: [], ...found })
const ollama = { name: 'Ollama', vendor: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' }

describe('run without a model', () => {
  it('C3: lists the keys it found, by name and in the order of precedence, with the command for each', () => {
    const env = { ANTHROPIC_API_KEY: 'sk-secret-a', DEEPSEEK_API_KEY: 'sk-secret-d', OPENAI_API_KEY: ' ' }
    const text = explain('Find "all" TODOs', { env }, { cwd: 'my src', via: 'spawn', timeout: '2m', maxDepth: '1', json: true })
    const rest = '--cwd "my src" --via spawn --max-depth 1 --timeout 2m --json'
    expect(text.split('\n').slice(0, 7)).toEqual([
      'No model was named, and nothing is used unasked. Found:',
      '  DEEPSEEK_API_KEY in the environment',
      `    subagents run 'Find "all" TODOs' --model deepseek/deepseek-flash ${rest}`,
      '  ANTHROPIC_API_KEY in the environment',
      `    subagents run 'Find "all" TODOs' --model anthropic/claude-sonnet-5-5 ${rest}`,
      '',
      'Further ways:',
    ])
    expect(text).not.toMatch(/secret|OPENAI_API_KEY/)
    expect(text).toContain('subagents demo')
  })

  it('C3: lists servers on this machine, with a command for each model', () => {
    expect(
      explain('x', { servers: [{ ...ollama, models: ['qwen3:4b', "it's"] }] })
        .split('\n')
        .slice(0, 6),
    ).toEqual([
      'No model was named, and nothing is used unasked. Found:',
      '  Ollama at http://127.0.0.1:11434/v1',
      '    subagents run x --model ollama/qwen3:4b --base-url http://127.0.0.1:11434/v1',
      `    subagents run x --model "ollama/it's" --base-url http://127.0.0.1:11434/v1`,
      '',
      'Further ways:',
    ])
    const many = explain('x', { servers: [{ ...ollama, models: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }] })
    expect(many).toContain('Ollama at http://127.0.0.1:11434/v1, 5 of its 7 models\n')
    expect(many.match(/--model ollama/g)).toHaveLength(5)
    const none = explain('x', { servers: [{ ...ollama, models: [] }] })
    expect(none).toContain('  Ollama at http://127.0.0.1:11434/v1, which has no model yet\n\nTo get going:\n')
  })

  it('C3: lists agents on PATH, and says that run cannot use them', () => {
    expect(
      explain('x', {
        agents: [
          { name: 'claude', path: '/opt/bin/claude' },
          { name: 'codex', path: '/usr/bin/codex' },
        ],
      })
        .split('\n')
        .slice(0, 6),
    ).toEqual([
      'No model was named, and nothing is used unasked. Found:',
      '  claude, an agent with a login of its own, at /opt/bin/claude',
      '  codex, an agent with a login of its own, at /usr/bin/codex',
      '    run has no way to use such an agent: --via knows spawn, fork.',
      '',
      'To get going:',
    ])
  })

  it('C3: proposes commands that start the program as it can be started', () => {
    const commands = explain('x', { program: 'npx subagents' })
      .split('\n')
      .filter((line) => line.includes('subagents'))
    expect(commands.filter((line) => !/^ {4}(\w+_API_KEY=… )?npx subagents (run x|demo)/.test(line))).toEqual([])
    expect(commands).toHaveLength(6)
  })

  it('C3: with nothing found says how to get going', () => {
    const text = explain('x', {})
    expect(text).toMatch(
      /^No model was named, and nothing was found: no key \(DEEPSEEK_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY\), no server/,
    )
    expect(text).toContain('    OPENAI_API_KEY=… subagents run x --model openai/gpt-5.6\n')
    expect(text).toContain('    subagents run x --model local/ID --base-url http://127.0.0.1:11434/v1\n')
    expect(text).toContain('    subagents run x --model scripted\n    subagents demo')
  })
})

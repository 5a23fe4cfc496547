import { describe, expect, it } from 'vitest'
import { explainNoModel } from '../../../src/cli/models/no-model.ts'

describe('run without a model', () => {
  it('C3: lists the keys it found, by name and in the order of precedence, with the command for each', () => {
    const text = explainNoModel('Find "all" TODOs', { cwd: 'my src', timeout: '2m' }, { ANTHROPIC_API_KEY: 'sk-secret-a', DEEPSEEK_API_KEY: 'sk-secret-d', OPENAI_API_KEY: ' ' })
    expect(text.split('\n').slice(0, 5)).toEqual([
      'No model was named, and a found key is not used unasked. Found in the environment:',
      '  DEEPSEEK_API_KEY',
      `    subagents run 'Find "all" TODOs' --model deepseek/deepseek-flash --cwd "my src" --timeout 2m`,
      '  ANTHROPIC_API_KEY',
      `    subagents run 'Find "all" TODOs' --model anthropic/claude-sonnet-5-5 --cwd "my src" --timeout 2m`,
    ])
    expect(text).not.toMatch(/secret|OPENAI_API_KEY/)
    expect(text).toContain('subagents demo')
  })

  it('C3: with nothing found says how to get going', () => {
    const text = explainNoModel('x', {}, {})
    expect(text).toContain('none of DEEPSEEK_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY is set')
    expect(text).toContain('    OPENAI_API_KEY=… subagents run x --model openai/gpt-5.6\n')
    expect(text).toContain('    subagents run x --model local/ID --base-url http://127.0.0.1:11434/v1\n')
    expect(text).toContain('    subagents run x --model scripted\n    subagents demo')
  })
})

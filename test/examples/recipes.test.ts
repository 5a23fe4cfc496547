import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readProjectFile, root } from '../project/source-files.ts'

const recipes = readdirSync(`${root}/examples/recipes`).filter((name) => existsSync(`${root}/examples/recipes/${name}/package.json`))

describe('the recipes, which npm run recipes installs and runs', () => {
  it('P16: are those of LangGraph, the OpenAI Agents SDK and the Claude Agent SDK', () => {
    expect(recipes.toSorted()).toEqual(['claude-agent-sdk', 'langgraph', 'openai-agents'])
  })

  it.each(recipes)('P16: %s has at most 40 lines, pinned versions, and a check', (name) => {
    const read = (file: string): string => readProjectFile(`examples/recipes/${name}/${file}`)
    expect(read('provider.js').trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    const { dependencies, scripts } = JSON.parse(read('package.json')) as Record<'dependencies' | 'scripts', Record<string, string>>
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> }
    const { 'xstate-subagents': own, ...others } = dependencies
    expect(own).toBe('file:../../..')
    expect(Object.entries(others).map(([dependency]) => [dependency, packages[`node_modules/${dependency}`]?.version])).toEqual(
      Object.entries(others),
    )
    expect(scripts['check']).toBe('node check.js')
    expect(read('check.js')).toContain('await checkRecipe({')
  })
})

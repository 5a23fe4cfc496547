import { describe, expect, it } from 'vitest'
import { createAgents } from '../../../src/agents/index.ts'
import { scriptedTodoModel } from '../../../src/cli/scripted/scripted-todo-model.ts'
import { demoTask } from '../../../src/cli/scripted/todo-task.ts'
import { openWorkspace } from '../../../src/cli/workspace/workspace.ts'
import { workspaceTools } from '../../../src/cli/workspace/workspace-tools.ts'
import { createSubagentService, rootAgent } from '../../../src/index.ts'
import { spawnProvider } from '../../../src/providers/index.ts'
import { subagentTool } from '../../../src/tools/index.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

/** The demo's own loop; `change` may alter what search_files gives. */
const answer = async (
  folder: string,
  change: (result: { matches: { text: string; line: number; path: string }[]; total: number }) => unknown,
): Promise<string> => {
  const tools = workspaceTools(await openWorkspace(folder))
  const search = tools['search_files']!
  tools['search_files'] = {
    ...search,
    execute: async (input: never, options: never) => change((await search.execute!(input, options)) as never),
  } as never
  const agents = createAgents({ model: scriptedTodoModel(), tools: () => tools })
  await using service = createSubagentService({ providers: [spawnProvider({ agents })] })
  tools['subagent'] = subagentTool({ service, provider: 'spawn' })
  const { output, stopReason } = await service.delegate('spawn', { parent: rootAgent({ cwd: folder }), prompt: demoTask })
  expect(stopReason).toBe('completed')
  return output.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

describe('the scripted model in the loop of a real one', () => {
  it('C2: one changed tool result changes the figures, the places and the words of the answer', async () => {
    const folder = await temporaryFolder({ 'a/x.js': '// TODO: one', 'b/y.js': '\n// FIXME: two' })
    expect(await answer(folder, (result) => result)).toBe(
      [
        'Found 2 TODOs in 2 of 2 files searched: 1 FIXME, 1 TODO.',
        '',
        'By file:',
        '    1  a/x.js',
        '    1  b/y.js',
        '',
        'Ranked, FIXME first, then by how many the file has:',
        '   1. b/y.js:2 FIXME two',
        '   2. a/x.js:1 TODO one',
      ].join('\n'),
    )
    const changed = await answer(folder, (result) =>
      result.matches[0]?.path === 'b/y.js'
        ? { matches: [{ path: 'b/elsewhere.js', line: 4711, text: '# TODO: three' }], total: 9, filesWithMatches: 5, filesSearched: 70 }
        : result,
    )
    expect(changed).toBe(
      [
        'Found 10 TODOs in 6 of 71 files searched: 0 FIXME, 2 TODO.',
        '',
        'By file:',
        '    1  a/x.js',
        '    1  b/elsewhere.js',
        '',
        'Ranked, FIXME first, then by how many the file has:',
        '   1. a/x.js:1 TODO one',
        '   2. b/elsewhere.js:4711 TODO three',
        '',
        'Not covered:',
        '  - Of 10 TODOs only 2 were shown to the parent; the lists above have only those.',
      ].join('\n'),
    )
  })
})

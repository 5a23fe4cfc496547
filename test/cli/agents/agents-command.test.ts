import { describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { fakeIo } from '../fake-io.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

const agents = async (...argv: string[]) => {
  const io = fakeIo(['agents', ...argv])
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}

describe('subagents agents', () => {
  it('C3, T14: prints each agent with the tools that it would have, and what was left out on stderr', async () => {
    const { code, out, err } = await agents('test/definitions/fixtures/agents')
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => !line.startsWith('  ') || line.startsWith('  tools'))).toEqual([
      'code-reviewer',
      '  tools: list_files, read_file, search_files; starts no agents of its own',
      'Docs Writer',
      '  tools: read_file, search_files; starts no agents of its own',
      'release-notes',
      '  tools: read_file; starts no agents of its own',
      'dependency-auditor',
      '  tools: read_file, search_files; starts no agents of its own',
      'test-runner',
      '  tools: list_files, read_file, search_files; starts no agents of its own',
      '',
    ])
    const lines = err.trimEnd().split('\n')
    expect(lines[1]).toBe(
      'warning: test/definitions/fixtures/agents/code-reviewer.md:4: Bash: not offered here, left out. Offered: list_files, read_file, search_files, subagent.',
    )
    expect(lines.at(-1)).toBe('5 agents. The command has the tools list_files, read_file, search_files, subagent.')
  })

  it('C7: more than a folder is refused without a word about tasks', async () => {
    const { code, err } = await agents('a', 'b')
    expect(code).toBe(2)
    expect(err).toContain("too many arguments for 'agents'")
    expect(err).toContain('Add --help to see what can be given')
    expect(err).not.toContain('task')
  })

  it('C7: one without a list of tools has all of them; what a file has in it moves no cursor', async () => {
    const folder = await temporaryFolder({ 'a.md': '---\nname: a\ndescription: "red\\e[31m text"\n---\nYou work.' })
    expect(await agents(`${folder}/`)).toEqual({
      code: 0,
      out: 'a\n  red text\n  tools: list_files, read_file, search_files, subagent\n',
      err: '1 agent. The command has the tools list_files, read_file, search_files, subagent.\n',
    })
  })

  it('C3, T14: says of a model that a run may have or not on which that depends, and of any other that it is left out', async () => {
    const folder = await temporaryFolder({
      'a.md': '---\nname: a\ndescription: A.\nmodel: opus\n---\nYou work.',
      'b.md': '---\nname: b\ndescription: B.\nmodel: gpt-5\n---\nYou work.',
      'c.md': '---\nname: c\ndescription: C.\nmodel: inherit\n---\nYou work.',
    })
    const { code, out, err } = await agents(folder)
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => !line.startsWith('  tools'))).toEqual([
      'a',
      '  A.',
      '  model: opus, in a run with a model of anthropic',
      'b',
      '  B.',
      'c',
      '  C.',
      '',
    ])
    expect(err.match(/^warning: .*$/gm)).toEqual([
      `warning: ${folder}/b.md:4: there is no model gpt-5 here, so the agent has the model of the agent that starts it.`,
    ])
  })

  it('C6: a folder that cannot be used exits 2 with all that is wrong', async () => {
    const { code, out, err } = await agents('test/definitions/fixtures/broken')
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('The agent definitions in test/definitions/fixtures/broken cannot be used, for 6 reasons:\n')
    expect(err.match(/^ {2}test\/definitions\/fixtures\/broken\/\S+\.md:\d+: /gm)).toHaveLength(6)
    expect(await agents('nowhere')).toEqual({ code: 2, out: '', err: 'The folder of agent definitions does not exist: nowhere\n' })
    expect(await agents(' ')).toMatchObject({ code: 2, err: expect.stringContaining('agents: the folder is empty.') })
    expect(await agents('test/cli')).toMatchObject({ code: 2, err: expect.stringContaining('There is no agent definition in test/cli: ') })
  })
})

import { beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { processesWith } from '../../processes/system.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

// The example agent takes model and tools from the build.
beforeAll(buildProgram, 120_000)

const example = 'node examples/acp-agent/main.js'

/** An agent that tells which settings it was given, and what is in them. */
const tells = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const { FIRST_SETTING, SECOND_SETTING } = process.env
const names = Object.keys(process.env).filter((name) => name.endsWith('_SETTING')).sort()
const text = \`It has \${names.join(', ')}: \${FIRST_SETTING} and \${SECOND_SETTING}.\`
const answers = {
  initialize: () => ({ protocolVersion: 1 }),
  'session/new': () => ({ sessionId: 's' }),
  'session/prompt': () => {
    send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } })
    return { stopReason: 'end_turn' }
  },
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (answers[method]) send({ id, result: answers[method]() })
})`

const cli = async (argv: readonly string[]) => {
  const io = fakeIo(argv)
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}

describe('a task for an agent that is a program', { timeout: 60_000 }, () => {
  it("C3, A1: does the demo's task through a child process, says first which command is run, and leaves nothing running", async () => {
    const { ended } = startProgram(['demo', '--via', 'acp', '--command', example], { env: { LC_TEST: 'run-agent-demo' } })
    const { code, out, err } = await ended
    expect(code).toBe(0)
    expect(out.trim()).toMatch(/^Found 12 TODOs in 10 of 16 files searched: 5 FIXME, 7 TODO\./)
    expect(err.split('\n')[0]).toMatch(
      /^Agent: node \S+\/examples\/acp-agent\/main\.js, in \S+\/examples\/sample-project\. It has a model, tools and a login of its own; what it asks to be allowed is asked here\.$/,
    )
    expect(processesWith('LC_TEST=run-agent-demo')).toEqual([])
  })

  it('C3, C5: with --json events and the result are lines of stdout, the agent is named in the place of a model', async () => {
    const { code, out } = await cli(['demo', '--via', 'acp', '--command', example, '--json'])
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; model?: string; stopReason?: string })
    expect(code).toBe(0)
    expect(lines.at(-1)).toMatchObject({ type: 'result', model: 'acp', stopReason: 'completed' })
    expect(new Set(lines.map(({ type }) => type))).toEqual(
      new Set(['subagent/provider-added', 'subagent/start', 'subagent/update', 'subagent/end', 'result']),
    )
  })

  it('A13: without a terminal what the agent asks is rejected, and said; --permission allow allows it', async () => {
    const ask = await cli(['demo', '--via', 'acp', '--command', `${example} --ask-for list_files`])
    expect(ask.err).toContain('warning: acp asks for a permission: list_files {')
    expect(ask.err).toContain('Rejected, since there is no terminal to ask at; --permission allow allows what is asked.')
    expect(ask.out).not.toContain('Found 12 TODOs')
    const allowed = await cli(['demo', '--via', 'acp', '--command', `${example} --ask-for list_files`, '--permission', 'allow'])
    expect(allowed).toMatchObject({ code: 0, out: expect.stringContaining('Found 12 TODOs') as string })
  })

  it('C6: Ctrl-C cancels the agent and leaves nothing running', async () => {
    const { ended, shows, signal } = startProgram(
      ['demo', '--via', 'acp', '--command', 'node test/fixtures/processes/ignores-sigterm.js'],
      { env: { LC_TEST: 'run-agent-interrupted' } },
    )
    await shows('start  ')
    signal('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
    expect(processesWith('LC_TEST=run-agent-interrupted')).toEqual([])
  })

  it('C3, A21: --env passes a variable on by its name, whose value is not printed, also where the agent says it', async () => {
    const folder = await temporaryFolder({ 'tells.js': tells })
    const env = { FIRST_SETTING: 'the first value, of some length', SECOND_SETTING: 'the second value, of some length', OTHER_SETTING: 'x' }
    const argv = ['run', 'x', '--via', 'acp', '--command', `node ${folder}/tells.js`, '--env', 'FIRST_SETTING', '--env', 'SECOND_SETTING']
    const io = fakeIo(argv, { env })
    expect(await runCli(io)).toBe(0)
    expect(io.out().trim()).toBe('It has FIRST_SETTING, SECOND_SETTING: [redacted] and [redacted].')
    expect(io.out() + io.err()).not.toMatch(/of some length/)
  })

  it('C3, C7: what does not go together exits 2 and says what to do', async () => {
    const run = async (...argv: string[]) => {
      const { code, out, err } = await cli(['run', 'x', ...argv])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      return err
    }
    expect(await run('--via', 'acp')).toMatch(/^--via acp needs the program that speaks ACP: --command "opencode acp"\n/)
    expect(await run('--command', 'opencode acp')).toBe(
      '--command: that is for an agent that is a program of its own: --via acp --command "opencode acp"\n',
    )
    expect(await run('--permission', 'allow', '--model', 'scripted')).toMatch(/^--permission: that is for an agent/)
    expect(await run('--env', 'KEY')).toMatch(/^--env: that is for an agent/)
    expect(await run('--via', 'gemini', '--env', 'KEY=secret')).toBe(
      '--env KEY=…: give the name alone, --env KEY; the value is the one that the variable has here.\n',
    )
    expect(await run('--via', 'gemini', '--env', '')).toMatch(/^--env "": that is no name of a variable\./)
    expect(await run('--via', 'gemini', '--env', 'NOT_SET_HERE')).toBe(
      '--env NOT_SET_HERE: there is no such variable here. Set it, or leave it out.\n',
    )
    expect(await run('--via', 'gemini', '--max-depth', '2')).toBe(
      '--max-depth: --via gemini runs an agent that has its own. Leave it out, or take --via spawn or fork.\n',
    )
    expect(await run('--via', 'gemini', '--permission', 'alow')).toBe('--permission "alow": there is no such choice. Did you mean allow?\n')
    expect(await run('--via', 'gemini', '--cwd', '/nowhere/at/all')).toBe(
      '--cwd: /nowhere/at/all does not exist. Give a folder that does.\n',
    )
  })

  it('C3: an agent that is not there, or speaks something else, is an outcome with a hint', async () => {
    const missing = await cli(['run', 'x', '--via', 'acp', '--command', 'no-such-agent acp'])
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toMatch(/Not completed \(error\): .*no-such-agent/)
    expect(missing.err).toContain('See what is there: subagents doctor --command "…"\n')
    const folder = await temporaryFolder({ 'other.js': 'process.exit(3)' })
    const other = await cli(['run', 'x', '--via', 'gemini', '--command', `node ${folder}/other.js`])
    expect(other.err).toMatch(/Not completed \(error\): The agent node \S+other\.js ended with exit code 3\./)
    expect(other.err).toContain('See what is there: subagents doctor gemini\n')
  })
})

import { chmod } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { processesWith } from '../../processes/system.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

beforeAll(buildProgram, 120_000)

const agent = (answers: object, more = ''): string => `#!${process.execPath}
const answers = ${JSON.stringify(answers)}
${more}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (answers[method]) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answers[method] }) + '\\n')
}).on('close', () => process.exit(0))
`
const greets = (more: object = {}) => ({ result: { protocolVersion: 1, agentInfo: { name: 'planted', version: '1.2' }, ...more } })
const opens = { result: { sessionId: 's' } }
const http = { agentCapabilities: { mcpCapabilities: { http: true } } }

/** A folder of programs, each of the name of an agent that is known. */
async function programs(files: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder(files)
  for (const name of Object.keys(files)) await chmod(join(folder, name), 0o755)
  return folder
}

async function doctor(argv: readonly string[], folder: string) {
  const PATH = [folder, dirname(process.execPath)].join(delimiter)
  const io = fakeIo(['doctor', ...argv], { env: { PATH } })
  const before = process.env['PATH']
  process.env['PATH'] = PATH
  try {
    const code = await runCli(io)
    return { code, out: io.out(), err: io.err() }
  } finally {
    process.env['PATH'] = before
  }
}

describe('subagents doctor', { timeout: 60_000 }, () => {
  it('C3, A7, A8: a table of the agents that are known: installed, starts, protocol, login, MCP, version, last driven', async () => {
    const folder = await programs({
      'claude-agent-acp': agent({ initialize: greets(http), 'session/new': opens }),
      codex: '',
      gemini: agent({
        initialize: greets({ authMethods: [{ id: 'oauth', name: 'Log in' }] }),
        'session/new': { error: { code: -32000, message: 'Authentication required' } },
      }),
      goose: agent({ initialize: { result: { protocolVersion: 2 } } }),
      qwen: agent({}, 'console.error("no such option"); process.exit(3)'),
    })
    const { code, out } = await doctor([], folder)
    const [table = '', ...problems] = out.split('\n\n')
    expect(table.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'agent | installed | starts | protocol 1 | login | MCP over | version | last driven',
      expect.stringMatching(/^claude \| yes \| yes \| yes \| not wanted \| http, stdio \| planted 1\.2 \| 0\.23\.1, /) as string,
      'cline | no | never',
      'codex | no | never',
      'copilot | no | never',
      'gemini | yes | yes | yes | wanted | stdio | planted 1.2 | never',
      'goose | yes | yes | no | unknown | never',
      'kimi | no | never',
      expect.stringMatching(/^opencode \| no \| /) as string,
      'qwen | yes | no | no | unknown | never',
    ])
    expect(problems.map((problem) => problem.split('\n')[0])).toEqual([
      expect.stringMatching(
        /^gemini: The agent gemini --acp wants a login: Authentication required\. It knows these ways: "oauth" \(Log in\)/,
      ) as string,
      expect.stringMatching(/^goose: The agent goose acp answered initialize with protocol version 2; only 1 is spoken here\./) as string,
      expect.stringMatching(/^qwen: The agent qwen --acp ended with exit code 3\./) as string,
    ])
    expect(problems.at(-1)).toContain('no such option')
    expect(code).toBe(0)
  })

  it('C3: for one agent the exit code says whether it can be used, and --json is one object a line', async () => {
    const folder = await programs({ gemini: agent({ initialize: greets(), 'session/new': opens }) })
    const { code, out, err } = await doctor(['gemini', '--json'], folder)
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(JSON.parse(out)).toEqual({
      name: 'gemini',
      command: 'gemini --acp',
      installed: true,
      starts: true,
      protocol1: true,
      agent: 'planted 1.2',
      login: 'not wanted',
      mcp: ['stdio'],
      verified: 'unverified',
      ready: true,
    })
    expect(await doctor(['kimi'], folder)).toMatchObject({ code: 1, out: expect.stringContaining('kimi: kimi is not in PATH.') as string })
    expect((await doctor(['--command', '/nope'], folder)).out).toContain('There is no file /nope.')
    expect(await doctor(['gemni'], folder)).toMatchObject({
      code: 2,
      err: 'doctor "gemni": there is no such agent. Did you mean gemini?\n',
    })
    expect(await doctor([], await temporaryFolder())).toMatchObject({
      code: 1,
      err: 'None of them is in PATH. Any other program that speaks ACP: subagents doctor --command "my-agent --acp"\n',
    })
    const mine = await doctor(['--command', `${join(folder, 'gemini')} --acp`], folder)
    expect(mine).toMatchObject({
      code: 0,
      out: expect.stringMatching(/\nacp +yes +yes +yes +not wanted +stdio +planted 1\.2 +never\n$/) as string,
    })
  })

  it('C3, A20: an agent that says nothing, and one that does not go, are bounded in time; nothing of them is left', async () => {
    const command = 'node test/fixtures/processes/ignores-sigterm.js'
    const { ended } = startProgram(['doctor', '--command', command, '--timeout', '1s'], { env: { LC_TEST: 'doctor-silent' } })
    const { code, out } = await ended
    expect(code).toBe(1)
    expect(out).toMatch(/acp: The agent node \S+ did not answer initialize within 1000 ms\./)
    expect(processesWith('LC_TEST=doctor-silent')).toEqual([])
  })

  it('C6: Ctrl-C ends it with 130, and nothing is left', async () => {
    const command = 'node test/fixtures/processes/ignores-sigterm.js'
    const { ended, signal } = startProgram(['doctor', '--command', command], { env: { LC_TEST: 'doctor-interrupted' } })
    await expect.poll(() => processesWith('LC_TEST=doctor-interrupted').length, { timeout: 20_000 }).toBe(2)
    signal('SIGINT')
    expect(await ended).toMatchObject({ code: 130, err: 'Interrupted: nothing that was started is left.\n' })
    expect(processesWith('LC_TEST=doctor-interrupted')).toEqual([])
  })
})

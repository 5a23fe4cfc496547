import { readFileSync } from 'node:fs'
import { chmod, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../src/cli/run-cli.ts'
import { localServers } from '../../src/cli/models/found/local-servers.ts'
import { fakeIo, type FakeIoOptions } from './fake-io.ts'
import { listServer } from './models/found/list-server.ts'
import { temporaryFolder, withoutRoot } from './workspace/temporary-folder.ts'

const cli = async (argv: readonly string[], options?: FakeIoOptions) => {
  const io = fakeIo(argv, options)
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}

describe('the command line', () => {
  it('C7: --version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
    expect(await cli(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  })

  it('C7: --help shows every command and an example for each', async () => {
    const help = await cli(['--help'])
    expect(help).toMatchObject({ code: 0, err: '' })
    expect(help.out).toMatch(/demo .*\n.*run .*\n.*agents .*\n.*doctor .*\n.*graph .*\n.*paths /s)
    const task = ['--cwd', '--via', '--command', '--permission', '--agents', '--model', '--base-url', '--max-depth', '--timeout', '--json']
    const flags = {
      demo: task,
      run: task,
      agents: ['<folder>'],
      doctor: ['--command', '--timeout', '--json'],
      graph: ['--format'],
      paths: ['--shortest', '--simple', '--event', '--end', '--export', '--input', '--events'],
    }
    for (const [command, known] of Object.entries(flags)) {
      const { code, out, err } = await cli([command, '--help'])
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toContain(`Examples:\n  $ subagents ${command}`)
      for (const flag of known) expect(out).toContain(flag)
      expect((await cli(['help', command])).out).toBe(out)
    }
  })

  it('C7: help keeps to the width of the terminal and has no colours', async () => {
    const { out } = await cli(['run', '--help'], { columns: 60 })
    const options = out.slice(out.indexOf('Options:'), out.indexOf('Examples:'))
    expect(Math.max(...options.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(out).not.toContain('\u001b')
  })

  it('C7: an unknown command or flag exits 2 with a suggestion, on stderr alone', async () => {
    expect(await cli(['dmeo'])).toEqual({
      code: 2,
      out: '',
      err: "unknown command 'dmeo'\n(Did you mean demo?)\nRun subagents --help for the commands.\n",
    })
    expect(await cli(['help', 'gaph'])).toEqual({
      code: 2,
      out: '',
      err: "unknown command 'gaph'\n(Did you mean graph?)\nRun subagents --help for the commands.\n",
    })
    expect(await cli(['help', 'nope'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('There are demo, run, agents, doctor, graph, paths, replay, inspect, help.'),
    })
    expect(await cli(['help'])).toEqual(await cli(['--help']))
    const flag = await cli(['demo', '--jsn'])
    expect(flag).toMatchObject({ code: 2, out: '' })
    expect(flag.err).toContain("unknown option '--jsn'\n(Did you mean --json?)")
    expect(flag.err).toContain('--help')
  })

  it('C6: nothing, too little and too much on the command line exit 2', async () => {
    const bare = await cli([])
    expect(bare).toMatchObject({ code: 2, out: '' })
    expect(bare.err).toContain('Usage: subagents')
    expect(await cli(['run'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining("missing required argument 'task'") })
    expect(await cli(['run', 'find', 'todos', '--model', 'scripted'])).toMatchObject({ code: 2, err: expect.stringContaining('in quotes') })
    expect(await cli(['run', ' ', '--model', 'scripted'])).toMatchObject({ code: 2, err: expect.stringContaining('The task is empty') })
    expect(await cli(['run', 'x', '--model'])).toMatchObject({ code: 2, err: expect.stringContaining('argument missing') })
  })

  it('C3: run without a model exits 2 and lists the keys that it found, never their values', async () => {
    const found = await cli(['run', 'Find TODOs'], { env: { OPENAI_API_KEY: 'sk-the-secret-one' } })
    expect(found).toMatchObject({ code: 2, out: '' })
    expect(found.err).toContain('  OPENAI_API_KEY in the environment\n    npx subagents run "Find TODOs" --model openai/gpt-5.6\n')
    expect(found.err).not.toContain('the-secret')
    const none = await cli(['run', 'Find TODOs', '--json'])
    expect(none).toMatchObject({ code: 2, out: '', err: expect.stringContaining('subagents demo') })
    expect(await cli(['run', 'x', '--timeout', '5'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--timeout 5 is not a duration'),
    })
    expect(await cli(['run', 'x', '--base-url', 'http://127.0.0.1:1'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--base-url needs the model too'),
    })
  })

  it('C3: run without a model lists the server and the agent that it found, asks the one for its list alone and does not run the other', async () => {
    const asked: (string | undefined)[] = []
    const port = await listServer((path) => (asked.push(path), { models: [{ name: 'qwen3:4b' }] }))
    const folder = await temporaryFolder({ claude: '#!/bin/sh\ntouch "$0.was-run"\n' })
    await chmod(join(folder, 'claude'), 0o755)
    const found = await cli(['run', 'x'], {
      env: { PATH: folder },
      localServers: localServers.slice(0, 1).map((server) => ({ ...server, port })),
    })
    expect(found).toMatchObject({ code: 2, out: '' })
    expect(found.err).toContain(`    npx subagents run x --model ollama/qwen3:4b --base-url http://127.0.0.1:${port}/v1\n`)
    expect(found.err).toContain(`  claude, an agent with a login of its own, at ${folder}/claude\n`)
    expect(asked).toEqual(['/api/tags'])
    expect(await readdir(folder)).toEqual(['claude'])
  })

  it("C3: --via takes a provider; a vendor's name gets the hint that it names one, and another name a suggestion", async () => {
    const via = async (name: string) => (await cli(['run', 'x', '--model', 'scripted', '--via', name])).err
    const names =
      '--via names who runs the task: spawn and fork with a model, acp with a program of --command, or an agent by its name (claude, cline, codex, copilot, gemini, goose, kimi, opencode, qwen).'
    for (const name of ['spawn', 'fork']) expect(await cli(['demo', '--via', name, '--cwd', 'src/graph'])).toMatchObject({ code: 0 })
    expect(await via('frok')).toBe('--via "frok": there is no such provider. Did you mean --via fork?\n')
    expect(await via('spwan')).toBe('--via "spwan": there is no such provider. Did you mean --via spawn?\n')
    expect(await via('deepseek')).toBe(
      `--via "deepseek": deepseek is a vendor of models. ${names}\nA model is named with --model VENDOR/ID: --model deepseek/deepseek-flash\n`,
    )
    expect(await via('OpenAI/gpt-9')).toContain('A model is named with --model VENDOR/ID: --model openai/gpt-9\n')
    expect(await via('Gemni')).toBe('--via "Gemni": there is no such provider. Did you mean --via gemini?\n')
    expect(await via('xyz')).toBe(`--via "xyz": there is no such provider. ${names}\nA model is named with --model VENDOR/ID.\n`)
    expect(await cli(['run', 'x', '--via', 'deepseek'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('is a vendor of models'),
    })
  })

  it('C3: a model that cannot be used exits 2 and says why', async () => {
    expect(await cli(['run', 'x', '--model', 'deepseek/x'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('DEEPSEEK_API_KEY is not set'),
    })
    expect(await cli(['run', 'x', '--model', 'deepsek/x'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Did you mean deepseek/x?'),
    })
    expect(await cli(['demo', '--max-depth', '-1'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--max-depth -1') })
  })

  it('C6: a .gitignore that cannot be read exits 2 and is named', async () => {
    const folder = await temporaryFolder({ '.gitignore': 'secret.txt', 'secret.txt': 'x' })
    // Loads the program, which may lie where only root can read.
    await cli(['demo', '--cwd', folder])
    await chmod(join(folder, '.gitignore'), 0o000)
    expect(await withoutRoot(() => cli(['demo', '--cwd', folder]))).toMatchObject({
      code: 2,
      out: '',
      err: `--cwd: ${folder}: A .gitignore cannot be read (EACCES), so it is not known what it hides. It is ${folder}/.gitignore.\n`,
    })
  })

  it('C6: a folder that is not there, or is a file, exits 2', async () => {
    expect(await cli(['demo', '--cwd', 'nowhere'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/--cwd: .*nowhere does not exist/),
    })
    expect(await cli(['demo', '--cwd', ''])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('--cwd is empty.') })
    expect(await cli(['demo', '--cwd', 'package.json'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(/package\.json is not a folder/),
    })
  })
})

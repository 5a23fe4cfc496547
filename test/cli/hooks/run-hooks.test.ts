import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

const project = { 'a/x.js': '// TODO: one', 'b/y.js': '// FIXME: two' }
const settings = (start: string, stop: string): string =>
  JSON.stringify({
    hooks: {
      SubagentStart: [{ hooks: [{ type: 'command', command: start }] }],
      SubagentStop: [{ hooks: [{ type: 'command', command: stop }] }],
    },
  })
const args = (folder: string, ...more: string[]) => [
  'run',
  'Find every TODO',
  '--model',
  'scripted',
  '--cwd',
  folder,
  '--hooks',
  `${folder}/.claude/settings.json`,
  ...more,
]
const types = (lines: string): string[] => lines.trim().split('\n').toSorted()

describe('subagents run --hooks', { timeout: 30_000 }, () => {
  beforeAll(buildProgram, 60_000)

  it('C3, H2, H7: runs the hooks of every agent in its folder, named by its definition, and waits for the last of them after the answer', async () => {
    const folder = await temporaryFolder({
      ...project,
      'agents/reviewer.md': '---\nname: reviewer\ndescription: Reviews.\n---\nYou review.\n',
      '.claude/settings.json': settings(
        `jq -r '"start " + .agent_type + " " + .cwd' >>"$CLAUDE_PROJECT_DIR/log"`,
        `sleep 0.3; jq -r '"stop " + .agent_type + " " + .stop_reason' >>"$CLAUDE_PROJECT_DIR/log"`,
      ),
    })
    const { code, out, err } = await startProgram(args(folder, '--agents', `${folder}/agents`, '--json')).ended
    expect({ code, warned: err.includes('warning') }).toEqual({ code: 0, warned: false })
    expect(JSON.parse(out.trimEnd().split('\n').at(-1)!)).toMatchObject({ type: 'result', stopReason: 'completed' })
    const log = types(await readFile(`${folder}/log`, 'utf8'))
    expect(new Set(log)).toEqual(
      new Set([`start general-purpose ${folder}`, `start reviewer ${folder}`, 'stop general-purpose completed', 'stop reviewer completed']),
    )
    expect(log.filter((line) => line.startsWith('start'))).toHaveLength(log.length / 2)
  })

  it('C6, H7: Ctrl-C ends hooks that are waited for; the answer stands, and nothing is left', async () => {
    const folder = await temporaryFolder({ ...project, '.claude/settings.json': settings('true', 'echo $$ >>pids; sleep 1000') })
    const program = startProgram(args(folder))
    await program.shows('Waiting for hooks to end. Ctrl-C ends them.')
    program.signal('SIGINT')
    const { code, out } = await program.ended
    expect(code).toBe(0)
    expect(out).toContain('Found 2 TODOs')
    for (const pid of (await readFile(`${folder}/pids`, 'utf8')).trim().split('\n'))
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
  })

  it('C5, H5: what a hook says goes to stderr as a warning; what is wrong with the settings too, and the task is done', async () => {
    const folder = await temporaryFolder({ ...project, '.claude/settings.json': settings('true', 'echo "Not yet." >&2; exit 2') })
    const io = fakeIo(args(folder))
    expect(await runCli(io)).toBe(0)
    expect(io.err()).toMatch(
      /warning: Hooks of \S+settings\.json: hooks\.SubagentStop\[0\]\.hooks\[0\] of run \S+ would block \(exit code 2\), which changes nothing here: Not yet\./,
    )
    expect(io.out()).not.toContain('Not yet.')

    const broken = await temporaryFolder({ ...project, '.claude/settings.json': '{ "hooks": ' })
    const second = fakeIo(args(broken))
    expect(await runCli(second)).toBe(0)
    expect(second.err()).toMatch(/warning: Hooks of \S+settings\.json: the file cannot be used \(it is not JSON/)
  })

  it('C5, H5: on a terminal a warning that comes after the answer stands below it', async () => {
    const folder = await temporaryFolder({ ...project, '.claude/settings.json': settings('true', 'sleep 0.5; echo late >&2; exit 2') })
    const writes: string[] = []
    const io = fakeIo(args(folder), { columns: 100, env: { TERM: 'xterm' }, onErr: (text) => writes.push(text) })
    expect(await runCli(io)).toBe(0)
    // That of the agent that got the task is the last: nothing moves the cursor up into the answer, or takes away what stands there.
    expect(writes.at(-1)).toMatch(/^warning: [^\n]* would block \(exit code 2\), which changes nothing here: late\n$/)
  })

  it('C3, C7: a file that is not there, a folder and an empty name are refused before anything is started', async () => {
    const folder = await temporaryFolder(project)
    for (const [hooks, message] of [
      ['missing.json', '--hooks: missing.json does not exist. Give a file that does.'],
      ['a', '--hooks: a is a folder. Give the file in it, such as settings.json.'],
      ['', '--hooks is empty. Give a file with hooks, such as .claude/settings.json.'],
    ] as const)
      for (const model of [['--model', 'scripted'], []]) {
        const io = fakeIo(['run', 'Find every TODO', ...model, '--hooks', hooks], { cwd: folder })
        expect(await runCli(io)).toBe(2)
        expect(io.err()).toBe(`${message}\n`)
      }
  })

  it('C3: the commands that are proposed without a model name the hooks too', async () => {
    const folder = await temporaryFolder({ ...project, 'my hooks.json': '{}' })
    const io = fakeIo(['run', 'Find every TODO', '--hooks', 'my hooks.json'], { cwd: folder })
    expect(await runCli(io)).toBe(2)
    expect(io.err()).toContain('--model scripted --hooks "my hooks.json"')
  })
})

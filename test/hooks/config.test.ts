import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/hooks/config.ts'
import { createHooksBridge } from '../../src/hooks/index.ts'
import { SubagentError } from '../../src/index.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { createHooksBench, hooks } from './harness.ts'

const settings = await readFile(new URL('../fixtures/hooks/settings.json', import.meta.url), 'utf8')
const script = '#!/bin/sh\necho "$1 $(jq -r .hook_event_name) $CLAUDE_PROJECT_DIR" >> log\n'

describe('hooks as people have them', () => {
  it('H1: settings.json with other events and settings beside, its scripts found from the project, whatever the child works in', async () => {
    const bench = await createHooksBench()
    const project = await temporaryFolder({ '.claude/settings.json': settings, '.claude/hooks/log-subagent.sh': script })
    await chmod(join(project, '.claude/hooks/log-subagent.sh'), 0o755)
    const file = join(project, '.claude/settings.json')
    await bench.delegate(bench.bridge(file))
    expect(await bench.lines('log')).toEqual([`start SubagentStart ${project}`, `stop SubagentStop ${project}`])
    expect(bench.warnings).toEqual([
      `Hooks of ${file}: hooks.SubagentStop[0].hooks[1].type is "prompt", and only "command" is run: the hook is left out.`,
    ])
  })

  it("H1: a plugin's hooks.json, whose scripts are found from pluginRoot", async () => {
    const plugin = await temporaryFolder({ 'scripts/note.sh': 'echo "plugin $CLAUDE_PLUGIN_ROOT" >> log\n' })
    const config = { description: 'Notes', ...hooks(["sh '${CLAUDE_PLUGIN_ROOT}/scripts/note.sh'"]) }
    const bench = await createHooksBench()
    await bench.delegate(bench.bridge(config, { pluginRoot: plugin }))
    expect(await bench.lines('log')).toEqual([`plugin ${plugin}`])
    await bench.delegate(bench.bridge(config))
    expect(bench.warnings).toEqual([
      'Hooks: hooks.SubagentStart[0].hooks[0].command names CLAUDE_PLUGIN_ROOT, and the option pluginRoot was not given: the hook is left out.',
    ])
  })

  it('H1: the map of events alone; a missing type is command', async () => {
    const bench = await createHooksBench()
    const bridge = bench.bridge({ SubagentStart: [{ hooks: [{ command: 'echo bare >>log' }] }] })
    await bench.delegate(bridge)
    expect(await bench.lines('log')).toEqual(['bare'])
    expect(bench.warnings).toEqual([])
  })

  it.each(["/it's/a b", '/a"b', '/$(touch pwned)', '/`touch pwned`', '/a;touch pwned', '/a&b', '/ä ö'])(
    'H1: a project folder named %s stays one path, and nothing in it is run',
    async (name) => {
      const bench = await createHooksBench()
      const projectDir = join(bench.folder, name)
      await mkdir(projectDir, { recursive: true })
      await writeFile(join(projectDir, 'hook.sh'), 'echo ran >> log\n')
      const bridge = bench.bridge(hooks(['sh "${CLAUDE_PROJECT_DIR}/hook.sh"', 'sh "$CLAUDE_PROJECT_DIR"/hook.sh']), { projectDir })
      await bench.delegate(bridge)
      expect(bench.warnings).toEqual([])
      expect(await bench.lines('log')).toEqual(['ran', 'ran'])
      expect(await bench.lines('pwned')).toEqual([])
    },
  )

  it('H1: is read once; what is changed later changes nothing', async () => {
    const bench = await createHooksBench()
    const config = { SubagentStart: [{ hooks: [{ command: 'echo first >>log' }] }] }
    const bridge = bench.bridge(config)
    config.SubagentStart[0]!.hooks[0]!.command = 'echo second >>log'
    await bench.delegate(bridge)
    expect(await bench.lines('log')).toEqual(['first'])
  })
})

describe('hooks that are wrong', () => {
  const read = (config: unknown) => {
    const warnings: string[] = []
    const { SubagentStart, SubagentStop } = readConfig(config, { hasPluginRoot: false, warn: (text) => void warnings.push(text) })
    return { commands: [...SubagentStart, ...SubagentStop].flatMap((group) => group.commands.map(({ command }) => command)), warnings }
  }
  const good = { hooks: [{ command: 'good' }] }

  it.each<[string, unknown, string]>([
    [
      'an event that is no array',
      { SubagentStop: {}, SubagentStart: [good] },
      'SubagentStop has to be an array, and is an object: it is left out.',
    ],
    ['a group that is no object', { SubagentStart: ['x', good] }, 'SubagentStart[0] has to be an object, and is a string: it is left out.'],
    [
      'a group without hooks',
      { SubagentStart: [{ command: 'x' }, good] },
      'SubagentStart[0].hooks has to be an array of hooks, and is undefined: the entry is left out.',
    ],
    [
      'a matcher that is no string',
      { SubagentStart: [{ matcher: ['a'], hooks: [] }, good] },
      'SubagentStart[0].matcher has to be a string, and is an array: the entry is left out.',
    ],
    [
      'a hook that is no object',
      { SubagentStart: [{ hooks: [null] }, good] },
      'SubagentStart[0].hooks[0] has to be an object, and is null: it is left out.',
    ],
    [
      'no command',
      { SubagentStart: [{ hooks: [{ type: 'command' }] }, good] },
      'SubagentStart[0].hooks[0].command has to be a command line, and is missing: the hook is left out.',
    ],
    [
      'an empty command',
      { SubagentStart: [{ hooks: [{ command: '' }] }, good] },
      'SubagentStart[0].hooks[0].command has to be a command line, and is empty: the hook is left out.',
    ],
    [
      'a timeout that is no time',
      { SubagentStart: [{ hooks: [{ command: 'x', timeout: -1 }] }, good] },
      'SubagentStart[0].hooks[0].timeout has to be a number of seconds above 0, and is -1: the hook is left out.',
    ],
    [
      'another type',
      { SubagentStart: [{ hooks: [{ type: 'http', url: 'http://x' }] }, good] },
      'SubagentStart[0].hooks[0].type is "http", and only "command" is run: the hook is left out.',
    ],
    [
      'arguments',
      { SubagentStart: [{ hooks: [{ command: 'rm', args: ['x'] }] }, good] },
      'SubagentStart[0].hooks[0].args is not supported; write one command line: the hook is left out.',
    ],
    [
      'another shell',
      { SubagentStart: [{ hooks: [{ command: 'x', shell: 'powershell' }] }, good] },
      'SubagentStart[0].hooks[0].shell is not supported; the command line is for sh: the hook is left out.',
    ],
    [
      'a condition',
      { SubagentStart: [{ hooks: [{ command: 'x', if: 'Bash(git *)' }] }, good] },
      'SubagentStart[0].hooks[0].if is for events of tools, and never true here: the hook is left out.',
    ],
  ])('H1: %s is dropped with a warning, the others stay', (_, config, warning) => {
    expect(read(config)).toEqual({ commands: ['good'], warnings: [warning] })
  })

  it.each<[string, unknown, string]>([
    ['null', null, 'the settings have to be an object with hooks, and are null: there are no hooks.'],
    ['an array', [], 'the settings have to be an object with hooks, and are an array: there are no hooks.'],
    [
      'hooks that are a list',
      { hooks: [] },
      'hooks has to be an object with an array for each event, and is an array: there are no hooks.',
    ],
    [
      'hooks that were switched off',
      { disableAllHooks: true, hooks: { SubagentStart: [good] } },
      'disableAllHooks is true: there are no hooks.',
    ],
  ])('H1: %s: a warning and no hooks', (_, config, warning) => {
    expect(read(config)).toEqual({ commands: [], warnings: [warning] })
  })

  it('H1: a file that is missing, a folder, or no JSON is a warning and no hooks; no text of it is told', async () => {
    const folder = await temporaryFolder({ 'commented.json': '{ "hooks": {}, // token-12345\n}', 'bom.json': '\ufeff{"hooks":{}}' })
    const warnings: string[] = []
    const logger = { debug: () => {}, error: () => {}, warn: (text: string) => void warnings.push(text.replaceAll(folder, '')) }
    const { service } = await createHooksBench()
    for (const file of ['missing.json', '', 'commented.json', 'bom.json'])
      await createHooksBridge({ service, config: join(folder, file), logger }).dispose()
    expect(warnings).toEqual([
      'Hooks of /missing.json: the file cannot be used (ENOENT): there are no hooks.',
      'Hooks of : the file cannot be used (it is no file): there are no hooks.',
      'Hooks of /commented.json: the file cannot be used (it is not JSON; comments and trailing commas are not allowed there): there are no hooks.',
    ])
  })

  it('H1: options of the wrong shape are refused', async () => {
    const { service } = await createHooksBench()
    for (const [options, message] of [
      [{ service: {}, config: {} }, /^service must be a service/],
      [{ service, config: 3 }, /^config must be an object with hooks, or the path of a file, got 3/],
      [{ service, config: {}, projectDir: '' }, /^projectDir must be the path of a directory/],
      [{ service, config: {}, agents: {} }, /^agents must be a lookup/],
      [{ service, config: {}, agentType: 'x' }, /^agentType must be a function/],
      [{ service, config: {}, maxConcurrent: 0 }, /^maxConcurrent must be a whole number from 1, got 0/],
      [{ service, config: {}, env: { 'A=B': 'x' } }, /^env must be names/],
    ] as const) {
      const attempt = (): unknown => createHooksBridge(options as never)
      expect(attempt).toThrow(SubagentError)
      expect(attempt).toThrow(message)
    }
  })
})

import { execFile } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../../../src/cli/run-cli.ts'
import { modelPaths, runPaths } from '../../../src/testing/index.ts'
import { fakeIo } from '../fake-io.ts'
import { buildProgram, startProgram } from '../program-process.ts'
import { temporaryFolder } from '../workspace/temporary-folder.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const paths = async (argv: readonly string[], cwd?: string) => {
  const io = fakeIo(['paths', ...argv], cwd === undefined ? {} : { cwd })
  const code = await runCli(io)
  return { code, out: io.out(), err: io.err() }
}
const lines = (of: readonly { readonly description: string }[]) => of.map(({ description }) => `${description}\n`).join('')

const door = `
import { assign, createMachine } from 'xstate'
export const helper = 1
export const doorMachine = createMachine({
  id: 'door',
  context: ({ input }) => ({ code: input?.code ?? 1 }),
  initial: 'closed',
  states: {
    closed: { on: { open: 'opened', lock: { target: 'locked', actions: assign({ code: ({ event, context }) => event.code ?? context.code }) } } },
    opened: { on: { close: 'closed' } },
    locked: { on: { 'un-lock': 'closed' } },
  },
})
`
const other = `
import { createMachine } from 'xstate'
export const waits = createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: { invoke: { src: 'x' } } } })
export const works = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: {} } })
`

/** A project of somebody else, that has installed what it needs. */
async function project(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder({ 'package.json': '{ "type": "module" }', ...files })
  await mkdir(join(folder, 'node_modules'))
  for (const name of ['xstate', 'vitest']) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await symlink(root, join(folder, 'node_modules/xstate-subagents'))
  return folder
}

describe('subagents paths', { timeout: 30_000 }, () => {
  it('K1, K7: prints the paths of the run machine, a line each, and how many there are', async () => {
    const shortest = await paths([])
    expect(shortest).toEqual({ code: 0, out: lines(runPaths()), err: `${runPaths().length} paths.\n` })
    expect(shortest.out).toContain('Reaches disposed: accept → settle → dispose → released\n')
    expect(await paths(['--shortest'])).toEqual(shortest)
    expect((await paths(['--simple'])).out).toBe(lines(runPaths({ kind: 'simple' })))
  })

  it('K7: prints the paths of the machine of an ACP process', async () => {
    const { acpProcessMachine } = await import('../../../src/machines/index.ts')
    const all = modelPaths(acpProcessMachine as never, { input: { runId: 'run', command: 'agent' } as never })
    expect(await paths(['acp'])).toEqual({ code: 0, out: lines(all), err: `${all.length} paths.\n` })
    expect((await paths(['acp', '--event', 'hand-over'])).out).toBe(
      'Reaches closed: spawned → initialized → opened → hand-over\nReaches closed: spawned → initialized → hand-over\n',
    )
    expect(await paths(['acp', '--event', 'hand-ovr'])).toMatchObject({ code: 2, err: expect.stringContaining('Did you mean hand-over?') })
    expect((await paths(['run'])).out).toBe((await paths([])).out)
  })

  it('K7: prints those with an event or an end state', async () => {
    expect((await paths(['--simple', '--event', 'give-up', '--end', 'settling.held'])).out).toBe(
      lines(runPaths({ kind: 'simple', event: 'give-up', endState: 'settling.held' })),
    )
    expect(await paths(['--event', 'wait', '--end', 'running.awaitingPermission'])).toEqual({
      code: 0,
      out: '',
      err: 'No path is like that.\n',
    })
  })

  it('K7: an event, a state or a flag that makes no sense exits 2 and says what would', async () => {
    const refused = async (...argv: string[]) => {
      const { code, out, err } = await paths(argv)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      return err
    }
    expect(await refused('--event', 'setle')).toBe('--event "setle": the machine takes no such event. Did you mean settle?\n')
    expect(await refused('--end', 'settling.hold')).toBe(
      '--end "settling.hold": the machine has no such state. Did you mean settling.held?\n',
    )
    expect(await refused('--end', 'nowhere')).toContain('There are validating, validating.checking, ')
    expect(await refused('--simple', '--shortest')).toContain('exclude each other')
    expect(await refused('--export', 'x')).toContain('--export is for a machine of your own. Give its module')
  })
})

describe('subagents paths MODULE', { timeout: 60_000 }, () => {
  beforeAll(buildProgram, 60_000)

  it('K7: prints a vitest file that takes every path of the machine as it stands', async () => {
    const folder = await project({ 'door.js': door, 'other.js': other })
    const events = '[{"type":"lock"},{"type":"lock","code":2}]'
    const printed = await startProgram(['paths', 'door.js', '--input', '{"code":1}', '--events', events], { cwd: folder }).ended
    expect(printed).toMatchObject({ code: 0, err: expect.stringMatching(/^\d+ paths\.\n$/) })
    await writeFile(join(folder, 'door.test.js'), printed.out)
    const second = await startProgram(['paths', 'other.js', '--export', 'works'], { cwd: folder }).ended
    await writeFile(join(folder, 'other.test.js'), second.out)
    const { numPassedTests, numTotalTests, testResults } = await vitest(folder)
    const { doorMachine } = (await import(join(folder, 'door.js'))) as { doorMachine: never }
    const expected = modelPaths(doorMachine, { input: { code: 1 }, events: JSON.parse(events) as never } as never)
    expect(printed.err).toBe(`${expected.length} paths.\n`)
    expect([numPassedTests, numTotalTests]).toEqual([expected.length + 1, expected.length + 1])
    const titles = testResults.flatMap(({ assertionResults }) => assertionResults.map(({ title }) => title))
    expect(titles.toSorted()).toEqual([...expected.map(({ description }) => description), 'Reaches b: go'].toSorted())
  })

  it('K7: prints types for a TypeScript module, and the filters that were asked for', async () => {
    const { testFile } = await import('../../../src/cli/paths/test-file.ts')
    const { createMachine } = await import('xstate')
    const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b', 'be.gone': 'b', '*': 'a' } }, b: {} } })
    expect(testFile({ machine, path: '/x/two words.mts', exportName: 'default' }, { kind: 'simple', event: 'go', endState: 'b' }))
      .toBe(`// Takes the paths through machine one by one. As it stands, what is tested is an actor of the machine itself:
// put there what the machine is the model of, cause each event in it, and read the state from it.
import { describe, expect, it } from 'vitest'
import { createActor } from 'xstate'
import type { EventFromLogic } from 'xstate'
import { modelPaths } from 'xstate-subagents/testing'
import machine from './two words.mts'

type Event = EventFromLogic<typeof machine>

function start() {
  const actor = createActor(machine).start()
  const cause: { [Type in Event['type']]: (event: Event) => unknown } = {
    go: (event) => actor.send(event),
    'be.gone': (event) => actor.send(event),
  }
  return { cause, state: () => actor.getSnapshot().value, stop: () => actor.stop() }
}

// An event with a payload goes into the option events, an entry for each payload to try.
const paths = modelPaths(machine, { kind: 'simple', event: 'go', endState: 'b' })

describe('machine', () => {
  for (const { description, steps } of paths) {
    it(description, async () => {
      const tested = start()
      for (const { event, value } of steps) {
        await tested.cause[event.type as Event['type']](event)
        expect(tested.state()).toEqual(value)
      }
      await tested.stop()
    })
  }
})
`)
  })

  it('K7: a module without the one machine that is meant, or that cannot be loaded, exits 2 and says why', async () => {
    const folder = await project({
      'door.js': door,
      'other.js': other,
      'none.js': 'export const a = 1',
      'broken.js': 'throw new Error("it broke")',
      'importing.js': 'import "./gone.js"',
      'typed.ts': 'export {}',
    })
    const refused = async (...argv: string[]) => {
      const { code, out, err } = await startProgram(['paths', ...argv], { cwd: folder }).ended
      expect({ code, out }).toEqual({ code: 2, out: '' })
      return err
    }
    expect(await refused('nowhere.js')).toBe('nowhere.js does not exist. Give the path of a module that exports a state machine.\n')
    expect(await refused('none.js')).toBe(
      'none.js: It exports no XState machine, as createMachine() or setup().createMachine() makes one.\n',
    )
    expect(await refused('other.js')).toBe('other.js: It exports the machines waits, works. Name one: --export waits\n')
    expect(await refused('other.js', '--export', 'work')).toBe(
      '--export "work": other.js exports no machine of that name. Did you mean works?\n',
    )
    expect(await refused('door.js', '--export', 'helper')).toBe(
      '--export helper: this is no state machine of XState. It exports the machine doorMachine.\n',
    )
    expect(await refused('other.js', '--export', 'waits')).toMatch(
      /^other\.js: No path can be taken .* state "a" has after 10 ms; state "b" invokes "x"/,
    )
    expect(await refused('broken.js')).toBe('broken.js cannot be loaded: it broke\n')
    expect(await refused('importing.js')).toMatch(/^importing\.js cannot be loaded: Cannot find module .*gone\.js/)
    expect(await refused('door.js', '--event', 'opne')).toBe('--event "opne": the machine takes no such event. Did you mean open?\n')
    expect(await refused('door.js', '--input', '{code:1}')).toMatch(/^--input: this is not JSON/)
    expect(await refused('door.js', '--events', '{"type":"open"}')).toMatch(/^--events: give a list of events/)
    // What Node says of TypeScript depends on Node.
    expect(await refused('typed.ts')).toMatch(/does not load TypeScript\. Take Node 22\.18|exports no XState machine/)
  })
})

interface Report {
  readonly numPassedTests: number
  readonly numTotalTests: number
  readonly testResults: readonly { readonly assertionResults: readonly { readonly title: string }[] }[]
}

async function vitest(folder: string): Promise<Report> {
  const argv = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter', 'json']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, argv, { cwd: folder })
  expect(stdout, stderr).toMatch(/^\{/)
  return JSON.parse(stdout) as Report
}

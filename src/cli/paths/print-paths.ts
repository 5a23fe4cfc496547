import { basename } from 'node:path'
import type { AnyStateMachine } from 'xstate'
import { SubagentError } from '../../errors.ts'
import { acpProcessMachine, runMachine } from '../../machines/index.ts'
import { modelPaths, runPaths, type ModelPathsOptions, type PathFilter } from '../../testing/index.ts'
import type { CliIo } from '../io.ts'
import { safeText } from '../output/safe-text.ts'
import { pick } from '../pick.ts'
import { UsageError } from '../usage-error.ts'
import type { LoadedMachine } from './load-machine.ts'
import { testFile, type TestFileOptions } from './test-file.ts'

/** The machines of this package whose paths can be taken, by the names that the command knows them by. */
const ownMachines = {
  run: { machine: runMachine as unknown as AnyStateMachine, paths: (filter: PathFilter) => runPaths(filter as never) },
  acp: {
    machine: acpProcessMachine as unknown as AnyStateMachine,
    paths: (filter: PathFilter) => modelPaths(acpProcessMachine as unknown as AnyStateMachine, { ...filter, input: acpInput }),
  },
} as const
const acpInput = { runId: 'run', command: 'agent' }
export type OwnMachine = keyof typeof ownMachines

export function isOwnMachine(name: string): name is OwnMachine {
  return Object.hasOwn(ownMachines, name)
}

/** A line for each path of a machine of this package. @throws UsageError for an event or a state that it has not */
export function printOwnPaths(name: OwnMachine, filter: PathFilter, { stdout, stderr }: CliIo): void {
  const { machine, paths: pathsOf } = ownMachines[name]
  checkNames(machine, filter)
  const paths = pathsOf(filter)
  for (const { description } of paths) stdout.write(`${description}\n`)
  stderr.write(`${count(paths.length)}\n`)
}

/** A test file for the machine of a user. @throws UsageError where no path can be taken through it */
export function printTestFile(loaded: LoadedMachine, options: TestFileOptions, { stdout, stderr }: CliIo): void {
  const { machine, path } = loaded
  checkNames(machine, options)
  let paths: readonly unknown[]
  try {
    paths = modelPaths(machine, options as ModelPathsOptions)
  } catch (error) {
    if (SubagentError.is(error)) throw new UsageError(`${basename(path)}: ${error.message.replace(/^modelPaths: /, '')}`, { cause: error })
    throw error
  }
  stdout.write(safeText(testFile(loaded, options)))
  stderr.write(`${count(paths.length)}\n`)
}

function checkNames(machine: AnyStateMachine, { event, endState }: PathFilter): void {
  const events = (machine.events as readonly string[]).filter((type) => !type.includes('*'))
  if (typeof event === 'string') pick(event, events, `--event ${JSON.stringify(event)}: the machine takes no such event`)
  if (endState !== undefined) pick(endState, stateNames(machine.root), `--end ${JSON.stringify(endState)}: the machine has no such state`)
}

function stateNames({ states, path }: AnyStateMachine['root']): string[] {
  const own = path.length === 0 ? [] : [path.join('.')]
  return [...own, ...Object.values(states).flatMap((state) => stateNames(state as AnyStateMachine['root']))]
}

function count(number: number): string {
  return number === 0 ? 'No path is like that.' : `${number} ${number === 1 ? 'path' : 'paths'}.`
}

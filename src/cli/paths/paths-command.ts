/** `subagents paths`: the generated paths of the run machine, or a test file for a machine of one's own. Contract: K1, K7. */
import type { Command } from 'commander'
import { examples } from '../help.ts'
import type { CliIo } from '../io.ts'
import { UsageError } from '../usage-error.ts'

/** As commander gives them. */
interface PathsFlags {
  readonly shortest?: boolean
  readonly simple?: boolean
  readonly event?: string
  readonly end?: string
  readonly export?: string
  readonly input?: string
  readonly events?: string
}

export function addPathsCommand(program: Command, io: CliIo): void {
  program
    .command('paths')
    .summary("print a machine's test paths, or a test file for a machine of your own")
    .description(
      'Prints the paths that the tests take through the run machine, or through that of an ACP process, one per line. For a module of yours that exports an XState machine ' +
        'it prints a vitest file to start from, which you save beside the module.',
    )
    .argument('[machine]', 'run (the default), acp, or a file that exports a state machine; loading the file runs its code')
    .option('--shortest', 'a shortest path to each state and over each edge (the default)')
    .option('--simple', 'every path that visits no state twice')
    .option('--event <type>', 'only paths on which this event is taken')
    .option('--end <state>', 'only paths that end in this state, such as settling or settling.held')
    .option('--export <name>', 'which export of the module, if it has several machines')
    .option('--input <json>', "the machine's input")
    .option('--events <json>', 'a list of events with their payloads; all others are sent without')
    .addHelpText(
      'after',
      examples([
        'subagents paths',
        'subagents paths --simple --event give-up',
        'subagents paths --end settling.held',
        'subagents paths acp --event fail',
        'subagents paths ./door.js --export doorMachine > door.test.js',
        `subagents paths ./lock.js --events '[{"type":"unlock","code":1234}]' > lock.test.js`,
      ]),
    )
    .action(async (module: string | undefined, flags: PathsFlags) => {
      if (flags.shortest && flags.simple) throw new UsageError('--shortest and --simple exclude each other. Leave one of them out.')
      const kind = flags.simple ? 'simple' : 'shortest'
      const { isOwnMachine, printOwnPaths, printTestFile } = await import('./print-paths.ts')
      const filter = {
        kind,
        ...(flags.event !== undefined && { event: flags.event }),
        ...(flags.end !== undefined && { endState: flags.end }),
      } as const
      if (module === undefined || isOwnMachine(module)) {
        const needless = (['export', 'input', 'events'] as const).find((name) => flags[name] !== undefined)
        if (needless)
          throw new UsageError(`--${needless} is for a machine of your own. Give its module: subagents paths ./door.js --${needless} …`)
        return printOwnPaths(module ?? 'run', filter, io)
      }
      const { loadMachine } = await import('./load-machine.ts')
      const loaded = await loadMachine(module, flags.export, io.cwd)
      const input = parseJson('--input', flags.input)
      const events = parseJson('--events', flags.events)
      if (events !== undefined && !(Array.isArray(events) && events.every(isEvent)))
        throw new UsageError(`--events: give a list of events, each with its type: --events '[{"type":"unlock","code":1234}]'`)
      return printTestFile(loaded, { ...filter, ...(input !== undefined && { input }), ...(events !== undefined && { events }) }, io)
    })
}

function parseJson(flag: string, text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new UsageError(`${flag}: this is not JSON (${(cause as Error).message}). Put it in single quotes.`, { cause })
  }
}

function isEvent(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

/** `subagents doctor`: which agents that speak ACP are there, and whether they can be worked with. Contract: C3, C6, C7, A7, A8. */
import type { Command } from 'commander'
import { parseDuration } from '../duration.ts'
import { exitCode } from '../exit-code.ts'
import { examples } from '../help.ts'
import type { CliIo } from '../io.ts'
import { cleanJson } from '../output/clean-json.ts'
import { safeText } from '../output/safe-text.ts'
import { secretFilter } from '../../run/secrets.ts'
import { pick } from '../pick.ts'
import { UsageError } from '../usage-error.ts'
import { agentNames, anyAgent, chooseAgent, isAgentName } from './agent-choice.ts'

/** How long an agent may take to come up, in milliseconds. */
const usualTimeout = '30s'
/** How many are started at a time: each is a whole program, some of them heavy. */
const atATime = 2

interface DoctorFlags {
  readonly command?: string
  readonly timeout: string
  readonly json?: boolean
}

export function addDoctorCommand(program: Command, io: CliIo, report: (code: number) => void): void {
  program
    .command('doctor')
    .summary('show which agents that are programs of their own can be used')
    .description(
      'Starts each known agent that is installed, asks it for a session and ends it; the agent gets no work and no key. ' +
        'Prints whether it is installed, starts, speaks version 1 of the Agent Client Protocol (ACP), wants a login, and how it accepts MCP servers.',
    )
    .argument('[name]', `one of them: ${agentNames.join(', ')}`)
    .option('--command <words>', 'another program that speaks ACP')
    .option('--timeout <duration>', 'how long an agent may take to start', usualTimeout)
    .option('--json', 'print one JSON object per line')
    .addHelpText(
      'after',
      `${examples(['subagents doctor', 'subagents doctor opencode', 'subagents doctor --command "node my-agent.js" --json'])}
Exit codes: 0 an agent can be used (with a name or --command: that one),
1 none can, 2 bad usage, 130 interrupted.
`,
    )
    .action(async (name: string | undefined, flags: DoctorFlags) => {
      const choices = choose(name, flags.command, io.cwd)
      const timeoutMs = parseDuration(flags.timeout)
      const [{ examine }, { doctorTable }] = await Promise.all([import('./doctor.ts'), import('./doctor-table.ts')])
      const clean = secretFilter(io.env)
      const say = (text: string) => io.stderr.write(`${clean(safeText(text))}\n`)
      const stopping = new AbortController()
      const unlisten = io.onInterrupt(() => stopping.abort())
      const clock = {
        now: io.now,
        setTimeout: (due: () => void, ms: number) => io.after(ms, due),
        clearTimeout: (stop: unknown) => (stop as () => void)(),
      }
      const logger = { debug: () => {}, warn: say, error: say }
      try {
        const findings = await inTurn(choices, atATime, (choice) =>
          examine(choice, io.env, { timeoutMs, clock, logger, signal: stopping.signal }),
        )
        if (stopping.signal.aborted) {
          say('Interrupted: nothing that was started is left.')
          return report(exitCode.interrupted)
        }
        const print = (text: string) => io.stdout.write(`${text}\n`)
        if (flags.json) for (const finding of findings) print(JSON.stringify(cleanJson(finding, clean)))
        else {
          for (const line of doctorTable(findings)) print(clean(safeText(line)))
          for (const { name: agent, installed, problem } of findings)
            if (problem !== undefined && (installed || findings.length === 1)) print(`\n${clean(safeText(`${agent}: ${problem}`))}`)
        }
        if (findings.length > 1 && !findings.some(({ installed }) => installed))
          say('None of them is in PATH. Any other program that speaks ACP: subagents doctor --command "my-agent --acp"')
        report(findings.some(({ ready }) => ready) ? exitCode.completed : exitCode.otherOutcome)
      } finally {
        unlisten()
      }
    })
}

/** @throws UsageError */
function choose(name: string | undefined, command: string | undefined, cwd: string) {
  if (command !== undefined) {
    if (name !== undefined && !isAgentName(name)) throw new UsageError(`doctor ${JSON.stringify(name)}: give a name or --command.`)
    return [chooseAgent(name !== undefined && isAgentName(name) ? name : anyAgent, command, cwd)]
  }
  if (name === undefined) return agentNames.map((each) => chooseAgent(each, undefined, cwd))
  return [chooseAgent(pick(name, agentNames, `doctor ${JSON.stringify(name)}: there is no such agent`), undefined, cwd)]
}

/** The results in the order of `items`. */
async function inTurn<T, R>(items: readonly T[], width: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!)
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}

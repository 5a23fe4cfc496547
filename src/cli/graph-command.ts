/** `subagents graph`: the machines of this package as text. Contract: K7. */
import type { Command } from 'commander'
import { examples } from './help.ts'
import type { CliIo } from './io.ts'
import { pick } from './pick.ts'

export function addGraphCommand(program: Command, io: CliIo): void {
  program
    .command('graph')
    .summary('print a machine: its states and what moves them')
    .description('Prints one of the machines of this package, from the same config that runs.')
    .argument('<machine>', 'run, registry, agent or acp')
    .option('--format <format>', 'mermaid, json or dot', 'mermaid')
    .addHelpText(
      'after',
      examples([
        'subagents graph run',
        'subagents graph registry --format json',
        'subagents graph agent --format dot | dot -Tsvg > agent.svg',
      ]),
    )
    .action(async (machine: string, flags: { readonly format: string }) => {
      const { graphFormats, graphOf, graphSubjects } = await import('../graph/index.ts')
      const names = Object.keys(graphSubjects) as (keyof typeof graphSubjects)[]
      const subject = graphSubjects[pick(machine, names, `graph ${JSON.stringify(machine)}: there is no such machine`)]
      const format = pick(flags.format, graphFormats, `--format ${JSON.stringify(flags.format)}: there is no such format`)
      io.stdout.write(graphOf(subject, format))
    })
}

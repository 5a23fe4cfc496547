/** `subagents agents DIR`: what a folder of agent definitions comes to, for who writes one. Contract: C7, T14. */
import type { Command } from 'commander'
import { exitCode } from '../exit-code.ts'
import { examples } from '../help.ts'
import type { CliIo } from '../io.ts'
import { safeLine, safeText } from '../output/safe-text.ts'
import { vendors } from '../models/vendors.ts'
import { secretFilter } from '../../run/secrets.ts'
import { defaultProvider } from '../via.ts'
import { delegationToolName, toolNames } from '../workspace/tool-names.ts'
import { agentsFolder } from './agents-folder.ts'
import { toolsOf } from './tools-of.ts'

/** Which model it comes to depends on that of a run, which is not known here. */
const aliases = Object.fromEntries(
  vendors.flatMap(({ name, aliases = {} }) => Object.keys(aliases).map((alias) => [alias, `${alias}, in a run with a model of ${name}`])),
)

export function addAgentsCommand(program: Command, io: CliIo, report: (code: number) => void): void {
  program
    .command('agents')
    .summary('show which agents a folder of Markdown files defines')
    .description('Reads agent definitions as run --agents would, and prints each agent with the tools that it would have.')
    .argument('<folder>', 'a folder of Markdown files, such as .claude/agents')
    .addHelpText('after', examples(['subagents agents .claude/agents']))
    .action(async (typed: string) => {
      const { loadAgents } = await import('./load-agents.ts')
      const { agents, warnings } = await loadAgents(agentsFolder(typed, 'agents: the folder', io.cwd), defaultProvider, aliases)
      const clean = secretFilter(io.env)
      const print = (text: string) => io.stdout.write(`${clean(safeText(text))}\n`)
      for (const agent of agents) {
        print(agent.name)
        print(`  ${safeLine(agent.description, 100)}`)
        print(
          `  tools: ${toolsOf(agent).join(', ') || 'none'}${toolsOf(agent).includes(delegationToolName) ? '' : '; starts no agents of its own'}`,
        )
        if (typeof agent.model === 'string') print(`  model: ${agent.model}`)
      }
      for (const warning of warnings) io.stderr.write(`${clean(safeText(`warning: ${warning}`))}\n`)
      io.stderr.write(
        `${agents.length === 1 ? '1 agent' : `${agents.length} agents`}. The command has the tools ${toolNames.join(', ')}.\n`,
      )
      report(exitCode.completed)
    })
}

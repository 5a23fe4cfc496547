/** Which agent of its own a task goes to: a program that speaks ACP. Contract: C3, A1. */
import { basename } from 'node:path'
import type { AcpProviderOptions } from '../../providers/acp/index.ts'
import { knownAgents } from '../../providers/acp/index.ts'
import type { KnownAgentName } from '../../providers/acp/index.ts'
import { shellQuote } from '../shell-quote.ts'
import { UsageError } from '../usage-error.ts'
import { fromHere, splitCommand } from './split-command.ts'

export const agentNames = Object.keys(knownAgents) as KnownAgentName[]
/** The provider of whatever `--command` says. */
export const anyAgent = 'acp'
export type AgentName = KnownAgentName | typeof anyAgent

export interface AgentChoice {
  readonly name: AgentName
  /** What is run, as a person would type it. */
  readonly typed: string
  readonly options: Pick<AcpProviderOptions, 'command' | 'args' | 'enforces'>
}

export function isAgentName(name: string): name is AgentName {
  return name === anyAgent || Object.hasOwn(knownAgents, name)
}

/** @param command what `--command` says; for an agent that is known it stands in the place of its own @throws UsageError */
export function chooseAgent(name: AgentName, command: string | undefined, cwd: string): AgentChoice {
  if (command === undefined) {
    if (name === anyAgent)
      throw new UsageError(
        `--via ${anyAgent} needs the program that speaks ACP: --command "opencode acp"\nThose that are known by name need none: --via ${agentNames.join(', ')}. subagents doctor shows which of them are there.`,
      )
    const { command: program, args, ...rest } = knownAgents[name]
    return { name, typed: [program, ...args].join(' '), options: { ...enforcesOf(rest), command: program, args } }
  }
  const [program, ...args] = splitCommand(command).map((word) => fromHere(word, cwd)) as [string, ...string[]]
  const known = name === anyAgent ? {} : enforcesOf(knownAgents[name])
  // This Node, which is not in every PATH.
  const path = program === 'node' ? process.execPath : program
  return {
    name,
    typed: [program === process.execPath ? basename(program) : program, ...args].map(shellQuote).join(' '),
    options: { ...known, command: path, args },
  }
}

function enforcesOf(known: object): Pick<AcpProviderOptions, 'enforces'> {
  return 'enforces' in known ? { enforces: known.enforces as NonNullable<AcpProviderOptions['enforces']> } : {}
}

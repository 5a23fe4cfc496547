import { knownAgents } from 'xstate-subagents/acp'
import type { KnownAgent } from 'xstate-subagents/acp'

const agents: readonly KnownAgent[] = Object.values(knownAgents)
const rows = agents.map(({ name, command, args, enforces, verified }) => [
  name,
  [command, ...args].join(' '),
  Object.keys(enforces ?? {}).join(', ') || '-',
  verified === 'unverified' ? 'never' : `${verified.version} on ${verified.date}`,
])
for (const row of [['agent', 'command', 'enforces', 'last driven'], ...rows])
  console.log(
    row
      .map((cell, column) => cell.padEnd([10, 18, 20, 0][column]!))
      .join('')
      .trimEnd(),
  )

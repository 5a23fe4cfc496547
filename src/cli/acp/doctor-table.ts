import { padWidth, textWidth } from '../output/text-width.ts'
import { safeLine } from '../output/safe-text.ts'
import type { Finding } from './doctor.ts'

const heads = ['agent', 'installed', 'starts', 'protocol 1', 'login', 'MCP over', 'version', 'last driven'] as const

/** A line for each agent below one of heads; columns as wide as they have to be. */
export function doctorTable(findings: readonly Finding[]): string[] {
  const rows = [[...heads], ...findings.map(cells)]
  const widths = heads.map((_, column) => Math.max(...rows.map((row) => textWidth(row[column]!))))
  return rows.map((row) =>
    row
      .map((cell, column) => padWidth(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

function cells({ name, installed, starts, protocol1, login, mcp, agent, verified }: Finding): string[] {
  const driven = verified === 'unverified' ? 'never' : `${verified.version}, ${verified.date}`
  if (!installed) return [name, 'no', '', '', '', '', '', driven]
  const yes = (is: boolean) => (is ? 'yes' : 'no')
  return [name, 'yes', yes(starts), yes(protocol1), login, mcp?.join(', ') ?? '', safeLine(agent ?? '', 40), driven]
}

/** The page of what an ACP agent may do wrong, made of the table that the tests hold against processes that do it (A25). */
import type { Misbehaviour } from '../../test/providers/acp/misbehaviour/misbehaviour.ts'
import { families } from '../../test/providers/acp/misbehaviour/table.ts'

export const misbehaviourPage = 'docs/guide/acp-misbehaviour.md'

const headings: { readonly [family: string]: string } = {
  start: 'Before there is a session',
  framing: 'On the wire',
  turn: 'A prompt and its answer',
  permission: 'What it asks for',
  mcp: 'The result by a tool of ours',
  teardown: 'Processes that stay',
}

const introduction = `# What an ACP agent may do wrong, and what you get

Agents that speak the Agent Client Protocol are programs of many makers. Each line below was seen in one of them. A test runs
a process that does it and holds the run against this table; afterwards it asks the system whether anything is left of it.

Whatever the agent does: the result of a run settles, once; the text so far is kept, of more than 8 MiB the end; \`dispose()\`
resolves, within its bounds, and then no process of the agent is left, no open descriptor, no timer, no listener and no file.
There is one limit: a process that is forked twice and starts with an empty environment has cut each tie by which it could be
found, and lives on. What was found and could not be ended, as processes that start the next faster than they are looked for, is
named in a warning to the logger.

- **Outcome** is \`result.stopReason\`, and \`result.failure\` as code and phase; failures that may pass when the run is started
  again are marked ↻ (\`retryable\`). Their codes are explained in \`failureCodes\`.
- **Text kept** is \`result.output\`, a line a block.
- **You are told** are words of \`result.diagnostic\`, or of a warning to the logger. Beside them stand, where there are any,
  exit code or signal, the first line of output that was no message, and the end of what it wrote to stderr.
- **Ends by** is what it takes to end the process: it has ended by itself, the end of its input, SIGTERM, SIGKILL.

The options in the first column are those of the provider and of the request that it was tried with. Nothing here bounds an
agent that is silent, but for \`idleTimeoutMs\` of the provider and \`timeoutMs\` of the request: both are off by default.
`

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``
const lines = (all: readonly string[]): string => all.join('<br>')
const limit = 60

/** As it can stand in a cell: control characters by their names, and not too long. */
function quote(text: string): string {
  const shown = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return code(shown.length > limit ? `${shown.slice(0, limit - 20)} … ${shown.slice(-18)}` : shown)
}

function given({ options, timeoutMs, cancelGraceMs, promptCharacters, wantsResult, when }: Misbehaviour): string {
  const { command: _, eofGraceMs: __, termGraceMs: ___, ...shown } = options ?? {}
  const settings = Object.entries({ ...shown, timeoutMs, cancelGraceMs })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      typeof value === 'function'
        ? `a handler as ${code(name)} that never decides`
        : code(`${name}: ${JSON.stringify(value).replaceAll('"', "'")}`),
    )
  const all = [
    ...settings,
    ...(promptCharacters === undefined ? [] : [`a prompt of ${promptCharacters} characters`]),
    ...(wantsResult ? [code('outputSchema')] : []),
    ...(when ? [`it is ${when.then === 'cancel' ? 'cancelled' : 'sent a message'} meanwhile`] : []),
  ]
  return all.length === 0 ? '' : `<br>_${all.join(', ')}_`
}

function rowOf(row: Misbehaviour): string {
  const { stopReason, failure, structured, text, says = [], warns, endedBy } = row.gives
  const outcome = [
    code(stopReason),
    ...(failure ? [`${code(failure.code)} (${failure.phase})${failure.retryable ? ' ↻' : ''}`] : []),
    ...(structured === undefined ? [] : [`${code('structured')}: ${code(JSON.stringify(structured))}`]),
  ]
  const kept = 'end' in text ? [`${text.characters} characters, to the end`] : text.map(quote)
  const told = [...says.map(quote), ...(warns === undefined ? [] : [`warning: ${quote(warns)}`])]
  const ends = { itself: 'itself', eof: 'end of input', term: 'SIGTERM', kill: 'SIGKILL' }[endedBy]
  return `| ${[`${row.does}${given(row)}`, lines(outcome), lines(kept) || 'none', lines(told), ends].join(' | ')} |`
}

export function renderMisbehaviour(): string {
  const sections = Object.entries(families).map(([family, rows]) =>
    [
      `## ${headings[family]}\n`,
      '| The agent … | Outcome | Text kept | You are told | Ends by |',
      '|---|---|---|---|---|',
      ...rows.map(rowOf),
      '',
    ].join('\n'),
  )
  return [introduction, ...sections].join('\n')
}

/** The page of what an ACP agent may do wrong, made of the table that the tests hold against processes that do it (A25). */
import type { Misbehaviour } from '../../test/providers/acp/misbehaviour/misbehaviour.ts'
import { families } from '../../test/providers/acp/misbehaviour/table.ts'

export const misbehaviourPage = 'docs/guide/acp-misbehaviour.md'

const headings: { readonly [family: string]: string } = {
  start: 'Before there is a session',
  framing: 'On the wire',
  turn: 'A prompt and its answer',
  permission: 'What it asks for',
  mcp: 'A structured result by the MCP tool',
  teardown: 'Processes that do not go away',
}

const introduction = `# What an ACP agent may do wrong, and what you get

Programs that speak the Agent Client Protocol come from many makers. Everything below was seen in one of them. For each row a
test runs a process that misbehaves in that way, compares the run with this table, and then asks the system whether anything of
the process is left.

Whatever the agent does, the result of a run settles, once. The text so far is kept (if it is more than 8 MiB, the end of it).
\`dispose()\` resolves within its bounds, and then no process of the agent is left, no open descriptor, no timer, no listener and
no file. There is one exception: a process that is forked twice and starts with an empty environment has cut every tie by which
it could be found, and lives on. A process that was found but could not be ended, such as one that starts its successors faster
than they can be found, is named in a warning to the logger.

- **Outcome** is \`result.stopReason\`, then code and phase of \`result.failure\`. ↻ marks failures that may go away when the run is
  started again (\`retryable\`). \`failureCodes\`, in \`src/errors.ts\`, explains the codes.
- **Text kept** is \`result.output\`, one line for each block.
- **You are told** quotes \`result.diagnostic\`, or a warning to the logger. The diagnostic also has the exit code or signal, the
  first line of output that was not a message, and the end of stderr, if there are any.
- **Ends by** is what it takes to end the process: it ends by itself, or by the end of its input, SIGTERM or SIGKILL.

The options in the first column are those of the provider and of the request that the row was tried with. The only bounds on an
agent that stays silent are \`idleTimeoutMs\` of the provider and \`timeoutMs\` of the request; both are off by default.
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

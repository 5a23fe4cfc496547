/** `subagents replay`: a recorded journal as text. Contract: I4. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { examples } from '../help.ts'
import type { CliIo } from '../io.ts'
import { parseDuration } from '../duration.ts'
import { safeText } from '../output/safe-text.ts'
import { UsageError } from '../usage-error.ts'

export function addReplayCommand(program: Command, io: CliIo): void {
  program
    .command('replay')
    .summary('show a recording as text')
    .description(
      'Shows recorded runs: their tree with outcomes and times, and below each run its path through its chart, with the time in each state.',
    )
    .argument('<file>', 'what run or demo wrote with --record')
    .option('--at <duration>', 'the state at this time after the beginning: 500ms, 2s')
    .addHelpText(
      'after',
      examples(['subagents demo --record runs.jsonl', 'subagents replay runs.jsonl', 'subagents replay runs.jsonl --at 2s']),
    )
    .action(async (file: string, flags: { readonly at?: string }) => {
      const [{ readJournal }, { replayText }, { SubagentError }] = await Promise.all([
        import('../../inspect/index.ts'),
        import('./replay-text.ts'),
        import('../../index.ts'),
      ])
      const at = flags.at === undefined ? undefined : parseDuration(flags.at, '--at')
      try {
        const journal = await readJournal(resolve(io.cwd, file))
        const text = replayText(journal, { ...(at !== undefined && { at }), columns: io.stdout.columns ?? Infinity })
        io.stdout.write(`${safeText(text)}\n`)
        if (journal.isTorn)
          io.stderr.write('The last line is not whole, and is left out: whoever wrote it was stopped in the middle of it.\n')
      } catch (error) {
        if (SubagentError.is(error, 'INVALID_REQUEST')) throw new UsageError(error.message, { cause: error })
        throw error
      }
    })
}

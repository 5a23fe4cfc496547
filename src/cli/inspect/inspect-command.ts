/** `subagents inspect`: a recorded journal in a page. Contract: I3, I4. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { examples } from '../help.ts'
import type { CliIo } from '../io.ts'
import { UsageError } from '../usage-error.ts'
import { asUsage, untilInterrupt } from '../watch/until-interrupt.ts'

export function addInspectCommand(program: Command, io: CliIo): void {
  program
    .command('inspect')
    .summary('show a recording in a browser')
    .description(
      'Serves a page on this machine that shows recorded runs at any moment: their tree, their times, their charts, events and updates. It needs no internet.',
    )
    .option('--replay <file>', 'what run or demo wrote with --record')
    .option('--port <number>', 'the port on 127.0.0.1 (default: any free one)')
    .addHelpText(
      'after',
      examples(['subagents demo --record runs.jsonl', 'subagents inspect --replay runs.jsonl', 'subagents demo --inspect']),
    )
    .action(async ({ replay, port }: { readonly replay?: string; readonly port?: string }) => {
      if (replay === undefined)
        throw new UsageError(
          '--replay is missing. Give the file that --record wrote. To watch runs while they work, use --inspect on run or demo.',
        )
      const onPort = portOf(port)
      const { openInspectPage, readJournal } = await import('../../inspect/index.ts')
      const journal = await readJournal(resolve(io.cwd, replay)).catch(asUsage('--replay'))
      const page = await openInspectPage(journal, { env: io.env, port: onPort }).catch(asUsage('--port'))
      const say = (text: string) => io.stderr.write(`${text}\n`)
      say(`Page: ${page.url}`)
      await untilInterrupt(io, say, 'It stays until Ctrl-C.')
      await page.close()
    })
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port ${JSON.stringify(text)} is not a port. Give a number from 0 to 65535.`)
  return Number(text)
}

/** The whole command, with the process passed in. Contract: C6, C7. */
import { CommanderError } from 'commander'
import { exitCode } from './exit-code.ts'
import type { CliIo } from './io.ts'
import { safeText } from './output/safe-text.ts'
import { secretFilter } from '../run/secrets.ts'
import { createProgram } from './program.ts'
import { UsageError } from './usage-error.ts'

/** @returns the exit code; never rejects */
export async function runCli(io: CliIo): Promise<number> {
  let code: number = exitCode.completed
  try {
    await createProgram(io, (reported) => (code = reported)).parseAsync(withViewer(io.argv), { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.completed : exitCode.badUsage
    const message = error instanceof Error ? error.message : String(error)
    const clean = secretFilter(io.env)
    const say = (text: string) => io.stderr.write(`${clean(safeText(text))}\n`)
    const missing = missingPackage(error)
    if (error instanceof UsageError || missing !== undefined) {
      say(missing === undefined ? message : `This needs the package ${missing}, which is not installed. Run: npm install ${missing}`)
      return exitCode.badUsage
    }
    say(`This should not have happened: ${message}`)
    return exitCode.otherOutcome
  }
}

/** `--inspect` by itself is `--inspect=page`: else it would take the word after it, which is a task, for a viewer. */
function withViewer(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.map((word, index) => (word === '--inspect' && (end < 0 || index < end) ? '--inspect=page' : word))
}

/** The AI SDK and the vendors' packages are loaded when they are used; who installed this package may not have them. */
function missingPackage(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) return undefined
  return /^Cannot find package '([^'/]+(?:\/[^'/]+)?)'/.exec(error.message)?.[1]
}

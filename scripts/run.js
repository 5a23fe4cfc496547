/** Runs a TypeScript module: `node scripts/run.js FILE [ARGUMENTS]`. The oldest Node that is supported cannot by itself. */
import { resolve } from 'node:path'
import { runnerImport } from 'vite'

const [file, ...rest] = process.argv.slice(2)
if (file === undefined) {
  console.error('Usage: node scripts/run.js FILE [ARGUMENTS]')
  process.exit(2)
}
process.argv = [process.argv[0], resolve(file), ...rest]
await runnerImport(resolve(file))

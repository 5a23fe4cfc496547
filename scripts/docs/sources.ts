/**
 * What the blocks of the pages are made of: files, and what commands print.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Block } from './blocks.ts'

/** The pages whose code is checked; those of `docs/api` are made of docstrings. */
export function pages(root: string): string[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => /^(?!api\b).*\.md$/.test(name))
  return ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => join('docs', name))]
}

export function readSource(root: string, { kind, of }: NonNullable<Block['source']>): string {
  return kind === 'code' ? readFileSync(join(root, of), 'utf8') : outputOf(root, of)
}

/** Progress goes to stderr: it stands above the answer, as a terminal shows it. The line that npm prints of itself is left out. */
function outputOf(root: string, command: string): string {
  const env = { ...process.env, NO_COLOR: '1', npm_config_loglevel: 'silent' }
  const { stdout, stderr, status } = spawnSync(command, { cwd: root, shell: true, encoding: 'utf8', env })
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stderr}`)
  const [first = '', ...rest] = stdout.split('\n')
  return stderr === '' ? stdout : [first, '', stderr.trimEnd(), ...rest].join('\n')
}

/** Output with what differs from run to run taken out: times, and the order in which children end. */
export function comparable(output: string): string[] {
  return output
    .split('\n')
    .map((line) =>
      line
        .replace(/\d+(\.\d+)?m?s\b/g, '…')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
    .sort()
}

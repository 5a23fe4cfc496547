/**
 * The figures that the contract bounds: `npm run bench`, or those that are named, `npm run bench -- delegation memory`.
 * Each subject is a process of its own, since what was run before shapes what the engine makes of the next.
 *
 *     --json FILE   writes the figures there as well
 *     --quick       a few repetitions of each, which show that it runs; no bound is judged
 *
 * A bound that does not hold, or a subject that fails, ends it with exit code 1.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'

const subjects = ['run', 'listeners', 'growth', 'memory', 'bulk', 'delegation', 'structured', 'sessions', 'acp', 'inspection']
const options = { json: { type: 'string' }, quick: { type: 'boolean', default: false } }
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const unknown = positionals.filter((name) => !subjects.includes(name))
if (unknown.length > 0) {
  console.error(`There is no subject ${unknown.join(', ')}. The subjects are ${subjects.join(', ')}.`)
  process.exit(2)
}

const figures = []
for (const subject of positionals.length > 0 ? positionals : subjects) {
  console.log(subject)
  const path = fileURLToPath(new URL(`${subject}.js`, import.meta.url))
  const child = fork(path, values.quick ? ['--quick'] : [], { execArgv: ['--expose-gc'] })
  child.on('message', (figure) => figures.push({ subject, ...figure }))
  const [code] = await once(child, 'close')
  if (code !== 0) process.exitCode = 1
}
if (values.json !== undefined) {
  const { node, v8 } = process.versions
  writeFileSync(values.json, `${JSON.stringify({ node, v8, quick: values.quick, figures }, null, 2)}\n`)
}

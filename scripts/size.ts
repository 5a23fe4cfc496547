/** The size of each entry against its budget: `npm run size`. Fails where one is over. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measureEntries } from './size/measure.ts'
import { judge } from './size/verdict.ts'
import type { Budgets } from './size/verdict.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const budgetFile = 'scripts/size/budgets.json'
const budgets = JSON.parse(readFileSync(join(root, budgetFile), 'utf8')) as Budgets
const { table, problems } = judge(await measureEntries(root), budgets, budgetFile)
console.log(`Own code of each entry, minified and compressed by gzip; packages are not counted.\n\n${table}`)
for (const problem of problems) console.error(`\n${problem}`)
if (problems.length > 0) process.exitCode = 1

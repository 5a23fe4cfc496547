/** Installs each recipe of examples/recipes and runs its check: `npm run recipes`, or `npm run recipes -- langgraph`. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../examples/recipes', import.meta.url))
const wanted = process.argv.slice(2)
const recipes = readdirSync(root).filter((name) => existsSync(join(root, name, 'package.json')))
const unknown = wanted.filter((name) => !recipes.includes(name))
if (unknown.length > 0) throw new Error(`There is no recipe ${unknown.join(', ')}. There are ${recipes.join(', ')}.`)

for (const name of wanted.length > 0 ? wanted : recipes) {
  console.log(`\n${name}`)
  for (const script of [['ci'], ['run', '--silent', 'check']]) {
    const { status } = spawnSync('npm', script, { cwd: join(root, name), stdio: 'inherit', shell: process.platform === 'win32' })
    if (status !== 0) process.exit(1)
  }
}

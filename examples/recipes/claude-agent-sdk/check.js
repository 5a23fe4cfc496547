/** The recipe with the real Agent SDK and a stand-in for the executable that it starts: no network, no key. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { checkRecipe } from '../check-recipe.js'
import { claudeProvider } from './provider.js'

const pathToClaudeCodeExecutable = fileURLToPath(new URL('stand-in.js', import.meta.url))
const children = new Map()

function providerOn(name) {
  const spawnClaudeCodeProcess = ({ command, args, cwd, env, signal }) => {
    const child = spawn(command, args, { cwd, env: { ...env, STAND_IN: name }, signal, stdio: ['pipe', 'pipe', 'inherit'] })
    children.set(name, once(child, 'exit'))
    return child
  }
  return claudeProvider({ name, options: { pathToClaudeCodeExecutable, spawnClaudeCodeProcess } })
}

await checkRecipe({
  answers: providerOn('answers'),
  calls: ['Grep'],
  hangs: providerOn('hangs'),
  // The SDK closes the input of its process and lets it end; it does not kill it at once.
  wasStopped: async () => (await children.get('hangs'))[0] === 0,
  fails: providerOn('fails'),
  code: 'MODEL_ERROR',
})

/** What each recipe is put through: text that streams, its result, a cancel that reaches the child, an error. */
import assert from 'node:assert/strict'
import { createSubagentService, rootAgent } from 'xstate-subagents'

/**
 * @param {object} recipe
 * @param {import('xstate-subagents').SubagentProvider} recipe.answers streams 'There are ' and 'three.', and completes with both
 * @param {string[]} [recipe.calls] the tools that it calls before
 * @param {import('xstate-subagents').SubagentProvider} recipe.hangs streams 'half', and then nothing more
 * @param {() => boolean | Promise<boolean>} recipe.wasStopped whether the child of `hangs` has heard that it is cancelled
 * @param {import('xstate-subagents').SubagentProvider} recipe.fails streams 'half', and fails with an error that quotes a key
 * @param {string} recipe.code the failure that comes of it
 */
export async function checkRecipe({ answers, calls = [], hangs, wasStopped, fails, code }) {
  const service = createSubagentService({ providers: [answers, hangs, fails] })
  const start = (provider) => service.start(provider.name, { parent: rootAgent({ cwd: process.cwd() }), prompt: 'How many TODOs?' })
  const textOf = ({ output }) => output.map(({ text }) => text).join('')

  const run = start(answers)
  const updates = []
  for await (const update of run.updates) updates.push(update)
  const result = await run.result
  assert.deepEqual([result.stopReason, result.failure, textOf(result)], ['completed', undefined, 'There are three.'])
  const ofType = (wanted) => updates.filter(({ type }) => type === wanted)
  assert.deepEqual(
    ofType('text').map(({ text }) => text),
    ['There are ', 'three.'],
  )
  assert.deepEqual(
    ofType('tool-call').map(({ name }) => name),
    calls,
  )

  const cancelled = start(hangs)
  let seen = ''
  for await (const update of cancelled.updates) if (update.type === 'text' && (seen += update.text) === 'half') cancelled.cancel()
  const aborted = await cancelled.result
  assert.deepEqual([aborted.stopReason, aborted.failure, textOf(aborted)], ['aborted', undefined, 'half'])
  await cancelled.dispose()
  assert.deepEqual([await wasStopped(), cancelled.leaked], [true, false])

  const failed = await start(fails).result
  assert.deepEqual([failed.stopReason, failed.failure.code, textOf(failed)], ['error', code, 'half'])
  assert.doesNotMatch(JSON.stringify(failed), /sk-/)
  await service.close()
  console.log(`streams, completes, is cancelled, fails with ${code} (${failed.failure.message})`)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import type { PagePermission } from '../../../src/inspect/page/protocol.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { root } from '../../project/source-files.ts'
import { until } from '../../providers/collect.ts'
import { ask, pageViewer } from './viewer.ts'

it('I3, A13: examples/inspecting/answer-in-the-page waits for an answer of the page and goes on with it', async () => {
  buildProgram()
  const example = spawn(process.execPath, ['scripts/run.js', 'examples/inspecting/answer-in-the-page.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void example.kill('SIGKILL'))
  let output = ''
  example.stdout.on('data', (chunk) => (output += String(chunk)))
  await until(() => /Answer at \S+\n/.test(output))
  const url = /Answer at (\S+)/.exec(output)![1]!
  const viewer = await pageViewer(url)
  await until(() => viewer.of<PagePermission[]>('permissions').some(({ length }) => length > 0))
  const [{ runId, requestId }] = viewer.of<PagePermission[]>('permissions').find(({ length }) => length > 0) as [PagePermission]
  const ended = once(example, 'exit')
  const body = JSON.stringify({ runId, requestId, optionId: 'yes' })
  expect((await ask(`${url}answer`, { method: 'POST', headers: { origin: new URL(url).origin }, body })).status).toBe(204)
  expect(await ended).toEqual([0, null])
  expect(output).toContain('Written.')
}, 60_000)

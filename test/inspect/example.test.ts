import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWebSocketReceiver } from '@statelyai/inspect'
import { expect, it } from 'vitest'
import { root } from '../project/source-files.ts'

interface Message {
  readonly type: string
  readonly name?: string
  readonly sessionId: string
  readonly parentId?: string
  readonly definition?: string
  readonly snapshot?: { readonly value?: unknown }
}

it('I1, I2: examples/stately-inspector shows a viewer three runs under the registry, answered, failed and cancelled', async () => {
  const example = spawn(process.execPath, ['examples/stately-inspector/main.js', '--once'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    let output = ''
    example.stdout.on('data', (chunk) => (output += String(chunk)))
    await once(example.stdout, 'data')
    const [, address] = /^Open http(:\/\/127\.0\.0\.1:\d+\/\w+\/) in a browser that can reach stately\.ai\.\n$/.exec(output)!

    const messages: Message[] = []
    // As the page in the browser does.
    createWebSocketReceiver({ server: `ws${address}events` }).subscribe((message) => messages.push(message as Message))
    await once(example, 'exit')
    expect(output.split('\n').slice(1, 4)).toEqual([
      'completed There are three.',
      'error scripted refused the call (HTTP 400): the model takes no such request.',
      'aborted ',
    ])

    const actors = messages.filter(({ type }) => type === '@xstate.actor')
    const [registry] = actors
    const runs = actors.filter(({ parentId }) => parentId === registry!.sessionId)
    expect([registry!.name, runs.length]).toEqual(['registry', 3])
    expect(
      runs.map(({ sessionId }) =>
        actors.filter(({ parentId }) => parentId === sessionId).map(({ definition }) => JSON.parse(definition!).id as string),
      ),
    ).toEqual([['agent'], ['agent'], ['agent']])
    const drained = runs.map(({ sessionId }) =>
      messages.some((message) => message.sessionId === sessionId && JSON.stringify(message.snapshot?.value) === '{"settling":"draining"}'),
    )
    expect(drained).toEqual([false, false, true])
  } finally {
    example.kill('SIGKILL')
  }
}, 30_000)

import { tool } from 'ai'
import { expect, it, vi } from 'vitest'
import { z } from 'zod'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { ask, setUp } from './harness.ts'

/** What comes of one call whose arguments the schema turns into `value`, and what the model is sent of them in this turn and the next. */
async function argumentsOf(value: unknown) {
  const heard: unknown[] = []
  const hear = (input: unknown) => void heard.push(input)
  const odd = tool({
    inputSchema: z.object({ q: z.string() }).transform(() => value),
    needsApproval: (input) => (hear(input), false),
    onInputAvailable: ({ input }) => hear(input),
    execute: async (input) => (hear(input), 'done'),
    toModelOutput: ({ input, output }) => (hear(input), { type: 'text', value: output }),
  })
  const model = scriptedModel([{ tools: [{ name: 'odd', input: { q: 'a' } }] }, 'ok', 'again'])
  const { agent } = setUp({ model, tools: { odd } })
  const log = await ask(agent, 'go')
  await ask(agent, 'more')
  const sent = [1, 2].map((call) => (model.calls[call]!.prompt[1] as { content: { input?: unknown }[] }).content[0]!.input)
  return { log: log.slice(2), heard, sent }
}

it('G10: arguments of which the AI SDK cannot make a copy reach the tool and each of its hooks as they are, and the model as JSON', async () => {
  class Query {
    run = () => 1
  }
  for (const [value, json, sent = json] of [
    [{ run: () => 1 }, { run: '[function]' }],
    [{ key: Symbol('k') }, { key: '[Symbol(k)]' }],
    [new Query(), { run: '[function]' }],
    [{ at: new URL('https://example.com/') }, { at: 'https://example.com/' }],
    [{ big: 10n }, { big: '10n' }],
    // Providers take an object only.
    [new URL('https://example.com/'), 'https://example.com/', { value: 'https://example.com/' }],
  ]) {
    const found = await argumentsOf(value)
    expect(found.log).toEqual([
      'assistant ""',
      `call odd ${JSON.stringify(json)}`,
      'result odd ok "done"',
      'assistant "ok"',
      'end 1 completed',
    ])
    expect(found.sent).toEqual([sent, sent])
    expect(found.heard.length).toBe(4)
    for (const input of found.heard) expect(input).toBe(value)
  }
})

it('arguments that are JSON are handed on without a copy', async () => {
  const value = { list: [1, { deep: null }], none: undefined, bare: Object.assign(Object.create(null), { a: 1 }) }
  const { heard, sent } = await argumentsOf(value)
  expect(heard.every((input) => input === value)).toBe(true)
  expect(sent[0]).toEqual(sent[1])
})

it('what a tool has the model see as JSON is JSON, in this turn and in the next', async () => {
  class Row {
    id = 1
    save = () => {}
  }
  const model = scriptedModel([{ tools: [{ name: 'row' }] }, 'ok', 'again'])
  const row = tool({
    inputSchema: z.object({}),
    execute: async () => new Row(),
    toModelOutput: ({ output }) => ({ type: 'json', value: output as never }),
  })
  const { agent } = setUp({ model, tools: { row } })
  await ask(agent, 'go')
  expect((await ask(agent, 'more')).filter((line) => line.startsWith('end'))).toEqual(['end 1 completed', 'end 2 completed'])
  for (const { prompt } of model.calls.slice(1))
    expect(prompt[2]).toMatchObject({ content: [{ output: { type: 'json', value: { id: 1, save: '[function]' } } }] })
})

it('G10: a tool hears of its arguments while the model writes them, as it does in streamText', async () => {
  const heard: string[] = []
  const typed = tool({
    inputSchema: z.object({ q: z.string() }),
    onInputStart: async ({ toolCallId, messages, abortSignal }) =>
      void heard.push(`start ${toolCallId} ${messages.length} ${abortSignal?.aborted}`),
    onInputDelta: ({ inputTextDelta, toolCallId, messages }) => void heard.push(`delta ${toolCallId} ${messages.length} ${inputTextDelta}`),
    onInputAvailable: ({ input }) => void heard.push(`available ${JSON.stringify(input)}`),
    execute: async () => 'done',
  })
  const scripted = scriptedModel([
    { tools: [{ name: 'typed', input: { q: 'a' } }] },
    { tools: [{ name: 'typed', input: { q: 'b' } }] },
    'ok',
  ])
  const { agent } = setUp({ model: typing(scripted), tools: { typed } }, { onUpdate: ({ type }) => heard.push(type) })
  await ask(agent, 'go')
  const call = (id: string, messages: number, q: string) => [
    `start ${id} ${messages} false`,
    ...['{"q":', `"${q}"}`].map((delta) => `delta ${id} ${messages} ${delta}`),
    'tool-call',
    `available {"q":"${q}"}`,
    'tool-result',
    'usage',
  ]
  expect(heard).toEqual([...call('call-0-0', 1, 'a'), ...call('call-1-0', 3, 'b'), 'text', 'usage'])
})

it('a hook that fails while the model writes ends the answer, and no tool is run for it', async () => {
  const execute = vi.fn(async () => 'done')
  const typed = tool({
    inputSchema: z.object({ q: z.string() }),
    execute,
    onInputDelta() {
      throw new Error('no room')
    },
  })
  const { agent } = setUp({ model: typing(scriptedModel([{ tools: [{ name: 'typed', input: { q: 'a' } }] }])), tools: { typed } })
  expect((await ask(agent, 'go')).slice(2)).toEqual([
    'end 1 error {"message":"scripted failed: no room.","provider":"scripted","retryable":false}',
  ])
  expect(execute).not.toHaveBeenCalled()
})

/** Writes the arguments of each call in two pieces. */
function typing(scripted: ReturnType<typeof scriptedModel>): typeof scripted {
  return {
    ...scripted,
    async doStream(options) {
      const { stream } = await scripted.doStream(options)
      const pieces = new TransformStream({
        transform(part, controller) {
          if (part.type.startsWith('tool-input')) return
          if (part.type === 'tool-call') {
            const { toolCallId: id, toolName, input } = part
            controller.enqueue({ type: 'tool-input-start', id, toolName })
            for (const delta of [input.slice(0, 5), input.slice(5)]) controller.enqueue({ type: 'tool-input-delta', id, delta })
            controller.enqueue({ type: 'tool-input-end', id })
          }
          controller.enqueue(part)
        },
      })
      return { stream: stream.pipeThrough(pieces) }
    },
  }
}

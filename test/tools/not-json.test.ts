import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { createSubagentService, defineProvider } from '../../src/index.ts'
import type { ContentBlock, SubagentResult } from '../../src/index.ts'
import { processFaults } from '../registry/process-faults.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { defineSubagentTool, subagentTool } from '../../src/tools/index.ts'
import { background, settled } from './background-doubles.ts'
import { parent, task } from './doubles.ts'

const cyclic: { self?: unknown } = {}
cyclic.self = cyclic
const hostile = {
  get value() {
    throw new Error('not now')
  },
}
const hostileError = new (class extends Error {
  override get message(): string {
    throw new Error('not now either')
  }
})()
const unreadable = {
  get value() {
    throw hostileError
  },
}

/** A service whose runs give `result`, and how many of them were disposed. */
function serviceOf(result: SubagentResult) {
  const counts = { disposed: 0 }
  const provider = {
    name: 'helper',
    capabilities: { outputSchema: true, depthLimit: false, toolFilter: false },
    start: () => ({
      result: Promise.resolve(result),
      cancel: () => {},
      dispose: async () => {
        counts.disposed++
      },
    }),
  }
  return { service: createSubagentService({ providers: [provider], logger: { debug() {}, warn() {}, error() {} } }), counts }
}
const structured = (value: unknown): SubagentResult => ({ output: [], structured: value, stopReason: 'completed' })
const outputSchema = { type: 'object' }

const cases: [string, unknown, unknown][] = [
  ['a bigint', { n: 10n }, { n: '10n' }],
  ['a cycle', cyclic, { self: '[circular]' }],
  ['a date', { when: new Date(0) }, { when: '1970-01-01T00:00:00.000Z' }],
  ['a map and a set', { map: new Map([['a', 1]]), set: new Set([2]) }, { map: [['a', 1]], set: [2] }],
  ['numbers that JSON has not', { n: NaN, none: undefined }, { n: 'NaN' }],
  ['a getter that throws', hostile, '[unreadable: not now]'],
  ['a getter that throws what cannot be read', unreadable, '[unreadable: a value that cannot be described]'],
  ['an array', [1, { two: 2n }], [1, { two: '2n' }]],
  ['a date alone', new Date(0), '1970-01-01T00:00:00.000Z'],
  ['a bigint alone', 5n, '5n'],
]

describe('structured output that is no plain JSON', () => {
  it.each(cases)('T7, T6: %s is told as JSON, and the run is released', async (_, value, json) => {
    const { service, counts } = serviceOf(structured(value))
    const isObject = typeof json === 'object' && !Array.isArray(json)
    const tool = defineSubagentTool({ service, provider: 'helper', parent, outputSchema })
    expect(await tool.execute(task)).toEqual({
      isError: false,
      content: [{ type: 'text', text: JSON.stringify(json) }],
      ...(isObject && { structured: json }),
    })
    expect(counts.disposed).toBe(1)
  })

  it.each(cases)('T7: %s breaks no conversation of the AI SDK, whatever comes after it', async (_, value, json) => {
    const { service } = serviceOf(structured(value))
    const tools = { subagent: subagentTool({ service, provider: 'helper', parent, outputSchema }) }
    const user = (content: string) => ({ role: 'user' as const, content })
    const first = await generateText({
      model: scriptedModel([{ tools: [{ name: 'subagent', input: task }] }, 'one']),
      messages: [user('a')],
      tools,
      stopWhen: stepCountIs(3),
    })
    // Version 6 gives a step all messages so far, version 7 its own.
    const each = first.steps.map(({ response }) => response.messages)
    const messages = each.at(-1)!.some(({ role }) => role === 'tool') ? each.at(-1)! : each.flat()
    const told = messages.flatMap((message) =>
      message.role === 'tool' ? message.content.map((part) => part.type === 'tool-result' && part.output) : [],
    )
    const isObject = typeof json === 'object' && !Array.isArray(json)
    expect(told).toEqual([isObject ? { type: 'json', value: json } : { type: 'text', value: JSON.stringify(json) }])
    const second = await generateText({
      model: scriptedModel(['two']),
      messages: [user('a'), ...messages, user('b')],
      tools,
    })
    expect(second.text).toBe('two')
  })

  it('T7: as it is it stands in the result of the run', async () => {
    const { service } = serviceOf(structured({ n: 10n }))
    expect((await service.delegate('helper', { parent, prompt: 'x', outputSchema })).structured).toEqual({ n: 10n })
  })

  it('T11: in the background it ends no process, and its end is noticed', async () => {
    const { provider, begin, call, notices } = background(
      { outputSchema },
      { capabilities: { outputSchema: true, depthLimit: false, toolFilter: false } },
    )
    const faults = await processFaults(async () => {
      const id = await begin()
      provider.children[0]!.settle({ structured: { n: 1n } })
      await settled()
      expect(await call('subagent_result', { id, timeout_ms: 0 })).toBe('{"n":"1n"}')
    })
    expect([faults, notices.map(({ stopReason }) => stopReason)]).toEqual([[], ['completed']])
  })
})

describe('blocks that hold more than JSON', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const

  it('T7, T12: what they hold beside their fields is told as JSON, also where the answer is cut', async () => {
    const output = [{ ...image, _meta: { n: 1n } }] as unknown as ContentBlock[]
    const { service, counts } = serviceOf({ output, stopReason: 'completed' })
    for (const maxOutputBytes of [1024, 65536])
      expect(
        await defineSubagentTool({ service, provider: 'helper', parent, maxOutputBytes, toolName: `cut-${maxOutputBytes}` }).execute(task),
      ).toEqual({
        isError: false,
        content: [{ ...image, _meta: { n: '1n' } }],
      })
    expect(counts.disposed).toBe(2)
  })

  it('T6: one that cannot be read once it was let in is an error, and the run is released', async () => {
    let reads = 0
    const fickle = {
      get type() {
        if (reads++ > 0) throw new Error('not twice')
        return 'text'
      },
      text: 'x',
    }
    const { service, counts } = serviceOf({ output: [fickle as ContentBlock], stopReason: 'completed' })
    expect(await defineSubagentTool({ service, provider: 'helper', parent }).execute(task)).toEqual({
      isError: true,
      content: [{ type: 'text', text: "The subagent's answer cannot be read: not twice" }],
    })
    expect(counts.disposed).toBe(1)
  })
})

it('T7: what a kept conversation holds that is no block is told as text', () => {
  const service = createSubagentService({ providers: [defineProvider({ name: 'helper', run: () => 'ok' })] })
  const { toModelOutput } = subagentTool({ service, provider: 'helper', parent })
  const tell = (output: unknown) => toModelOutput!({ toolCallId: 'a', input: task, output: output as string })
  expect(tell([{ type: 'thinking', thinking: 'hm' }, null, { type: 'resource' }, { type: 'text', text: 'x' }])).toEqual({
    type: 'content',
    value: [
      { type: 'text', text: '{"type":"thinking","thinking":"hm"}' },
      { type: 'text', text: 'null' },
      { type: 'text', text: '{"type":"resource"}' },
      { type: 'text', text: 'x' },
    ],
  })
  expect(tell({ when: new Date(0) })).toEqual({ type: 'json', value: { when: '1970-01-01T00:00:00.000Z' } })
})

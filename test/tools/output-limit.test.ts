import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import type { ContentBlock, SubagentResult } from '../../src/index.ts'
import { cutText, textFrom } from '../../src/tools/cut.ts'
import { defineSubagentTool, subagentTool } from '../../src/tools/index.ts'
import { limitResult } from '../../src/tools/output-limit.ts'
import { BoundedText } from '../../src/tools/progress/bounded-text.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { background, textIn } from './background-doubles.ts'
import { parent, serviceWith, task } from './doubles.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const image = (bytes: number): ContentBlock => ({ type: 'image', data: 'A'.repeat(bytes), mimeType: 'image/png' })
const bytes = (value: unknown) => Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
const limit = 1024

const execute = (result: Partial<SubagentResult>, options = {}) =>
  defineSubagentTool({
    service: serviceWith(() => ({ output: [], stopReason: 'completed', ...result }), { outputSchema: true }),
    provider: 'helper',
    parent,
    maxOutputBytes: limit,
    ...options,
  }).execute(task)

describe('text', () => {
  it('T12: what fits is given as it is, to the byte', async () => {
    for (const fits of ['x'.repeat(limit), 'ä'.repeat(limit / 2), '😀'.repeat(limit / 4)])
      expect(await execute({ output: [text(fits)] })).toEqual({ isError: false, content: [text(fits)] })
  })

  it('T12: what is larger is head and tail with a mark that says how much of how much is cut, together within the limit', async () => {
    const value = `${'a'.repeat(5000)}${'z'.repeat(5000)}`
    const answer = textIn(await execute({ output: [text(value)] }))
    const [, head, cut, all, tail] = /^(a+)\n\[… (\d+) of (\d+) bytes are cut here\]\n(z+)$/.exec(answer)!
    expect([Number(all), Number(cut)]).toEqual([10_000, 10_000 - head!.length - tail!.length])
    expect([bytes(answer) <= limit, bytes(answer) > limit - 10]).toEqual([true, true])
    expect(Math.abs(head!.length - tail!.length)).toBeLessThanOrEqual(1)
  })

  it.each(['ä', '€', '😀', 'a€😀'])('T12: %s is never cut in two', async (unit) => {
    for (const prefix of ['', 'x', 'xx', 'xxx']) {
      const answer = textIn(await execute({ output: [text(prefix + unit.repeat(2000))] }))
      expect([answer.includes('\ufffd'), Buffer.from(answer).toString() === answer, bytes(answer) <= limit]).toEqual([false, true, true])
      const [, cut, all] = /(\d+) of (\d+) bytes/.exec(answer)!
      expect(bytes(answer.replace(/\n\[….*\]\n/, '')) + Number(cut)).toBe(Number(all))
    }
  })

  it('T12: the default is 64 KiB', async () => {
    const answer = (length: number) => execute({ output: [text('x'.repeat(length))] }, { maxOutputBytes: undefined })
    expect(textIn(await answer(65_536)).length).toBe(65_536)
    expect(textIn(await answer(65_537))).toContain('of 65537 bytes are cut here')
  })

  it('T12, T7: a failure keeps its sentence and its diagnostic; what is cut is the middle of the partial text', async () => {
    const result = await execute({ stopReason: 'error', diagnostic: 'acme failed.', output: [text('x'.repeat(9000))] })
    expect(result.isError).toBe(true)
    expect(textIn(result)).toMatch(
      /^The subagent failed\.\n\nacme failed\.\n\nWhat it had written until then:\nx+\n\[… \d+ of \d+ bytes are cut here\]\nx+$/,
    )
  })

  it('T12: the full text stays on the run', async () => {
    const service = serviceWith(() => 'x'.repeat(9000))
    const outputs: unknown[] = []
    service.on('subagent/end', ({ lastAssistantMessage }) => void outputs.push(lastAssistantMessage))
    await defineSubagentTool({ service, provider: 'helper', parent, maxOutputBytes: limit }).execute(task)
    expect(outputs).toEqual([[text('x'.repeat(9000))]])
  })

  it('T12: in a loop of the AI SDK the model gets the cut text', async () => {
    const model = scriptedModel([{ tools: [{ name: 'subagent', input: task }] }, 'thanks'])
    const service = serviceWith(() => 'x'.repeat(9000))
    await generateText({
      model,
      prompt: 'delegate',
      tools: { subagent: subagentTool({ service, provider: 'helper', parent, maxOutputBytes: limit }) },
      stopWhen: stepCountIs(2),
    })
    const [part] = model.calls[1]!.prompt.at(-1)!.content as any[]
    expect(part.output).toEqual({ type: 'text', value: expect.stringMatching(/^x+\n\[… \d+ of 9000 bytes are cut here\]\nx+$/) })
  })
})

describe('a structured object', () => {
  it('T12: is given whole where it fits', async () => {
    const structured = { list: ['a'.repeat(900)] }
    expect(await execute({ structured }, { outputSchema: { type: 'object' } })).toMatchObject({ isError: false, structured })
  })

  it('T12: is given as the head and tail of its JSON where it does not, and is no error', async () => {
    const structured = { list: ['a'.repeat(2000)] }
    const result = await execute({ structured }, { outputSchema: { type: 'object' } })
    expect([result.isError, 'structured' in result]).toEqual([false, false])
    expect(textIn(result)).toMatch(/^\{"list":\["a+\n\[… \d+ of 2013 bytes are cut here\]\na+"\]\}$/)
  })
})

describe('other blocks', () => {
  it('T12: count by their size; those for which no room is left are named in a note', async () => {
    const resource: ContentBlock = { type: 'resource', resource: { uri: 'file:///b', text: 'x'.repeat(5000) } }
    const result = await execute({ output: [text('see'), image(700), image(800), image(600), resource] }, { maxOutputBytes: 2048 })
    expect(result.content).toEqual([
      text('see'),
      image(700),
      image(600),
      text(
        `\n[Left out, since an answer may have 2048 bytes: image image/png, ${bytes(image(800))} bytes; resource file:///b, ${bytes(resource)} bytes]`,
      ),
    ])
    const fits = [text('see'), image(800), image(1000)]
    expect((await execute({ output: fits }, { maxOutputBytes: 3 + bytes(image(800)) + bytes(image(1000)) })).content).toEqual(fits)
  })

  it('T12: an answer that was nothing but one that is too large is the note', async () => {
    expect((await execute({ output: [image(2000)] })).content).toEqual([text(expect.stringMatching(/^\n\[Left out/) as never)])
  })

  it('T12: whatever comes, the whole is within the limit', () => {
    const many = Array.from({ length: 300 }, (_, index): ContentBlock => ({
      type: 'resource_link',
      uri: `file:///${index}${'x'.repeat(index)}`,
      name: 'n',
    }))
    for (const [length, blocks] of [
      [0, many],
      [500, many],
      [1000, many],
      [1024, many],
      [5000, many],
      [1020, [image(900)]],
      [600, [image(300), image(300)]],
    ] as const) {
      const { content } = limitResult({ isError: false, content: [text('y'.repeat(length)), ...blocks] }, limit)
      const size = content.reduce((sum, block) => sum + (block.type === 'text' ? bytes(block.text) : bytes(block)), 0)
      expect(size).toBeLessThanOrEqual(limit)
    }
  })
})

it.each([0, 1023, 1.5, NaN, '2048'])('T12: maxOutputBytes of %s is refused when the tool is made', (maxOutputBytes) => {
  const service = serviceWith(() => 'ok')
  expect(() => defineSubagentTool({ service, provider: 'helper', maxOutputBytes: maxOutputBytes as number })).toThrow(
    /^maxOutputBytes must be a whole number from 1024, got/,
  )
})

describe('a long answer of a run in the background', () => {
  it('T12, T11: is cut with the hint to read on, and read whole piece by piece', async () => {
    const { call, begin, provider } = background({ maxOutputBytes: limit })
    const id = await begin()
    const whole = Array.from({ length: 800 }, (_, index) => `${index}€`).join(' ')
    provider.children[0]!.settle({ output: [text(whole)] })
    expect(await call('subagent_result', { id })).toMatch(/bytes are cut here, read on with offset\]/)
    let read = ''
    let pieces = 0
    for (let offset: number | undefined = 0; offset !== undefined; pieces++) {
      const piece = await call('subagent_result', { id, offset })
      expect(bytes(piece)).toBeLessThanOrEqual(limit)
      const [head, body] = [piece.slice(0, piece.indexOf('\n')), piece.slice(piece.indexOf('\n') + 1)]
      expect(head).toMatch(/^\[bytes \d+ to \d+ of \d+(; go on with offset \d+|, which is the end)\]$/)
      read += body
      const next = /go on with offset (\d+)/.exec(head)
      offset = next ? Number(next[1]) : undefined
    }
    expect([read === whole, pieces]).toEqual([true, Math.ceil(bytes(whole) / 822)])
    expect(await call('subagent_result', { id, offset: 1_000_000 })).toBe(
      `[bytes ${bytes(whole)} to ${bytes(whole)} of ${bytes(whole)}, which is the end]\n`,
    )
  })
})

describe('text that comes in deltas', () => {
  it.each([1, 3, 7, 100, 5000])('T12, T15: in pieces of %i it is the same text, cut as a whole one, within the limit', (size) => {
    const unit = 'a€😀'
    for (const length of [10, 100, 113, 200, 1000, 5000]) {
      const whole = unit.repeat(length)
      const bounded = new BoundedText(limit)
      for (let at = 0; at < whole.length; at += size) bounded.add(whole.slice(at, at + size))
      const shown = String(bounded)
      expect(bytes(shown)).toBeLessThanOrEqual(limit)
      if (bytes(whole) <= limit) expect(shown).toBe(whole)
      else {
        const [head, tail] = shown.split(/\n\[….*\]\n/) as [string, string]
        expect([whole.startsWith(head), whole.endsWith(tail), head.length > 150, tail.length > 150]).toEqual([true, true, true, true])
      }
    }
  })
})

it('T12: a byte order mark is text like any other', () => {
  expect(textFrom('\ufeffabc', 0, 100).text).toBe('\ufeffabc')
  expect(cutText(`\ufeff${'x'.repeat(5000)}`, limit).startsWith('\ufeffx')).toBe(true)
})

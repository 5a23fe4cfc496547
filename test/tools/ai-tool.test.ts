import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService, defineProvider } from '../../src/index.ts'
import type { ContentBlock, SubagentResult } from '../../src/index.ts'
import { subagentTool } from '../../src/tools/index.ts'
import type { SubagentToolOptions } from '../../src/tools/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { parent, serviceWith, task } from './doubles.ts'

const text = (value: string): ContentBlock => ({ type: 'text', text: value })
const image: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' }

/** What a tool that may yield preliminary results comes to, as the AI SDK reads it. */
async function lastOf(given: unknown): Promise<unknown> {
  let last: unknown
  for await (const output of given as AsyncIterable<unknown>) last = output
  return last
}

/** One call in a loop of the AI SDK's own: what the model is told in its second step. */
async function toldBy(result: SubagentResult | string, options: Partial<SubagentToolOptions> = {}, input: unknown = task) {
  const service = serviceWith(() => result, { outputSchema: true })
  const model = scriptedModel([{ tools: [{ name: 'subagent', input }] }, 'thanks'])
  const { steps } = await generateText({
    model,
    prompt: 'delegate',
    tools: { subagent: subagentTool({ service, provider: 'helper', parent, ...options }) },
    stopWhen: stepCountIs(3),
  })
  const message = model.calls[1]!.prompt.at(-1)
  const [part] = message?.role === 'tool' ? message.content : []
  return { told: part?.type === 'tool-result' ? part.output : undefined, content: steps[0]!.content.at(-1), model, service }
}

describe('in a loop of the AI SDK', () => {
  it('T1: the model is shown the schema and the wording', async () => {
    const { model } = await toldBy('three')
    expect(model.calls[0]!.options.tools).toEqual([
      {
        type: 'function',
        name: 'subagent',
        description: expect.stringContaining('sees nothing of this conversation'),
        inputSchema: {
          type: 'object',
          properties: {
            description: { type: 'string', description: expect.any(String) },
            prompt: { type: 'string', description: expect.stringContaining('self-contained') },
          },
          required: ['description', 'prompt'],
          additionalProperties: false,
        },
      },
    ])
  })

  it('T4, T7: with the parent of the options, the text goes back as text', async () => {
    const { told, service } = await toldBy({ output: [text('one '), text('two')], stopReason: 'completed' })
    expect(told).toEqual({ type: 'text', value: 'one two' })
    expect(service.requests[0]!.parent).toBe(parent)
  })

  it('T7: the validated object goes back as JSON', async () => {
    const { told } = await toldBy(
      { output: [], structured: { content: ['a'] }, stopReason: 'completed' },
      { outputSchema: { type: 'object' } },
    )
    expect(told).toEqual({ type: 'json', value: { content: ['a'] } })
  })

  it('T7: blocks that are no text go back as what the AI SDK can carry', async () => {
    const { told } = await toldBy({
      output: [
        text('see '),
        image,
        { type: 'audio', data: 'BBBB', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a', name: 'a', description: 'the first' },
        { type: 'resource', resource: { uri: 'file:///b', text: 'body' } },
        { type: 'resource', resource: { uri: 'file:///c.pdf', blob: 'CCCC' } },
      ],
      stopReason: 'completed',
    })
    expect(told).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: 'see ' },
        // Version 7 of the AI SDK has one kind for both.
        { type: process.env['AI_MAJOR'] === '7' ? 'file-data' : 'image-data', data: 'AAAA', mediaType: 'image/png' },
        { type: 'file-data', data: 'BBBB', mediaType: 'audio/wav' },
        { type: 'text', text: '[a](file:///a): the first' },
        { type: 'text', text: '<resource uri="file:///b">\nbody\n</resource>' },
        { type: 'file-data', data: 'CCCC', mediaType: 'application/octet-stream', filename: 'file:///c.pdf' },
      ],
    })
  })

  it('T7: a failure reaches the model as an error, with its text and nothing else', async () => {
    const { told, content } = await toldBy({ output: [text('half')], stopReason: 'refusal' })
    const message = 'The subagent refused the task.\n\nWhat it had written until then:\nhalf'
    expect(told).toEqual({ type: 'error-text', value: message })
    expect(content).toMatchObject({ type: 'tool-error', error: { message } })
  })

  it('T1: an input that is not right is an error in our words, and the model may call again', async () => {
    const { told, service } = await toldBy('three', {}, { description: 'Count' })
    expect(told).toEqual({
      type: 'error-text',
      value: 'The input is not right: prompt must be a string, got nothing. Call the tool again with both description and prompt.',
    })
    expect(service.requests).toEqual([])
  })

  it('T5: aborting the call cancels the run and throws an AbortError', async () => {
    const service = serviceWith(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ output: [], stopReason: 'aborted' }))),
    )
    const controller = new AbortController()
    const tool = subagentTool({ service, provider: 'helper', parent })
    const call = lastOf(tool.execute!(task, { toolCallId: '1', messages: [], abortSignal: controller.signal }))
    await until(() => service.requests.length === 1)
    controller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError', message: 'The subagent was cancelled before it had finished.' })
  })
})

describe('among the tools of an agent', () => {
  const setUp = (run: Parameters<typeof defineProvider>[0]['run']) => {
    const logger = collectLogger()
    const model = scriptedModel([{ tools: [{ name: 'subagent', input: task, id: 'call-1' }] }, 'thanks'])
    const service = createSubagentService({ providers: [defineProvider({ name: 'helper', run })], logger })
    const agents = createAgents({ model, tools: { subagent: subagentTool({ service, provider: 'helper' }) }, logger })
    return { ...agents.create({ cwd: '/project' }), service, logger }
  }

  it('T4: the parent is the agent whose turn makes the call', async () => {
    const parents: unknown[] = []
    const { agent, dispose } = setUp((request) => {
      parents.push(request.parent)
      return 'three'
    })
    agent.send('go')
    await agent.whenIdle()
    expect(parents).toEqual([agent])
    expect(agent.session.events.find((event) => event.type === 'tool/result')).toMatchObject({ status: 'ok', output: 'three' })
    await dispose()
  })

  it('T7, G7: other blocks are kept in the log as they are', async () => {
    const { agent, dispose } = setUp(() => ({ output: [text('see'), image], stopReason: 'completed' }))
    agent.send('go')
    await agent.whenIdle()
    expect(agent.session.events.find((event) => event.type === 'tool/result')).toMatchObject({ status: 'ok', output: [text('see'), image] })
    await dispose()
  })

  it('T7: a failure is an error result in the log, and the turn goes on', async () => {
    const { agent, dispose } = setUp(() => ({ output: [], stopReason: 'timed-out' }))
    agent.send('go')
    await agent.whenIdle()
    expect(agent.session.events.flatMap((event) => (event.type === 'tool/result' ? [[event.status, event.output]] : []))).toEqual([
      ['error', 'The subagent did not finish in time and was stopped.'],
    ])
    expect(agent.session.events.at(-1)).toMatchObject({ type: 'turn/end', reason: { kind: 'completed' } })
    await dispose()
  })

  it('T5, G13: cancelling the agent cancels the run below it, and the call that ends by it counts as no late answer', async () => {
    let signal: AbortSignal | undefined
    const { agent, service, dispose } = setUp((request) => {
      signal = request.signal
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve({ output: [], stopReason: 'aborted' })))
    })
    const ends: string[] = []
    service.on('subagent/end', ({ stopReason }) => ends.push(stopReason))
    agent.send('go')
    await until(() => signal !== undefined)
    agent.cancel()
    await agent.whenIdle()
    await dispose()
    expect([ends, signal!.aborted, agent.droppedLateResults]).toEqual([['aborted'], true, 0])
  })
})

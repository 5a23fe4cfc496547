import { convertToModelMessages, readUIMessageStream, stepCountIs, streamText } from 'ai'
import type { UIMessage, UIMessageChunk } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedProviderOptions } from '../../src/testing/scripted-provider.ts'
import { defineSubagentTool, isSubagentProgress, subagentTool } from '../../src/tools/index.ts'
import type { SubagentProgress, SubagentToolOptions } from '../../src/tools/index.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { settled } from './background-doubles.ts'
import { parent, task } from './doubles.ts'

const text = (value: string) => ({ type: 'text', text: value }) as const

function setUp(options: Partial<SubagentToolOptions> = {}, providerOptions: ScriptedProviderOptions = {}) {
  const clock = createSimulatedClock()
  const logger = collectLogger()
  const provider = scriptedProvider(() => ({ hang: true }), { name: 'helper', ...providerOptions })
  const service = createSubagentService({ providers: [provider], clock, logger })
  const made = { service, provider: 'helper', parent, clock, logger, ...options }
  /** Reads a call as the AI SDK does. */
  const call = (abortSignal?: AbortSignal) => {
    const outputs: unknown[] = []
    const given = subagentTool(made).execute!(task, { toolCallId: '1', messages: [], ...(abortSignal && { abortSignal }) })
    const ended = (async () => {
      for await (const output of given as AsyncIterable<unknown>) outputs.push(output)
    })()
    ended.catch(() => {})
    return { outputs: outputs as SubagentProgress[], ended }
  }
  const tick = async (ms = 100) => {
    clock.advance(ms)
    await settled()
  }
  return { clock, logger, provider, service, made, call, tick }
}

describe('a reader that leaves', () => {
  it('T6, T15: ends the run at once, also while the child is silent and a value is waited for', async () => {
    const { made, provider, service } = setUp()
    const ends: unknown[] = []
    service.on('subagent/end', ({ stopReason }) => void ends.push(stopReason))
    const given = subagentTool(made).execute!(task, { toolCallId: '1', messages: [] }) as AsyncIterable<unknown>
    const from = (ReadableStream as unknown as { from(values: AsyncIterable<unknown>): ReadableStream<unknown> }).from
    const reader = from(given).getReader()
    const read = reader.read()
    await until(() => provider.children.length === 1)
    await reader.cancel()
    expect([await read, ends, provider.children[0]!.cancels, provider.children[0]!.disposals]).toEqual([
      { done: true, value: undefined },
      ['aborted'],
      ['nobody waits for the answer any more'],
      1,
    ])
  })

  it('T6: before it has asked for anything starts nothing', async () => {
    const { made, provider } = setUp()
    const given = subagentTool(made).execute!(task, { toolCallId: '1', messages: [] }) as AsyncIterable<unknown>
    const iterator = given[Symbol.asyncIterator]()
    expect([await iterator.return!(), await iterator.next(), provider.children]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
      [],
    ])
  })
})

describe('preliminary results', () => {
  it('T15: a character that comes in two halves is whole, and is not shown before', async () => {
    const { call, provider, tick } = setUp()
    const { outputs } = call()
    await until(() => provider.children.length === 1)
    for (const part of ['a\ud83d', '\ude42b']) {
      provider.children[0]!.update({ type: 'text', text: part })
      await tick()
    }
    expect(outputs.map((output) => output.text)).toEqual(['a', 'a🙂b'])
  })

  it('T15: progress is told from an answer that looks a little like it', async () => {
    const { call, provider, tick } = setUp()
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    provider.children[0]!.update({ type: 'text', text: 'a' })
    await tick()
    provider.children[0]!.settle({ text: 'b' } as never)
    await ended
    expect([...outputs, { type: 'subagent-progress' }, null].map(isSubagentProgress)).toEqual([true, false, false, false])
  })

  it('T15: text so far, state, tool calls and usage, then exactly the answer', async () => {
    const { call, provider, tick } = setUp({ agents: [{ name: 'a', provider: 'helper', description: 'A.' }], provider: undefined as never })
    void provider
    const { outputs, ended } = call()
    // The model chose nobody: an error, and nothing before it.
    await expect(ended).rejects.toThrow(/agent must be a string/)
    await tick()
    expect(outputs).toEqual([])
  })

  it('T15: text, state, tool calls with their status, usage; the answer comes last and alone is no progress', async () => {
    const { call, provider, tick } = setUp()
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    const [child] = provider.children as any
    child.update({ type: 'text', text: 'Looking. ', messageId: '1' })
    child.update({ type: 'tool-call', toolCallId: 'c1', name: 'search', input: {} })
    await tick()
    child.update({ type: 'tool-result', toolCallId: 'c1', status: 'error' })
    child.update({ type: 'usage', usage: { inputTokens: 7 } })
    child.update({ type: 'text', text: 'Three.', messageId: '2' })
    child.ask()
    await tick()
    child.settle({ output: [text('Three.')] })
    await ended
    const common = { type: 'subagent-progress', runId: child.runId, provider: 'helper', description: 'Count', children: [] }
    expect(outputs).toEqual([
      { ...common, state: 'running.active', text: 'Looking. ', toolCalls: [{ toolCallId: 'c1', name: 'search', status: 'running' }] },
      {
        ...common,
        state: 'running.awaitingPermission',
        text: 'Looking. \n\nThree.',
        toolCalls: [{ toolCallId: 'c1', name: 'search', status: 'error' }],
        usage: { inputTokens: 7 },
      },
      'Three.',
    ])
    expect(JSON.parse(JSON.stringify(outputs))).toEqual(outputs)
  })

  it('T15: nothing is told where nothing happened, and a child that is quick is never told of', async () => {
    const { call, provider, tick, clock } = setUp()
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    provider.children[0]!.settle({ output: [text('quick')] })
    await ended
    expect(outputs).toEqual(['quick'])
    const second = call()
    await until(() => provider.children.length === 2)
    await tick()
    const told = second.outputs.length
    await tick(1000)
    expect(second.outputs.length).toBe(told)
    provider.children[1]!.settle()
    await second.ended
    expect(clock.pending).toBe(0)
  })

  it('T15: what comes within an interval is told once, in its last state', async () => {
    const { call, provider, tick } = setUp({ progress: { intervalMs: 10 } })
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    for (let n = 0; n < 3; n++) {
      for (const part of ['a', 'b', 'c']) provider.children[0]!.update({ type: 'text', text: part })
      await tick(10)
    }
    provider.children[0]!.settle()
    await ended
    expect(outputs.slice(0, -1).map((output) => output.text)).toEqual(['abc', 'abcabc', 'abcabcabc'])
  })

  it('T15: a flood of deltas costs by its length, not by its length times what came before', async () => {
    const { call, provider, tick } = setUp()
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    const flood = async (count: number) => {
      const before = process.cpuUsage()
      for (let n = 0; n < count; n++) provider.children[0]!.update({ type: 'text', text: 'a part of a sentence ' })
      await tick()
      const { user, system } = process.cpuUsage(before)
      return (user + system) / count
    }
    await flood(10_000)
    const early = Math.min(await flood(10_000), await flood(10_000))
    await flood(100_000)
    const late = Math.min(await flood(10_000), await flood(10_000))
    expect(outputs.length).toBe(6)
    expect(outputs.every((output) => Buffer.byteLength(output.text) <= 65_536)).toBe(true)
    expect(late / early).toBeLessThan(4)
    provider.children[0]!.settle()
    await ended
  })

  it('T15, T12: text is bounded as the answer is, and so are tool calls', async () => {
    const { call, provider, tick } = setUp({ maxOutputBytes: 1024 })
    const { outputs, ended } = call()
    await until(() => provider.children.length === 1)
    provider.children[0]!.update({ type: 'text', text: 'x'.repeat(5000) })
    for (let n = 0; n < 150; n++) provider.children[0]!.update({ type: 'tool-call', toolCallId: `c${n}`, name: 'search' })
    await tick()
    expect(outputs[0]!.text).toMatch(/^x+\n\[… \d+ of 5000 bytes are cut here\]\nx+$/)
    expect([outputs[0]!.toolCalls.length, outputs[0]!.toolCalls.at(-1)!.toolCallId]).toEqual([100, 'c149'])
    provider.children[0]!.settle()
    await ended
  })

  it('T15, T5: nothing is told after an abort, and the call throws an AbortError', async () => {
    const { call, provider, tick } = setUp({}, {})
    const controller = new AbortController()
    const { outputs, ended } = call(controller.signal)
    await until(() => provider.children.length === 1)
    await tick()
    const told = outputs.length
    provider.children[0]!.update({ type: 'text', text: 'more' })
    controller.abort()
    await tick()
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' })
    expect(outputs.length).toBe(told)
  })

  it('T15, T6: whoever stops reading ends the run, and it is disposed', async () => {
    const { made, provider, clock } = setUp()
    const reading = (subagentTool(made).execute!(task, { toolCallId: '1', messages: [] }) as AsyncIterable<unknown>)[Symbol.asyncIterator]()
    const first = reading.next()
    await until(() => provider.children.length === 1)
    provider.children[0]!.update({ type: 'text', text: 'x' })
    clock.advance(100)
    await first
    await reading.return!()
    expect([provider.children[0]!.cancels, provider.children[0]!.disposals]).toEqual([['nobody waits for the answer any more'], 1])
  })

  it('T15: a run that waits for its slot says so', async () => {
    const { provider, clock, logger } = setUp()
    const service = createSubagentService({ providers: [provider], clock, logger, maxConcurrentRuns: 1 })
    const first = service.start('helper', { parent, prompt: 'x' })
    const progress: SubagentProgress[] = []
    const answer = defineSubagentTool({ service, provider: 'helper', parent, clock }).execute(task, {
      onProgress: (told) => void progress.push(told),
    })
    await settled()
    first.cancel()
    await until(() => provider.children.length === 2)
    clock.advance(100)
    await settled()
    provider.children[1]!.settle({ output: [text('done')] })
    expect(await answer).toMatchObject({ content: [text('done')] })
    expect(progress.map(({ state }) => state)).toEqual(['running.active'])
  })

  it('T15: progress: false answers once', async () => {
    const { made, provider } = setUp()
    const answer = subagentTool({ ...made, progress: false }).execute!(task, { toolCallId: '1', messages: [] })
    provider.children[0]!.settle({ output: [text('once')] })
    expect(await answer).toBe('once')
  })

  it.each([
    [{ intervalMs: 0 }, /^progress\.intervalMs must be whole milliseconds from 1/],
    ['x', /^progress must be true, false or an object/],
  ])('T15: progress of %j is refused when the tool is made', (progress, message) => {
    expect(() => setUp({ progress: progress as never }).call()).toThrow(message)
  })
})

describe('the plain record', () => {
  it('T15: tells onProgress, and nothing after the answer', async () => {
    const { made, provider, tick } = setUp()
    const progress: SubagentProgress[] = []
    const answer = defineSubagentTool(made).execute(task, { onProgress: (told) => void progress.push(told) })
    provider.children[0]!.update({ type: 'text', text: 'Two' })
    await tick()
    provider.children[0]!.settle({ output: [text('Three.')] })
    expect(await answer).toEqual({ isError: false, content: [text('Three.')] })
    await tick()
    expect(progress.map(({ text: so }) => so)).toEqual(['Two'])
  })

  it('T15: an onProgress that throws is logged and changes nothing', async () => {
    const { made, provider, tick, logger } = setUp()
    const answer = defineSubagentTool(made).execute(task, {
      onProgress: () => {
        throw new Error('no screen')
      },
    })
    provider.children[0]!.update({ type: 'text', text: 'Two' })
    await tick()
    provider.children[0]!.settle({ output: [text('Three.')] })
    expect(await answer).toMatchObject({ isError: false })
    expect(logger.warnings).toEqual(['onProgress of tool subagent threw: Error: no screen'])
  })
})

describe('runs below a run', () => {
  it('T15: are shown with what they do, three levels deep, each with the same shape', async () => {
    const { made, provider, service, tick } = setUp()
    const progress: SubagentProgress[] = []
    const answer = defineSubagentTool(made).execute(task, { onProgress: (told) => void progress.push(told) })
    const below = (index: number, label: string) => {
      const { runId } = provider.children[index]!
      const run = service.start('helper', { parent: { ...parent, id: runId }, prompt: label, label })
      return run
    }
    const runs = [below(0, 'one'), below(1, 'two'), below(2, 'three'), below(3, 'four')]
    provider.children[1]!.update({ type: 'text', text: 'x'.repeat(10_000) })
    provider.children[2]!.update({ type: 'tool-call', toolCallId: 'c', name: 'search' })
    await tick()
    const [one] = progress[0]!.children
    expect([one!.description, one!.state, one!.text.length <= 4096, one!.text.includes('of 10000 bytes')]).toEqual([
      'one',
      'running.active',
      true,
      true,
    ])
    const [two] = one!.children
    expect([two!.description, two!.toolCalls]).toEqual(['two', [{ toolCallId: 'c', name: 'search', status: 'running' }]])
    expect(two!.children[0]!.description).toBe('three')
    expect(two!.children[0]!.children).toEqual([])
    provider.children[4]!.settle()
    provider.children[3]!.settle()
    await tick()
    expect(progress.at(-1)!.children[0]!.children[0]!.children[0]).toMatchObject({ stopReason: 'completed' })
    provider.children[0]!.settle({ output: [text('done')] })
    await answer
    await Promise.all(runs.map((run) => run.dispose()))
  })

  it('T15, S22: of children that are agents, what they delegate is there by itself', async () => {
    const logger = collectLogger()
    const clock = createSimulatedClock()
    let release = () => {}
    const model = scriptedModel(async (call) => {
      if (call.prompt.at(-1)?.role === 'tool') return 'both have ended'
      if (call.lastUserText === 'middle') return { tools: [{ name: 'subagent', input: { description: 'below', prompt: 'below' } }] }
      return {
        text: (async function* () {
          yield 'a bit'
          await new Promise<void>((resolve) => (release = resolve))
        })(),
      }
    })
    const agents = createAgents({ model, logger, tools: () => ({ subagent }) })
    const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
    const subagent = subagentTool({ service, provider: 'spawn', logger })
    const progress: SubagentProgress[] = []
    const answer = defineSubagentTool({ service, provider: 'spawn', parent, clock }).execute(
      { description: 'middle', prompt: 'middle' },
      { onProgress: (told) => void progress.push(told) },
    )
    await until(() => model.calls.length === 2)
    await settled()
    clock.advance(100)
    await until(() => progress.length > 0)
    expect(progress[0]).toMatchObject({
      description: 'middle',
      toolCalls: [{ name: 'subagent', status: 'running' }],
      children: [{ description: 'below', state: 'running.active', text: 'a bit', children: [] }],
    })
    release()
    expect(await answer).toMatchObject({ content: [text('both have ended')] })
    expect([agents.list(), logger.warnings, clock.pending]).toEqual([[], [], 0])
  })

  it('T15: of runs that are none of its own a call tells nothing, and when it is over it listens no more', async () => {
    const { made, provider, service, tick } = setUp()
    let listening = 0
    const counted = {
      ...service,
      on: ((type: never, listener: never) => {
        const subscription = service.on(type, listener)
        listening++
        return { unsubscribe: () => (listening--, subscription.unsubscribe()) }
      }) as typeof service.on,
    }
    const progress: SubagentProgress[] = []
    const answer = defineSubagentTool({ ...made, service: counted }).execute(task, { onProgress: (told) => void progress.push(told) })
    const second = defineSubagentTool({ ...made, service: counted }).execute(task, { onProgress: () => {} })
    expect(listening).toBe(3)
    const other = service.start('helper', { parent, prompt: 'other' })
    provider.children[2]!.update({ type: 'text', text: 'other' })
    provider.children[0]!.update({ type: 'text', text: 'mine' })
    await tick()
    expect(progress).toMatchObject([{ text: 'mine', children: [] }])
    provider.children[0]!.settle()
    await answer
    expect(listening).toBe(3)
    provider.children[1]!.settle()
    await second
    expect(listening).toBe(0)
    await other.dispose()
  })
})

describe('in streamText, for a user interface', () => {
  const loop = async () => {
    const { made, provider, tick, service } = setUp()
    const model = scriptedModel([{ tools: [{ name: 'subagent', input: task, id: 'call-1' }] }, 'thanks'])
    const tools = { subagent: subagentTool(made) }
    const result = streamText({ model, prompt: 'delegate', tools, stopWhen: stepCountIs(2) })
    const chunks: UIMessageChunk[] = []
    const reading = (async () => {
      for await (const chunk of result.toUIMessageStream()) chunks.push(chunk)
    })()
    await until(() => provider.children.length === 1)
    const outputs = () => chunks.filter((chunk) => chunk.type === 'tool-output-available')
    return { model, tools, provider, tick, service, chunks, outputs, reading }
  }

  it('T15: the UI message stream shows a live child as preliminary outputs of its tool, and the model sees the answer alone', async () => {
    const { model, provider, tick, outputs, reading } = await loop()
    provider.children[0]!.update({ type: 'text', text: 'Looking. ' })
    await tick()
    await until(() => outputs().length === 1)
    provider.children[0]!.update({ type: 'text', text: 'Three.' })
    await tick()
    await until(() => outputs().length === 2)
    provider.children[0]!.settle({ output: [text('Three TODOs.')] })
    await reading
    const shown = outputs().map(({ preliminary, output }: any) => [preliminary ?? false, output.text ?? output])
    // The AI SDK hands the last value on as a preliminary one as well.
    expect(shown).toEqual([
      [true, 'Looking. '],
      [true, 'Looking. Three.'],
      [true, 'Three TODOs.'],
      [false, 'Three TODOs.'],
    ])
    const [part] = model.calls[1]!.prompt.at(-1)!.content as any[]
    expect(part.output).toEqual({ type: 'text', value: 'Three TODOs.' })
  })

  it('T15: a message that was kept when its stream broke off says to the model that the call did', async () => {
    const { tools, provider, tick, chunks, outputs, service } = await loop()
    provider.children[0]!.update({ type: 'text', text: 'Two so far.' })
    await tick()
    await until(() => outputs().length === 1)
    let message: UIMessage | undefined
    const stream = new ReadableStream<UIMessageChunk>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk)
        controller.close()
      },
    })
    for await (const state of readUIMessageStream({ stream })) message = state
    const messages = await convertToModelMessages([message!], { tools })
    expect(JSON.stringify(messages)).toContain(
      'The call broke off before the subagent had finished.\\n\\nWhat it had written until then:\\nTwo so far.',
    )
    await service.close()
  })
})

describe('in the loop of an agent of this package', () => {
  it('T15: which shows it to nobody, nothing is told unless it is asked for', async () => {
    const { made, provider } = setUp()
    const agents = createAgents({ model: scriptedModel([]) })
    const { agent, dispose } = agents.create()
    const options = { toolCallId: '1', messages: [], agent }
    const once = subagentTool(made).execute!(task, options) as Promise<unknown>
    const often = subagentTool({ ...made, progress: true }).execute!(task, options)
    expect([once instanceof Promise, Symbol.asyncIterator in (often as object)]).toEqual([true, true])
    provider.children[0]!.settle({ output: [text('once')] })
    expect(await once).toBe('once')
    await dispose()
  })

  it('T15, T7: preliminary results change nothing of the log, the answers, or what the child reports', async () => {
    const logger = collectLogger()
    const clock = createSimulatedClock()
    let release = () => {}
    const model = scriptedModel(async (call) => {
      if (call.prompt.at(-1)?.role === 'tool') return `${call.lastUserText} has ended`
      if (call.lastUserText.length < 2)
        return { tools: [{ name: 'subagent', input: { description: 'd', prompt: `${call.lastUserText}+` }, id: call.lastUserText }] }
      await new Promise<void>((resolve) => (release = resolve))
      return { text: ['Looked ', 'around.'] }
    })
    const agents = createAgents({ model, logger, tools: () => ({ subagent }) })
    const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
    const subagent = subagentTool({ service, provider: 'spawn', clock, logger, progress: true })
    const updates: string[] = []
    service.on('subagent/update', ({ update }) => void updates.push(update.type))
    const { agent, dispose } = agents.create()
    agent.send('t')
    await until(() => model.calls.length === 2)
    await settled()
    clock.advance(100)
    await settled()
    release()
    await agent.whenIdle()
    expect(
      agent.session.events.map((event) => (event.type === 'tool/result' ? `${event.type} ${String(event.output)}` : event.type)),
    ).toEqual([
      'turn/start',
      'user/message',
      'assistant/message',
      'tool/call',
      'tool/result Looked around.',
      'assistant/message',
      'turn/end',
    ])
    expect(updates).toEqual(['text', 'text', 'usage'])
    expect([agent.droppedLateResults, logger.warnings, clock.pending]).toEqual([0, [], 0])
    await dispose()
  })
})

import { describe, expect, it } from 'vitest'
import { rootAgent } from '../../src/index.ts'
import { defineSubagentTool, mountSubagentTool, subagentTool } from '../../src/tools/index.ts'
import { background, settled } from './background-doubles.ts'

const text = (value: string) => ({ type: 'text', text: value }) as const

describe('starting', () => {
  it('T11, T1: run_in_background is there where it is enabled, and the description says how to go on', () => {
    const { tools, service } = background()
    expect((tools['subagent']!.inputSchema as any).properties.run_in_background).toMatchObject({ type: 'boolean' })
    expect(tools['subagent']!.description).toContain('subagent_result reads its answer')
    expect((defineSubagentTool({ service, provider: 'helper', toolName: 'plain' }).inputSchema as any).properties).not.toHaveProperty(
      'run_in_background',
    )
  })

  it('T11: it answers at once with a run id, and the child works on', async () => {
    const { call, provider, service } = background()
    const answer = await call('subagent', { description: 'Count', prompt: 'Count.', run_in_background: true })
    const { runId } = provider.children[0]!
    expect(answer).toBe(
      `Started in the background. Its run id is ${runId}. You are told when it has ended; subagent_result reads its answer or waits for it.`,
    )
    expect(provider.children[0]!.request.signal.aborted).toBe(false)
    await service.close()
  })

  it('T11: without it, or with false, the same tool waits', async () => {
    const { call } = background({}, { step: 'done' })
    expect(await call('subagent', { description: 'Count', prompt: 'Count.' })).toBe('done')
    expect(await call('subagent', { description: 'Count', prompt: 'Count.', run_in_background: false })).toBe('done')
    expect(await call('subagent', { description: 'Count', prompt: 'Count.', run_in_background: 'yes' })).toMatch(
      /^error: .*run_in_background must be true or false, got string/,
    )
  })

  it('T11, T5: the signal of the call ends with the call: aborting it later cancels nothing, aborted before nothing starts', async () => {
    const { tools, provider, service } = background()
    const controller = new AbortController()
    const input = { description: 'Count', prompt: 'Count.', run_in_background: true }
    await tools['subagent']!.execute(input, { abortSignal: controller.signal })
    controller.abort()
    await settled()
    expect(provider.children[0]!.cancels).toEqual([])
    expect(await tools['subagent']!.execute(input, { abortSignal: controller.signal })).toEqual({
      isError: true,
      content: [text('The subagent was not started: the call was cancelled before.')],
    })
    expect(provider.children.length).toBe(1)
    await service.close()
  })

  it('T11, T8: a start that fails is an error, and leaves no run', async () => {
    const { call } = background({}, { step: { startError: new Error('no seat') } })
    expect(await call('subagent', { description: 'Count', prompt: 'Count.', run_in_background: true })).toBe('error: no seat')
    expect(await call('subagent_list')).toBe('You have no runs in the background.')
  })

  it('T11: a tool made alone has no controls, so it takes no background', () => {
    const { service } = background()
    for (const make of [defineSubagentTool, subagentTool])
      expect(() => make({ service, provider: 'helper', toolName: 'alone', background: true })).toThrow(/background needs the controls/)
  })

  it.each([
    [{ keepEnded: 0 }, 'background.keepEnded must be a whole number from 1, got 0.'],
    [{ maxWaitMs: 0 }, 'background.maxWaitMs must be whole milliseconds from 1 to 2147483647, got 0.'],
    [{ onNotice: 'x' }, 'background.onNotice must be a function, got "x".'],
    ['x', 'background must be true, false or an object, got "x".'],
  ])('T11: %j is refused when the tool is made', (wrong, message) => {
    expect(() => background({ background: wrong as never, toolName: 'wrong' })).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST', message }),
    )
  })
})

describe('subagent_result', () => {
  it('T11: looks without waiting, says how far the run is and what it has written', async () => {
    const { call, begin, provider, clock, service } = background()
    const id = await begin()
    expect(await call('subagent_result', { id, timeout_ms: 0 })).toBe(
      `Run ${id} has not ended yet: it is running.active, after 0.0s. It has written nothing so far.`,
    )
    provider.children[0]!.update({ type: 'text', text: 'Two so far.' })
    clock.advance(1500)
    expect(await call('subagent_result', { id, timeout_ms: 0 })).toBe(
      `Run ${id} has not ended yet: it is running.active, after 1.5s. What it has written so far:\nTwo so far.`,
    )
    await service.close()
  })

  it('T11: waits for the end, and then gives what a call that waits gives', async () => {
    const { call, begin, provider, clock } = background()
    const id = await begin()
    const waiting = call('subagent_result', { id })
    provider.children[0]!.settle({ output: [text('Three.')] })
    expect(await waiting).toBe('Three.')
    expect(await call('subagent_result', { id })).toBe('Three.')
    // Its timer went with it.
    expect(clock.pending).toBe(0)
  })

  it('T11, T7: a failure is an error with its sentence, the diagnostic and the partial text', async () => {
    const { call, begin, provider } = background()
    const id = await begin()
    provider.children[0]!.settle({ stopReason: 'error', diagnostic: 'acme failed.', output: [text('half')] })
    expect(await call('subagent_result', { id })).toBe(
      'error: The subagent failed.\n\nacme failed.\n\nWhat it had written until then:\nhalf',
    )
  })

  it('T11: an answer can be read as soon as the outcome is final, also while the release hangs; the notice comes after that', async () => {
    const { provider, begin, call, notices, clock } = background({ releaseGraceMs: 1000 }, { step: { hang: true, release: 'never' } })
    const id = await begin()
    const waiting = call('subagent_result', { id })
    await settled()
    provider.children[0]!.settle({ output: [{ type: 'text', text: 'three' }] })
    expect(await waiting).toBe('three')
    expect(await call('subagent_result', { id, timeout_ms: 0 })).toBe('three')
    expect(notices).toEqual([])
    clock.advance(1000)
    await settled()
    expect(notices.map(({ text }) => text)).toEqual([
      `Background run ${id} (Count) has ended: completed. Its answer was given to subagent_result.`,
    ])
  })

  it('T11: null stands for what a model leaves out', async () => {
    const { provider, begin, call } = background()
    const id = await begin()
    provider.children[0]!.settle({ output: [{ type: 'text', text: 'three' }] })
    expect(await call('subagent_result', { id, timeout_ms: null, offset: null })).toBe('three')
    const foreground = call('subagent', { description: 'a', prompt: 'b', run_in_background: null })
    await settled()
    provider.children[1]!.settle({ output: [{ type: 'text', text: 'four' }] })
    expect(await foreground).toBe('four')
  })

  it('T11, T7: blocks and structured objects come as in a call that waits', async () => {
    const { tools, begin, provider } = background({ outputSchema: { type: 'object' } })
    const id = await begin()
    provider.children[0]!.settle({ structured: { count: 3 } })
    expect(await tools['subagent_result']!.execute({ id })).toEqual({
      isError: false,
      content: [text('{"count":3}')],
      structured: { count: 3 },
    })
  })

  it.each([
    [{}, 60_000],
    [{ timeout_ms: 5 }, 5],
    [{ timeout_ms: 10_000_000 }, 600_000],
  ])('T11: with %j it waits %i ms at most', async (input, ms) => {
    const { call, begin, clock, service } = background()
    const id = await begin()
    let answer: string | undefined
    const waiting = call('subagent_result', { id, ...input }).then((given) => (answer = given))
    clock.advance(ms - 1)
    await settled()
    expect(answer).toBeUndefined()
    clock.advance(1)
    expect(await waiting).toContain('has not ended yet')
    await service.close()
  })

  it('T11: a wait ends with its call', async () => {
    const { tools, begin, clock, service } = background()
    const id = await begin()
    const controller = new AbortController()
    const waiting = tools['subagent_result']!.execute({ id }, { abortSignal: controller.signal })
    controller.abort()
    expect(await waiting).toEqual({ isError: true, content: [text(`The call was cancelled while it waited. Run ${id} goes on.`)] })
    expect(clock.pending).toBe(0)
    await service.close()
  })

  it('T11: an input that is not right is an error in words for the model', async () => {
    const { call, begin, service } = background()
    const id = await begin()
    expect([
      await call('subagent_result', {}),
      await call('subagent_result', { id, timeout_ms: -1 }),
      await call('subagent_result', { id, offset: 'x' }),
      await call('subagent_send', { id, message: ' ' }),
      await call('subagent_cancel', { id: 7 }),
      await call('subagent_list', []),
    ]).toEqual([
      'error: id must be the run id that subagent gave. Call the tool again with it.',
      'error: timeout_ms must be whole milliseconds from 0. Call the tool again with that.',
      'error: offset must be a whole number of bytes from 0. Call the tool again with that.',
      'error: message must be a string that is not empty. Call the tool again with one.',
      'error: id must be the run id that subagent gave. Call the tool again with it.',
      'error: The input must be an object. Call the tool again with one.',
    ])
    await service.close()
  })
})

describe('subagent_send', () => {
  it('T11: steers a run that works, where the provider can', async () => {
    const { call, begin, provider, service } = background({}, { steerable: true })
    const id = await begin()
    expect(await call('subagent_send', { id, message: 'Only src/.' })).toBe(`Run ${id} has the message.`)
    expect(provider.children[0]!.messages).toEqual([[text('Only src/.')]])
    await service.close()
  })

  it('T11: says what to do where the provider cannot', async () => {
    const { call, begin, provider, service } = background()
    const id = await begin()
    expect(await call('subagent_send', { id, message: 'Only src/.' })).toBe(
      `error: Run ${id} takes no messages while it is running.active. Wait for its end with subagent_result, or stop it with subagent_cancel and delegate again.`,
    )
    provider.children[0]!.settle()
    await call('subagent_result', { id })
    expect(await call('subagent_send', { id, message: 'More.' })).toBe(
      `error: Run ${id} has ended (completed) and cannot go on. Delegate again with subagent, and put into the prompt what it needs of this run's answer.`,
    )
    await service.close()
  })

  it('T11: resumes a run that has ended, under the same id, with an end and a notice of its own', async () => {
    const { call, begin, provider, notices } = background({}, { resumable: true })
    const id = await begin()
    provider.children[0]!.settle({ output: [text('Three.')] })
    expect(await call('subagent_result', { id })).toBe('Three.')
    expect(await call('subagent_send', { id, message: 'And in test/?' })).toBe(
      `Run ${id} goes on with the message. You are told when it has ended again.`,
    )
    expect(await call('subagent_result', { id, timeout_ms: 0 })).toContain('has not ended yet')
    expect(provider.children[1]!.request.prompt).toEqual([text('And in test/?')])
    // While it goes on it is no second run.
    expect((await call('subagent_list')).split('\n').length).toBe(1)
    provider.children[1]!.settle({ output: [text('Four.')] })
    expect(await call('subagent_result', { id })).toBe('Four.')
    expect(notices.map(({ id: of, stopReason }) => [of, stopReason])).toEqual([
      [id, 'completed'],
      [id, 'completed'],
    ])
    expect(provider.children.map(({ disposals }) => disposals)).toEqual([1, 1])
  })

  it('T11: a message to one that has its outcome and is not released yet waits for that, and resumes it', async () => {
    const { call, begin, provider, notices, service } = background(
      {},
      { step: { hang: true, release: 'never' }, resumable: true, steerable: true },
    )
    const id = await begin()
    provider.children[0]!.settle({ output: [text('Three.')] })
    await settled()
    const sent = call('subagent_send', { id, message: 'And in test/?' })
    await settled()
    expect([provider.children.length, notices.length]).toEqual([1, 0])
    provider.children[0]!.release()
    expect(await sent).toBe(`Run ${id} goes on with the message. You are told when it has ended again.`)
    expect([provider.children.length, notices.map(({ text: told }) => told)]).toEqual([
      2,
      [`Background run ${id} (Count) has ended: completed.\n\nThree.`],
    ])
    provider.children[1]!.settle()
    provider.children[1]!.release()
    await service.close()
  })

  it('T11: two messages at once to one that has ended resume it once; the second finds it working', async () => {
    const { call, begin, provider, service } = background({}, { resumable: true, steerable: true })
    const id = await begin()
    provider.children[0]!.settle()
    await call('subagent_result', { id })
    await Promise.all([call('subagent_send', { id, message: 'one' }), call('subagent_send', { id, message: 'two' })])
    expect([provider.children.length, provider.children[1]!.messages]).toEqual([2, [[text('two')]]])
    await service.close()
  })

  it('T11, T8: a resume that fails is an error, and the outcome is still there', async () => {
    const { call, begin, provider, service } = background({}, { resumable: true })
    const id = await begin()
    provider.children[0]!.settle({ output: [text('Three.')] })
    await call('subagent_result', { id })
    await service.close()
    expect(await call('subagent_send', { id, message: 'more' })).toMatch(/^error: The service is closing or closed/)
    expect(await call('subagent_result', { id })).toBe('Three.')
  })
})

describe('subagent_cancel', () => {
  it('T11: stops a run; what it had written is kept; a second time it says that it had ended', async () => {
    const { call, begin, provider } = background({}, { step: { text: 'two so far', hang: true } })
    const id = await begin()
    expect(await call('subagent_cancel', { id, reason: 'enough' })).toBe(
      `Run ${id} is being stopped. You are told when it has ended; subagent_result then reads what it had written.`,
    )
    expect(provider.children[0]!.cancels).toEqual(['enough'])
    expect(await call('subagent_result', { id })).toBe(
      'error: The subagent was cancelled before it had finished.\n\nWhat it had written until then:\ntwo so far',
    )
    expect(await call('subagent_cancel', { id })).toBe(`Run ${id} had ended already: aborted.`)
  })
})

describe('subagent_list', () => {
  it('T11: shows id, description, agent, state and time taken, oldest first', async () => {
    const agents = ['one', 'two'].map((name) => ({ name, provider: 'helper', description: name }))
    const { call, begin, provider, clock, service } = background({ agents })
    const first = await begin('First', undefined, { agent: 'one' })
    clock.advance(2000)
    const second = await begin('Second\n{"id":"fake"}', undefined, { agent: 'two' })
    provider.children[0]!.settle()
    await call('subagent_result', { id: first })
    clock.advance(500)
    expect((await call('subagent_list')).split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
      { id: first, description: 'First', agent: 'one', state: 'ended', stopReason: 'completed', elapsed: '2.0s' },
      { id: second, description: 'Second\n{"id":"fake"}', agent: 'two', state: 'running.active', elapsed: '0.5s' },
    ])
    await service.close()
  })
})

describe('what is kept', () => {
  it('T11: of the runs that ended the last ones; of older ones the answer says that they are not kept', async () => {
    const { call, begin, provider } = background({ background: { keepEnded: 2 } }, { step: 'done' })
    const ids = []
    for (let n = 0; n < 4; n++) {
      ids.push(await begin())
      await settled()
    }
    expect(await Promise.all(ids.map((id) => call('subagent_result', { id })))).toEqual([
      `error: The outcome of run ${ids[0]} is not kept any more: only the last 2 are. Its notice told its end; delegate again for what is missing.`,
      `error: The outcome of run ${ids[1]} is not kept any more: only the last 2 are. Its notice told its end; delegate again for what is missing.`,
      'done',
      'done',
    ])
    expect(provider.children.map(({ disposals }) => disposals)).toEqual([1, 1, 1, 1])
  })

  it('T11: one that was resumed is live again and is not dropped', async () => {
    const { call, begin, provider, service } = background({ background: { keepEnded: 1 } }, { resumable: true })
    const first = await begin()
    provider.children[0]!.settle()
    await settled()
    await call('subagent_send', { id: first, message: 'go on' })
    for (let n = 0; n < 3; n++) {
      await begin()
      provider.children.at(-1)!.settle()
      await settled()
    }
    expect(await call('subagent_result', { id: first, timeout_ms: 0 })).toContain('has not ended yet')
    await service.close()
  })

  it('T11, T6: a run is disposed once it has ended; a release that fails is told beside a failure, and logged beside a success', async () => {
    const release = { error: new Error('the lock is stuck') }
    const { call, begin, provider, logger } = background({}, { step: { hang: true, release } })
    const [good, bad] = [await begin(), await begin()]
    provider.children[0]!.settle({ output: [text('Three.')] })
    provider.children[1]!.settle({ stopReason: 'refusal' })
    expect(await call('subagent_result', { id: good })).toBe('Three.')
    expect(await call('subagent_result', { id: bad })).toMatch(/^error: The subagent refused the task\.\n\nIts release failed as well: /)
    expect(logger.warnings).toContainEqual(expect.stringMatching(/^Tool subagent: run .* completed, but its release failed/))
  })
})

it('S6, T11: closing the service ends the runs; the controls then tell so, and a new start is refused', async () => {
  const { call, begin, service, notices } = background({}, { step: { text: 'half', hang: true } })
  const id = await begin()
  await service.close()
  expect(await call('subagent_result', { id })).toMatch(/^error: The subagent was cancelled before it had finished\.[^]*half$/)
  expect(await call('subagent_cancel', { id })).toBe(`Run ${id} had ended already: aborted.`)
  expect(await call('subagent_list')).toContain('"stopReason":"aborted"')
  expect(await call('subagent', { description: 'a', prompt: 'b', run_in_background: true })).toMatch(
    /^error: The service is closing or closed/,
  )
  expect(notices.map(({ stopReason }) => stopReason)).toEqual(['aborted'])
})

it('T11, S7: the controls reach a run whose provider was removed', async () => {
  const { call, begin, provider, service } = background()
  const id = await begin()
  service.ref.send({ type: 'provider.unregister', name: 'helper' })
  provider.children[0]!.settle({ output: [text('Three.')] })
  expect(await call('subagent_result', { id })).toBe('Three.')
})

it('T11, S21: a run that waits for its slot is there as such, takes no messages yet, and can be cancelled', async () => {
  const { call, begin, provider, service } = background({}, { steerable: true, maxConcurrentRuns: 1 })
  const first = await begin('First')
  const second = await begin('Second')
  expect(await call('subagent_result', { id: second, timeout_ms: 0 })).toContain('it is validating.queued')
  expect(await call('subagent_send', { id: second, message: 'hello' })).toContain('takes no messages while it is validating.queued')
  await call('subagent_cancel', { id: second })
  expect(await call('subagent_result', { id: second })).toBe('error: The subagent was cancelled before it had finished.')
  const third = await begin('Third')
  provider.children[0]!.settle()
  await call('subagent_result', { id: first })
  expect(await call('subagent_result', { id: third, timeout_ms: 0 })).toContain('it is running.active')
  await service.close()
})

it('T4, T11: without anybody who calls the controls say so', async () => {
  const { tools, service } = background()
  const alone: Record<string, (input: unknown) => Promise<unknown>> = {}
  mountSubagentTool(
    { service, provider: 'helper', toolName: 'alone', background: true },
    ({ name, execute }) => void (alone[name] = execute),
  )
  expect(await alone['alone_list']!({})).toEqual({
    isError: true,
    content: [text('Nothing says which agent calls. The tool has to be made with a parent, or be called by an agent.')],
  })
  expect(await tools['subagent_list']!.execute({}, { agent: rootAgent() })).toMatchObject({ isError: false })
})

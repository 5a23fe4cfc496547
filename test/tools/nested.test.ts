import { expect, it } from 'vitest'
import { createAgents } from '../../src/agents/index.ts'
import { createSubagentService } from '../../src/index.ts'
import type { SessionEvent } from '../../src/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { subagentTool } from '../../src/tools/index.ts'
import { scriptedModel } from '../../src/testing/scripted-model.ts'
import type { ScriptedCall, ScriptedStep } from '../../src/testing/scripted-model.ts'
import { collectLogger, until } from '../providers/collect.ts'

type Script = Exclude<ScriptedStep, string | { readonly text?: unknown }>

/** Agents that delegate to their like through the one tool they have. */
function setUp(script: Script, maxDepth?: number) {
  const model = scriptedModel(script)
  const logger = collectLogger()
  const agents = createAgents({ model, logger, tools: () => ({ subagent }) })
  const service = createSubagentService({ providers: [spawnProvider({ agents })], logger })
  const subagent = subagentTool({ service, provider: 'spawn', logger, ...(maxDepth !== undefined && { maxDepth }) })
  const events: string[] = []
  service.on('subagent/start', ({ label, parentRunId, runId }) => {
    labels.set(runId, label!)
    events.push(`start ${label}${parentRunId === undefined ? '' : ` below ${labels.get(parentRunId)}`}`)
  })
  service.on('subagent/end', ({ runId, stopReason }) => void events.push(`end ${labels.get(runId)} ${stopReason}`))
  const labels = new Map<string, string>()
  return { model, agents, service, logger, events }
}

const delegate = (...names: string[]): ScriptedStep => ({
  tools: names.map((name) => ({ name: 'subagent', input: { description: name, prompt: name }, id: `call ${name}` })),
})
const answered = ({ prompt }: ScriptedCall) => prompt.at(-1)?.role === 'tool'
const lastResult = ({ prompt }: ScriptedCall) => {
  const last = prompt.at(-1)
  const part = last?.role === 'tool' ? last.content.at(-1) : undefined
  return part?.type === 'tool-result' && 'value' in part.output ? String(part.output.value) : ''
}
const results = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => (event.type === 'tool/result' ? [[event.toolCallId, event.status, event.output]] : []))

it('T13, P2: a child delegates through the same tool until the cap, where the start refuses and its model is told so', async () => {
  const { agents, service, events, model, logger } = setUp((call) => {
    if (answered(call)) return `${call.lastUserText}(${lastResult(call)})`
    return delegate(`${call.lastUserText}+`) as never
  }, 2)
  const top = agents.create()
  const depths: unknown[] = []
  service.on('subagent/start', ({ id }) => depths.push(agents.get(id)!.session.header.delegationDepth))
  top.agent.send('t')
  await top.agent.whenIdle()
  expect(events).toEqual(['start t+', 'start t++ below t+', 'end t++ completed', 'end t+ completed'])
  expect(depths).toEqual([1, 2])
  const refusal = 'The child would be at delegation depth 3, and maxDepth is 2. Do the work in this agent, or raise maxDepth.'
  expect(results(top.agent.session.events)).toEqual([['call t+', 'ok', `t+(t++(${refusal}))`]])
  // The tool stays visible at the cap.
  expect(model.calls.map(({ tools }) => tools)).toEqual(model.calls.map(() => ['subagent']))
  expect([agents.list(), logger.warnings]).toEqual([[top.agent], []])
  await top.dispose()
})

it('P15, T10: siblings that succeed, fail, refuse and are cancelled do not touch each other, and the answers come in the order of the calls', async () => {
  const gates = new Map<string, () => void>()
  const gate = (name: string) => new Promise<void>((resolve) => gates.set(name, resolve))
  const names = ['good', 'broken', 'shy', 'stuck', 'also good']
  const { agents, service, logger } = setUp(async (call) => {
    if (call.lastUserText === 'top') return answered(call) ? 'summary' : (delegate(...names) as never)
    await gate(call.lastUserText)
    if (call.lastUserText === 'broken') return { text: 'half', error: { message: 'overloaded', status: 400 } }
    if (call.lastUserText === 'shy') return { finish: 'content-filter' }
    if (call.lastUserText === 'stuck') return { text: 'a bit', hang: true }
    return `${call.lastUserText} answer`
  })
  const runs = new Map<string, string>()
  service.on('subagent/start', ({ label, id }) => void runs.set(label!, id))
  service.on('subagent/update', ({ id, update }) => {
    if (id === runs.get('stuck') && update.type === 'text') agents.get(id)!.cancel()
  })
  const top = agents.create()
  top.agent.send('top')
  await until(() => gates.size === names.length)
  for (const name of names.toReversed()) gates.get(name)!()
  await top.agent.whenIdle()

  const { events } = top.agent.session
  expect(results(events)).toEqual([
    ['call good', 'ok', 'good answer'],
    [
      'call broken',
      'error',
      expect.stringMatching(
        /^The subagent failed\.\n\nscripted refused the call \(HTTP 400\): overloaded\.\n\nWhat it had written until then:\nhalf$/,
      ),
    ],
    ['call shy', 'error', 'The subagent refused the task.'],
    ['call stuck', 'error', 'The subagent was cancelled before it had finished.\n\nWhat it had written until then:\na bit'],
    ['call also good', 'ok', 'also good answer'],
  ])
  // Of its children the parent's log has the calls and their results, nothing else.
  expect(events.map(({ type }) => type)).toEqual([
    'turn/start',
    'user/message',
    'assistant/message',
    ...names.map(() => 'tool/call'),
    ...names.map(() => 'tool/result'),
    'assistant/message',
    'turn/end',
  ])
  expect([agents.list(), logger.warnings]).toEqual([[top.agent], []])
  await top.dispose()
})

it('T5, T6: cancelling the top ends the whole tree below it, and nothing is left', async () => {
  const { agents, events, logger, service } = setUp((call) => {
    if (call.lastUserText === 'a++') return { text: 'deep', hang: true }
    return delegate(`${call.lastUserText}+`) as never
  })
  const deep = new Promise((resolve) => service.on('subagent/update', ({ update }) => update.type === 'text' && resolve(undefined)))
  const top = agents.create()
  top.agent.send('a')
  await deep
  expect(events).toEqual(['start a+', 'start a++ below a+'])
  top.agent.cancel()
  await top.agent.whenIdle()
  await top.dispose()
  expect(new Set(events.slice(2))).toEqual(new Set(['end a++ aborted', 'end a+ aborted']))
  expect([agents.list(), logger.warnings]).toEqual([[], []])
})

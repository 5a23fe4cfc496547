import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { createAgents } from '../../../src/agents/index.ts'
import { depthOf } from '../../../src/parent.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import type { Session } from '../../../src/types.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { ask, lines, memoryLogger } from '../harness.ts'
import { startKilledProgram } from './killed-program.ts'
import { temporaryDirectory } from './temporary-directory.ts'

beforeAll(buildProgram)

const factory = (directory: string) => {
  const logger = memoryLogger()
  return { logger, agents: createAgents({ model: scriptedModel(['I am back']), sessions: { directory }, logger }) }
}
const short = (line: string) => line.replace(/^(result work ok ").*(")$/, '$1…$2')
const aborted = 'aborted {"reason":"The process that ran it ended."}'
const answered = (turn: number) => [`turn ${turn}`, 'user "hello again"', 'assistant "I am back"', `end ${turn} completed`]

describe('a process that is killed', () => {
  it.each([
    { what: 'streams', kept: ['turn 1', 'user "go on"', `end 1 ${aborted}`] },
    { what: 'tool', kept: ['turn 1', 'user "go on"', `end 1 ${aborted}`] },
    {
      what: 'between',
      kept: [
        'turn 1',
        'user "go on"',
        'assistant "working"',
        expect.stringMatching(/^call work/),
        'result work ok "…"',
        `end 1 ${aborted}`,
      ],
    },
  ])('G8: while it $what, leaves what was before: the open turn is closed as aborted, and the session goes on', async ({ what, kept }) => {
    const directory = temporaryDirectory()
    const program = startKilledProgram(directory, 'kept', what)
    await program.says(`at ${what}`)
    program.kill()
    await program.ended
    const { agents, logger } = factory(directory)
    const { agent, dispose } = agents.resume('kept', { options: { subagentDepth: 1 } })
    expect(lines(agent.session).map(short)).toEqual(kept)
    expect([agent.session.header, depthOf(agent), logger.lines]).toMatchObject([{ cwd: '/work', delegationDepth: 2 }, 2, []])
    expect((await ask(agent, 'hello again')).slice(kept.length)).toEqual(answered(2))
    await dispose()
    expect(agents.readSession('kept').events).toEqual(agent.session.events)
  })

  it('G8: in the middle of a write, loses the torn line alone, and says so; a call without result gets one', async () => {
    const directory = temporaryDirectory()
    await startKilledProgram(directory, 'kept', 'writes').ended
    const { agents, logger } = factory(directory)
    const torn = readFileSync(`${directory}/kept.jsonl`)
    expect(torn.at(-1)).not.toBe(10)
    const { agent, dispose } = agents.resume('kept')
    const from = torn.lastIndexOf(10) + 1
    expect(logger.lines).toEqual([
      `warn: ${directory}/kept.jsonl ends in a line that was not written to its end: ${torn.length - from} bytes from byte ${from} on are dropped.`,
    ])
    expect(lines(agent.session)).toEqual([
      'turn 1',
      'user "go on"',
      'assistant "working"',
      expect.stringMatching(/^call work/),
      'result work error "The process ended before it answered. Whether it did its work is not known."',
      `end 1 ${aborted}`,
    ])
    expect((await ask(agent, 'hello again')).slice(6)).toEqual(answered(2))
    await dispose()
    expect(agents.readSession('kept').events).toEqual(agent.session.events)
  })

  it('G8: at a random moment, with a hundred sessions in turn, loses nothing that it acknowledged', { timeout: 180_000 }, async () => {
    const seed = Number(process.env['SESSION_KILL_SEED'] ?? Date.now() % 2 ** 31)
    const directory = temporaryDirectory()
    const killed = await Promise.all([0, 1].map((chain) => killRepeatedly(directory, `chain-${chain}`, 13, seed + chain)))
    const acknowledged = killed.flat()
    // The moments have to fall on work, or nothing was tried.
    expect([acknowledged.length, acknowledged.filter((count) => count > 0).length > acknowledged.length / 2], `seed ${seed}`).toEqual([
      104,
      true,
    ])
  })
})

const sessionsAtATime = 4

/**
 * Sessions that process after process goes on with at the same time, each killed at a random moment.
 *
 * @returns the acknowledgments before each kill, for each session
 */
async function killRepeatedly(directory: string, name: string, kills: number, seed: number): Promise<number[]> {
  let state = seed >>> 0
  const random = (limit: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state / 2 ** 32) * limit
  }
  const sessionIds = Array.from({ length: sessionsAtATime }, (_, index) => `${name}-${index}`)
  const start = (round: number) => startKilledProgram(directory, sessionIds.join(), 'works', seed + round)
  const turns = new Map(sessionIds.map((id) => [id, new Set<number>()]))
  const results = new Map<string, number>()
  const acknowledged: number[] = []
  let next = start(0)
  for (let round = 0; round < kills; round++) {
    const program = next
    await program.says('ready')
    program.go()
    await program.says('going')
    // The next one gets ready meanwhile.
    if (round + 1 < kills) next = start(round + 1)
    await program.acknowledges(Math.floor(random(10)))
    await wait(random(30))
    program.kill()
    await program.ended
    for (const line of program.lines()) {
      const [kind, id, value] = line.split(' ')
      if (kind === 'turn') turns.get(id!)!.add(Number(value))
      if (kind === 'result') results.set(id!, Number(value))
    }
    const { agents } = factory(directory)
    const found = new Map<string, number>()
    for (const sessionId of sessionIds) {
      const session = agents.readSession(sessionId)
      checkKept(session, turns.get(sessionId)!, `seed ${seed}, kill ${round} of ${sessionId}`)
      for (const [id, length] of resultsOf(session)) found.set(id, length)
      acknowledged.push(program.lines().length - 2)
    }
    expect(
      [...results].filter(([id, length]) => found.get(id) !== length),
      `seed ${seed}, kill ${round} of ${name}`,
    ).toEqual([])
  }
  for (const sessionId of sessionIds) {
    const { agents } = factory(directory)
    const { agent, dispose } = agents.resume(sessionId)
    expect((await ask(agent, 'hello again')).at(-2), `seed ${seed}`).toBe('assistant "I am back"')
    await dispose()
    expect(agents.readSession(sessionId).events).toEqual(agent.session.events)
  }
  return acknowledged
}

function checkKept({ events, header }: Session, turns: ReadonlySet<number>, where: string): void {
  const ended = new Set(events.flatMap((event) => (event.type === 'turn/end' && event.reason.kind === 'completed' ? [event.turn] : [])))
  expect(
    [...turns].filter((turn) => !ended.has(turn)),
    where,
  ).toEqual([])
  expect(events.every(({ seq }, index) => seq === index) && header.delegationDepth === 2, where).toBe(true)
}

function resultsOf({ events }: Session): (readonly [string, number])[] {
  return events.flatMap((event) =>
    event.type === 'tool/result' && event.status === 'ok' ? [[event.toolCallId, String(event.output).length] as const] : [],
  )
}

/** Processes that are killed at random moments, one after the other, and what each has to leave behind (G8). */
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { createAgents } from '../../../src/agents/index.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import type { Session } from '../../../src/types.ts'
import { ask, memoryLogger } from '../harness.ts'
import { startKilledProgram } from './killed-program.ts'

export const factory = (directory: string) => {
  const logger = memoryLogger()
  return { logger, agents: createAgents({ model: scriptedModel(['I am back']), sessions: { directory }, logger }) }
}
/**
 * Sessions that process after process goes on with at the same time, each killed at a random moment.
 *
 * @returns the acknowledgments before each kill, for each session
 */
export async function killRepeatedly(directory: string, name: string, kills: number, seed: number, sessionsAtATime = 4): Promise<number[]> {
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

import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { depthOf } from '../../../src/parent.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { ask, lines } from '../harness.ts'
import { factory, killRepeatedly } from './kill-repeatedly.ts'
import { startKilledProgram } from './killed-program.ts'
import { temporaryDirectory } from './temporary-directory.ts'

beforeAll(buildProgram)

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

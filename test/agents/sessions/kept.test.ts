import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, unlinkSync } from 'node:fs'
import { jsonSchema, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { createAgents } from '../../../src/agents/index.ts'
import type { CreateAgentsOptions } from '../../../src/agents/index.ts'
import { depthOf } from '../../../src/parent.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import type { ScriptedStep } from '../../../src/testing/scripted-model.ts'
import type { Session } from '../../../src/types.ts'
import { ask, gate, lines, memoryLogger, settle, setUp } from '../harness.ts'
import { temporaryDirectory } from './temporary-directory.ts'

const anything = jsonSchema({ type: 'object' })
const invalidRequest = (message: RegExp) => expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })

/** What is in the file, line by line. */
const kept = (directory: string, id = 'session'): unknown[] =>
  readFileSync(`${directory}/${id}.jsonl`, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)
const inMemory = ({ header, events }: Session): unknown[] => [header, ...events]

function keep(steps: readonly ScriptedStep[], options: Partial<CreateAgentsOptions> = {}) {
  const directory = `${temporaryDirectory()}/of/sessions`
  const model = scriptedModel(steps)
  const factory = { model, sessions: { directory }, ...options }
  return {
    directory,
    model,
    again: (more: readonly ScriptedStep[] = []) => createAgents({ ...factory, model: scriptedModel(more), logger: memoryLogger() }),
    ...setUp(factory),
  }
}

describe('a session that is kept', () => {
  it('G8: is the log as it is in memory, a line each, in a file and a directory for the owner alone', async () => {
    const { agent, directory, dispose } = keep([{ text: 'calling', tools: [{ name: 'work' }] }, 'done'], {
      tools: { work: tool({ inputSchema: anything, execute: async () => ({ of: ['any', 1] }) }) },
    })
    await ask(agent, 'go')
    agent.inject('fact', { source: 'memory' })
    expect(kept(directory)).toEqual(inMemory(agent.session))
    expect([statSync(directory).mode & 0o777, statSync(`${directory}/session.jsonl`).mode & 0o777]).toEqual([0o700, 0o600])
    expect(readdirSync(directory)).toEqual(['session.jsonl', 'session.lock'])
    await dispose()
    expect(readdirSync(directory)).toEqual(['session.jsonl'])
  })

  it('G8: its file can be found, by the id alone, before its first step and after its agent is gone', async () => {
    const { agents, agent, directory, dispose, again } = keep(['done'])
    const path = `${directory}/session.jsonl`
    expect(agents.sessionPath('session')).toBe(path)
    await ask(agent, 'go')
    await dispose()
    expect([agents, again()].map((factory) => factory.sessionPath('session'))).toEqual([path, path])
    expect(['other', '', '../session', '\ud800', 'x'.repeat(300)].map((id) => agents.sessionPath(id))).toEqual(Array(5).fill(undefined))
    expect(createAgents({ model: scriptedModel([]) }).sessionPath('session')).toBeUndefined()
  })

  it('G8: has every event on disk before the next step begins, and its turn/end before the turn counts as ended', async () => {
    const seen: string[][] = []
    const look = () => void seen.push(kept(directory).map((line) => (line as { type?: string }).type ?? 'header'))
    const call = { tools: [{ name: 'work' }] }
    const { agent, directory } = keep([() => (look(), call), () => (look(), agent.steer('hurry'), call), () => (look(), 'done')], {
      tools: { work: tool({ inputSchema: anything, execute: async () => 'ok' }) },
    })
    agent.send('go')
    await agent.whenIdle().then(look)
    const start = ['header', 'turn/start', 'user/message']
    const step = ['assistant/message', 'tool/call', 'tool/result']
    expect(seen).toEqual([
      start,
      [...start, ...step],
      [...start, ...step, ...step, 'user/message'],
      [...start, ...step, ...step, 'user/message', 'assistant/message', 'turn/end'],
    ])
  })

  it('G8: that was cancelled or disposed in mid-turn has its end on disk when that is over', async () => {
    const { agent, directory, dispose } = keep([
      { text: 'half', hang: true },
      { text: 'half', hang: true },
    ])
    agent.send('go')
    await settle()
    agent.cancel('no longer needed')
    await agent.whenIdle()
    expect(kept(directory)).toEqual(inMemory(agent.session))
    agent.send('dropped')
    agent.cancel()
    expect(kept(directory)).toEqual(inMemory(agent.session))
    agent.send('again')
    await settle()
    await dispose()
    expect(kept(directory)).toEqual(inMemory(agent.session))
    expect(lines(agent.session).at(-1)).toBe('end 3 disposed')
  })

  it('G8: in which nothing happened leaves nothing behind', async () => {
    const { agents, directory, dispose } = keep([])
    const seeded = agents.create({ sessionId: 'seeded', seed: [{ seq: 0, at: 0, type: 'turn/start', turn: 1 }] })
    await Promise.all([dispose(), seeded.dispose()])
    expect(readdirSync(directory)).toEqual([])
    expect(() => agents.create({ sessionId: 'new', toolFilter: { allow: ['none'] } })).toThrow(invalidRequest(/do not exist/))
    expect(() => agents.create({ sessionId: 'new', seed: [{ seq: 1 } as never] })).toThrow(invalidRequest(/seed/))
    expect(readdirSync(directory)).toEqual([])
  })

  it('G8: is not begun again under an id that is there, in whatever factory', async () => {
    const { agent, again, agents, dispose } = keep(['one'])
    expect(() => again().create({ sessionId: 'session' })).toThrow(invalidRequest(/in use by this process/))
    await ask(agent, 'go')
    await dispose()
    for (const factory of [agents, again()])
      expect(() => factory.create({ sessionId: 'session' })).toThrow(invalidRequest(/is there already, in .*session\.jsonl\. Resume it/))
  })

  it('refuses what is no directory', () => {
    const model = scriptedModel([])
    for (const sessions of [null, 'here', {}, { directory: '' }, { directory: 'a\0b' }])
      expect(() => createAgents({ model, sessions: sessions as never })).toThrow(invalidRequest(/^sessions/))
    const file = `${temporaryDirectory()}/file`
    appendFileSync(file, 'x')
    expect(() => createAgents({ model, sessions: { directory: file } }).create()).toThrow(invalidRequest(/cannot be made/))
    expect(() => createAgents({ model, sessions: { directory: `${file}/below` } }).create()).toThrow(invalidRequest(/cannot be made/))
  })
})

describe('a write that fails', () => {
  const failing = (
    fail: (directory: string) => void,
    steps: readonly ScriptedStep[] = [{ text: 'calling', tools: [{ name: 'fail' }] }, 'never'],
  ) => {
    let now = 0
    const set = keep(steps, {
      // A step of a model takes longer than the tenth of a second for which a look at the file is fresh.
      clock: { now: () => (now += 50), setTimeout: () => 0, clearTimeout: () => {} },
      tools: { fail: tool({ inputSchema: anything, execute: async () => fail(set.directory) }) },
    })
    return set
  }

  it.each([
    ['the directory is gone', (directory: string) => rmSync(directory, { recursive: true }), 'the file or its directory is gone.'],
    ['the file is gone', (directory: string) => unlinkSync(`${directory}/session.jsonl`), 'the file or its directory is gone.'],
    [
      'somebody else wrote to it',
      (directory: string) => appendFileSync(`${directory}/session.jsonl`, 'x'),
      /it has \d+ bytes where \d+ were left: somebody else changed it\.$/,
    ],
  ])('G8: because %s ends the turn as error before the next step, which says so', async (_, fail, why) => {
    const { agent, directory, dispose, logger, model } = failing(fail)
    const told = await ask(agent, 'go')
    const last = agent.session.events.at(-1)!
    const { reason } = last as Extract<typeof last, { type: 'turn/end' }>
    const message = (reason as { message: string }).message
    expect(told.slice(0, -1)).toEqual(['turn 1', 'user "go"', 'assistant "calling"', 'call fail {}', 'result fail ok null'])
    expect([
      reason.kind,
      message.startsWith(`The session could not be written to ${directory}/session.jsonl: `),
      model.calls.length,
    ]).toEqual(['error', true, 1])
    expect(message.split('.jsonl: ')[1]).toMatch(why)
    expect(logger.lines).toEqual([`warn: ${message}`])
    await dispose()
    expect([agent.status, logger.lines.length]).toEqual(['disposed', 2])
  })

  it('G8: because the file is gone ends a turn as error whose steps take no time, at its end at the latest', async () => {
    const { agent, directory, model } = keep([{ tools: [{ name: 'fail' }] }, 'done'], {
      clock: { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} },
      tools: { fail: tool({ inputSchema: anything, execute: async () => unlinkSync(`${directory}/session.jsonl`) }) },
    })
    expect((await ask(agent, 'go')).at(-1)).toMatch(/^end 1 error .*the file or its directory is gone/)
    expect(model.calls.length).toBe(2)
  })

  it('G8: at the end of a turn makes that an error, and is made up for by the next one where it can', async () => {
    const { agent, directory, again, dispose } = failing(() => {}, [() => (appendFileSync(file(), 'x'), 'an answer'), 'another'])
    const file = () => `${directory}/session.jsonl`
    expect((await ask(agent, 'go')).slice(2)).toEqual(['assistant "an answer"', expect.stringMatching(/^end 1 error .*somebody else/)])
    expect((await ask(agent, 'again')).slice(4)).toEqual(['turn 2', 'user "again"', expect.stringMatching(/^end 2 error .*somebody else/)])
    truncateSync(file(), statSync(file()).size - 1)
    expect((await ask(agent, 'once more')).slice(7)).toEqual(['turn 3', 'user "once more"', 'assistant "another"', 'end 3 completed'])
    expect(kept(directory)).toEqual(inMemory(agent.session))
    await dispose()
    expect(again().readSession('session').events).toEqual(agent.session.events)
  })

  it('G8: between two turns shows in the second: a link in the place of the file, a file that was moved away', async () => {
    const { agent, directory } = keep(['one', 'two', 'three'])
    await ask(agent, 'go')
    renameSync(`${directory}/session.jsonl`, `${directory}/elsewhere`)
    expect((await ask(agent, 'again')).at(-1)).toMatch(/^end 2 error .*directory is gone/)
    symlinkSync(`${directory}/elsewhere`, `${directory}/session.jsonl`)
    expect((await ask(agent, 'again')).at(-1)).toMatch(/^end 3 error .*it is a symbolic link/)
  })

  it('G8: of what an idle agent is told does not throw: it is logged, and kept in memory', async () => {
    const { agent, directory, logger } = keep(['one'])
    await ask(agent, 'go')
    rmSync(directory, { recursive: true })
    agent.inject('fact', { source: 'memory' })
    expect([lines(agent.session).slice(4), logger.lines.length]).toEqual([
      ['turn 2', 'context "fact" (memory)', expect.stringMatching(/^end 2 error .*directory is gone/)],
      1,
    ])
  })
})

describe('resuming', () => {
  it('G8: goes on with numbers, header and what was said', async () => {
    const { agent, again, dispose, model } = keep(['one'])
    await ask(agent, 'first')
    await dispose()
    const { logger } = setUp({ model })
    const next = scriptedModel(['two'])
    const agents = again()
    const resumed = agents.resume('session', { id: 'anew', options: { model: next, subagentDepth: 3 } })
    expect([resumed.agent.id, agents.get('anew'), depthOf(resumed.agent)]).toEqual(['anew', resumed.agent, 3])
    expect([resumed.agent.session.header, agents.readSession('session')]).toEqual([agent.session.header, resumed.agent.session])
    expect((await ask(resumed.agent, 'second')).slice(4)).toEqual(['turn 2', 'user "second"', 'assistant "two"', 'end 2 completed'])
    expect(resumed.agent.session.events.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(next.calls[0]!.prompt.map(({ role, content }) => [role, (content as unknown as { text: string }[])[0]!.text])).toEqual([
      ['user', 'first'],
      ['assistant', 'one'],
      ['user', 'second'],
    ])
    expect(() => Object.assign(resumed.agent.session.events[0]!, { seq: 9 })).toThrow(TypeError)
    expect(logger.lines).toEqual([])
    await resumed.dispose()
  })

  it('G8: is refused for a session that somebody has, that is not there, or that is none', async () => {
    const { agent, agents, again, directory, dispose } = keep(['one'])
    await ask(agent, 'go')
    for (const factory of [agents, again()]) expect(() => factory.resume('session')).toThrow(invalidRequest(/in use by this process/))
    expect(again().readSession('session')).toEqual({ header: agent.session.header, events: agent.session.events })
    await dispose()
    for (const id of ['none', '../of/sessions/session']) expect(() => agents.resume(id)).toThrow(invalidRequest(/There is no session/))
    for (const id of ['', undefined]) expect(() => agents.resume(id as never)).toThrow(invalidRequest(/^sessionId must be/))
    appendFileSync(`${directory}/session.jsonl`, '{}\n{}\n')
    expect(() => agents.resume('session')).toThrow(
      invalidRequest(/session\.jsonl is not a session that can be read, line 6: its seq is undefined/),
    )
    expect(readdirSync(directory)).toEqual(['session.jsonl'])
  })

  it('G8: of a session whose holder cannot be told from here needs it to be unlocked', async () => {
    const { agent, agents, again, directory, dispose } = keep(['one'])
    await ask(agent, 'go')
    expect(() => again().unlock('session')).toThrow(invalidRequest(/in use by this process/))
    await dispose()
    expect(agents.unlock('session')).toBe(false)
    symlinkSync('elsewhere 7 y 0 - - -', `${directory}/session.lock`)
    expect(() => agents.resume('session')).toThrow(invalidRequest(/free it by agents\.unlock\(\)/))
    expect(agents.unlock('session')).toBe(true)
    await agents.resume('session').dispose()
    expect(readdirSync(directory)).toEqual(['session.jsonl'])
    expect(() => agents.unlock('')).toThrow(invalidRequest(/^sessionId must be/))
  })

  it('G8: is refused for one that is live and not on disk yet, in words that say so', async () => {
    const { agent, agents, directory } = keep(['one'])
    expect(() => agents.resume('session')).toThrow(invalidRequest(/is that of agent agent, which is live, and nothing of it is kept yet/))
    // What was cleaned up is made anew.
    rmSync(directory, { recursive: true })
    const other = agents.create({ sessionId: 'other' })
    other.agent.inject('fact', { source: 'memory' })
    await other.dispose()
    expect([readdirSync(directory), agent.status]).toEqual([['other.jsonl'], 'idle'])
  })

  it('leaves the session to others where the agent cannot be made', async () => {
    const { agent, agents, dispose } = keep(['one'])
    await ask(agent, 'go')
    await dispose()
    const refused: [object, RegExp][] = [
      [{ toolFilter: { allow: ['none'] } }, /do not exist/],
      [{ cwd: '/' }, /^cwd must be left out/],
      [{ delegationDepth: 0 }, /^delegationDepth must be left out/],
    ]
    for (const [options, why] of refused) expect(() => agents.resume('session', options)).toThrow(invalidRequest(why))
    await agents.resume('session').dispose()
  })

  it('P8: keeps what a session inherited, and how much that was', async () => {
    const { agent, agents, again, directory } = keep(['one'])
    await ask(agent, 'go')
    const seeded = agents.create({ sessionId: 'seeded', seed: agent.session.events })
    seeded.agent.inject('fact', { source: 'memory' })
    await seeded.dispose()
    expect(kept(directory, 'seeded')).toEqual(inMemory(seeded.agent.session))
    const { agent: resumed, dispose } = again().resume('seeded')
    expect([resumed.session.header.seedLength, resumed.session.events]).toEqual([4, seeded.agent.session.events])
    await dispose()
  })
})

describe('an agent that continues another whose session is kept', () => {
  it('P12: writes on to the same file, alive or disposed, and the lock goes with it', async () => {
    const { agent, agents, directory, dispose } = keep(['one', 'two', 'three'])
    await ask(agent, 'first')
    const second = agents.create({ continues: agent })
    await dispose()
    expect(readdirSync(directory).includes('session.lock')).toBe(true)
    await ask(second.agent, 'second')
    await second.dispose()
    expect(readdirSync(directory).includes('session.lock')).toBe(false)
    expect(() => agents.create({ continues: second.agent, toolFilter: { allow: ['none'] } })).toThrow(invalidRequest(/do not exist/))
    expect(readdirSync(directory).includes('session.lock')).toBe(false)
    const third = agents.create({ continues: second.agent })
    await ask(third.agent, 'third')
    expect(kept(directory)).toEqual(inMemory(third.agent.session))
    await third.dispose()
  })

  it('G8: is refused where somebody else has gone on with it since', async () => {
    const { agent, agents, again, dispose } = keep(['one'])
    await ask(agent, 'first')
    await dispose()
    const other = again(['two']).resume('session')
    expect(() => agents.create({ continues: agent })).toThrow(invalidRequest(/in use by this process/))
    await ask(other.agent, 'second')
    await other.dispose()
    expect(() => agents.create({ continues: agent })).toThrow(invalidRequest(/somebody else changed it\. agents\.resume\(\) reads it anew/))
    await agents.resume('session').dispose()
  })
})

describe('disposing', () => {
  it('P13: is one promise, after which the session can be resumed', async () => {
    const { agent, again, agents, dispose } = keep([{ hang: true, deaf: true }])
    agent.send('go')
    await settle()
    const first = dispose()
    expect(dispose()).toBe(first)
    await first
    expect(agents.list()).toEqual([])
    const resumed = again().resume('session')
    expect(lines(resumed.agent.session)).toEqual(['turn 1', 'user "go"', 'end 1 disposed'])
    await resumed.dispose()
  })

  it('G13: lets the session go though a tool ignores its signal, whose late answer is written nowhere', async () => {
    const door = gate<string>()
    const { agent, again, directory, dispose } = keep([{ tools: [{ name: 'deaf' }] }], {
      tools: { deaf: tool({ inputSchema: anything, execute: () => door.opened }) },
    })
    agent.send('go')
    await settle()
    const disposed = dispose()
    await agent.whenIdle()
    await settle()
    const resumed = again(['fine']).resume('session')
    await ask(resumed.agent, 'again')
    door.open('too late')
    await disposed
    expect([agent.droppedLateResults, kept(directory)]).toEqual([1, inMemory(resumed.agent.session)])
    await resumed.dispose()
  })
})

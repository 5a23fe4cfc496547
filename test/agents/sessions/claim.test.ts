import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createAgents } from '../../../src/agents/index.ts'
import { claimantOf, claimSession } from '../../../src/agents/sessions/claim.ts'
import { lockText } from '../../../src/agents/sessions/lock-text.ts'
import { thisProcess } from '../../../src/agents/sessions/process-identity.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import { buildProgram } from '../../cli/program-process.ts'
import { ask, memoryLogger } from '../harness.ts'
import { temporaryDirectory } from './temporary-directory.ts'

beforeAll(buildProgram)

const invalidRequest = (message: RegExp) => expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(message) })
const factory = (directory: string, options = {}) =>
  createAgents({ model: scriptedModel(['one', 'two', 'three']), sessions: { directory }, logger: memoryLogger(), ...options })
const filesOf = (directory: string, ending: string) => readdirSync(directory).filter((name) => name.endsWith(ending))

/** A program that has `agents`, on a host of that name. */
function named(host: string | undefined, program: string, directory: string): string {
  const module = (path: string) => JSON.stringify(new URL(`../../../dist/${path}/index.js`, import.meta.url).href)
  const rename = `os.hostname = () => ${JSON.stringify(host)}; syncBuiltinESMExports()`
  return `
    import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    ${host === undefined ? '' : rename}
    const { createAgents } = await import(${module('agents')})
    const { scriptedModel } = await import(${module('testing')})
    const agents = createAgents({ model: scriptedModel(['one']), sessions: { directory: ${JSON.stringify(directory)} } })
    ${program}`
}

/** Another process that has a session of an id that it made, with a turn in it. */
async function startHolder(directory: string, host?: string) {
  const program = `
    const { agent, dispose } = agents.create()
    agent.send('go')
    await agent.whenIdle()
    console.log(agent.session.header.id)
    process.stdin.once('data', async () => { await dispose(); console.log('disposed'); process.stdin.once('data', () => process.exit()) })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', named(host, program, directory)])
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdin.on('error', () => {})
  const line = () => new Promise<string>((resolve) => child.stdout.once('data', (data: Buffer) => resolve(data.toString().trim())))
  const ended = new Promise((resolve) => child.on('close', resolve))
  return { child, line, ended, id: await line() }
}

describe('sessions whose ids a process makes itself', () => {
  it('G8: are held by one file for all, beside which there is no lock, and which says by whom', async () => {
    const directory = temporaryDirectory()
    const agents = factory(directory)
    const [first, second] = [agents.create(), agents.create()]
    await ask(first.agent, 'go')
    await ask(second.agent, 'go')
    const ids = [first, second].map(({ agent }) => agent.session.header.id)
    const [claim] = filesOf(directory, '.claim')
    expect(readdirSync(directory).toSorted()).toEqual([claim!, ...ids.map((id) => `${id}.jsonl`)].toSorted())
    for (const id of ids) {
      expect(() => factory(directory).resume(id)).toThrow(invalidRequest(/in use by this process/))
      expect(() => factory(directory).create({ sessionId: id })).toThrow(invalidRequest(/in use by this process/))
      expect(() => agents.unlock(id)).toThrow(invalidRequest(/in use by this process/))
    }
    await first.dispose()
    const resumed = factory(directory).resume(ids[0]!)
    expect(() => factory(directory).resume(ids[0]!)).toThrow(invalidRequest(/in use by this process/))
    expect(() => factory(directory).resume(ids[1]!)).toThrow(invalidRequest(/in use by this process/))
    await resumed.dispose()
    await second.dispose()
    expect(filesOf(directory, '.lock')).toEqual([])
  })

  it('G8: are found before they are on disk, leave nothing behind where nothing happened, and can be continued once let go', async () => {
    const directory = temporaryDirectory()
    const agents = factory(directory)
    const { agent, dispose } = agents.create()
    const { id } = agent.session.header
    expect([agents.sessionPath(id), factory(directory).sessionPath(id)]).toEqual(Array(2).fill(`${directory}/${id}.jsonl`))
    await dispose()
    expect([filesOf(directory, '.jsonl'), agents.sessionPath(id)]).toEqual([[], undefined])
    const again = agents.create({ continues: agent })
    await ask(again.agent, 'go')
    expect(filesOf(directory, '.lock')).toEqual([`${id}.lock`])
    await again.dispose()
    expect(readdirSync(directory).filter((name) => name.includes(id))).toEqual([`${id}.jsonl`])
  })

  it('G8: are refused to another process while they are held, and go to it once they are let go', async () => {
    const directory = temporaryDirectory()
    const { child, id, line, ended } = await startHolder(directory)
    const agents = factory(directory)
    const refused = invalidRequest(
      new RegExp(`is in use by process ${child.pid} since .*Wait until it has ended, or dispose its agent there`),
    )
    expect(() => agents.resume(id)).toThrow(refused)
    expect(() => agents.unlock(id)).toThrow(refused)
    expect(filesOf(directory, '.lock')).toEqual([])
    child.stdin.write('dispose\n')
    await line()
    const { agent, dispose } = agents.resume(id)
    expect((await ask(agent, 'again')).at(-1)).toBe('end 2 completed')
    await dispose()
    child.stdin.write('end\n')
    await ended
    expect(readdirSync(directory)).toEqual([`${id}.jsonl`])
  })

  it('G8: of a process that was killed are free, and its file goes with the first that finds it', async () => {
    const directory = temporaryDirectory()
    const { child, id, ended } = await startHolder(directory)
    child.kill('SIGKILL')
    await ended
    expect(filesOf(directory, '.claim').length).toBe(1)
    await factory(directory).resume(id).dispose()
    expect(readdirSync(directory)).toEqual([`${id}.jsonl`])
  })

  it('G8: of a process that was killed after it had let them go leave no file behind either, once one is continued', async () => {
    const directory = temporaryDirectory()
    const { child, id, line, ended } = await startHolder(directory)
    child.stdin.write('dispose\n')
    await line()
    child.kill('SIGKILL')
    await ended
    expect(filesOf(directory, '.claim').length).toBe(1)
    await factory(directory).resume(id).dispose()
    expect(readdirSync(directory)).toEqual([`${id}.jsonl`])
  })

  it('G8: of a holder that cannot be told from here need to be unlocked, one by one', () => {
    const directory = temporaryDirectory()
    const head = 'session-0123456789ab-7'
    const path = `${directory}/.${head}.claim`
    const here = (name: string) => [claimantOf(directory, `${head}-${name}`)?.holder?.host, readFileSync(path).length]
    writeFileSync(path, lockText({ ...thisProcess(), host: 'elsewhere', since: 0 }, 0).padEnd(255) + '\n')
    const agents = factory(directory)
    expect([here('0'), here('5')]).toEqual([
      ['elsewhere', 256],
      ['elsewhere', 256],
    ])
    expect([agents.unlock(`${head}-5`), agents.unlock(`${head}-5`)]).toEqual([true, false])
    expect([here('0'), here('5')]).toEqual([
      ['elsewhere', 262],
      [undefined, 262],
    ])
    expect(() => agents.create({ sessionId: `${head}-0` })).toThrow(invalidRequest(/of host elsewhere.*free it by agents\.unlock/))
    writeFileSync(path, '')
    expect(() => agents.create({ sessionId: `${head}-0` })).toThrow(invalidRequest(/does not say by whom/))
    expect(agents.unlock(`${head}-0`)).toBe(true)
  })

  it('G8: of more directories than stay open are let go all the same', () => {
    const directories = Array.from({ length: 20 }, () => temporaryDirectory())
    const claims = directories.map((directory) => ({ directory, ...claimSession(directory, 0) }))
    const held = () => claims.filter(({ directory, sessionId }) => claimantOf(directory, sessionId)).length
    expect(held()).toBe(20)
    for (const { lock } of claims) lock.release()
    expect(held()).toBe(0)
    for (const { directory } of claims) expect(readFileSync(`${directory}/${filesOf(directory, '.claim')[0]}`, 'utf8').at(256)).toBe('.')
  })

  it.each([
    ['removed', (directory: string) => rmSync(directory, { recursive: true })],
    ['removed and made anew', (directory: string) => (rmSync(directory, { recursive: true }), mkdirSync(directory))],
    ['moved away and made anew', (directory: string) => (renameSync(directory, `${directory}.old`), mkdirSync(directory))],
  ])('G8: go on in a directory that was %s, and are held in the one that is there now', async (_how, clean) => {
    for (const passed of [0, 100]) {
      const directory = `${temporaryDirectory()}/sessions`
      let now = 0
      const agents = factory(directory, { clock: { now: () => now, setTimeout: () => 0, clearTimeout: () => {} } })
      const kept = agents.create()
      await agents.create().dispose()
      clean(directory)
      now += passed
      const { agent, dispose } = agents.create()
      const { id } = agent.session.header
      expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
      expect(() => factory(directory).resume(id)).toThrow(invalidRequest(/in use by this process/))
      now += 100 - passed
      await ask(agent, 'again')
      const [claim] = filesOf(directory, '.claim')
      expect([filesOf(directory, '.claim').length, filesOf(directory, '.jsonl')]).toEqual([1, [`${id}.jsonl`]])
      // Of the three, the one that was disposed is not held.
      expect(readFileSync(`${directory}/${claim}`).subarray(256).toString()).toMatch(/^\0\.\0?$/)
      expect(() => factory(directory).resume(id)).toThrow(invalidRequest(/in use by this process/))
      await Promise.all([dispose(), kept.dispose()])
      expect(readFileSync(`${directory}/${claim}`, 'utf8').slice(256)).toBe('...')
      await agents.resume(id).dispose()
    }
  })

  it('G8: go on in a directory that is removed before their first step', async () => {
    const directory = `${temporaryDirectory()}/sessions`
    const { agent, dispose } = factory(directory).create()
    rmSync(directory, { recursive: true })
    expect((await ask(agent, 'go')).at(-1)).toBe('end 1 completed')
    expect([filesOf(directory, '.claim').length, filesOf(directory, '.jsonl').length]).toEqual([1, 1])
    await dispose()
  })

  it('G8: are refused where something else is in the place of the claim, without waiting for it', () => {
    const directory = temporaryDirectory()
    const head = 'session-0123456789ab-7'
    execFileSync('mkfifo', [`${directory}/.${head}.claim`])
    const module = JSON.stringify(new URL('../../../dist/agents/sessions/directory.js', import.meta.url).href)
    const { stdout, signal } = spawnSync(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { openSessionDirectory } from ${module}
         const directory = openSessionDirectory({ directory: ${JSON.stringify(directory)}, clock: Date, logger: console })
         try { directory.create('${head}-0') } catch (error) { console.log(error.code, error.message) }`,
      ],
      { encoding: 'utf8', timeout: 20_000, killSignal: 'SIGKILL' },
    )
    expect([signal, stdout]).toEqual([null, expect.stringMatching(/^INVALID_REQUEST .*claim is no regular file\.\n$/)])
  })

  it('G8: of a killed process count as locked for who unlocks them, once', async () => {
    const directory = temporaryDirectory()
    const { child, id, ended } = await startHolder(directory)
    child.kill('SIGKILL')
    await ended
    const agents = factory(directory)
    expect([agents.unlock(id), agents.unlock(id), readdirSync(directory)]).toEqual([true, false, [`${id}.jsonl`]])
  })

  it('G8: of killed processes leave no file behind where nobody asks for them, once somebody begins one there', async () => {
    const directory = temporaryDirectory()
    const { child, id, ended } = await startHolder(directory)
    child.kill('SIGKILL')
    await ended
    const alive = await startHolder(directory)
    const texts = {
      '.session-0123456789ab-7.claim': lockText({ ...thisProcess(), host: 'elsewhere', since: 0 }, 0).padEnd(256),
      '.session-0123456789ab-8.claim': '',
      '.of-somebody.claim': lockText({ ...thisProcess(), pid: child.pid!, since: 0 }, 0).padEnd(256),
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(`${directory}/${name}`, text)
    mkdirSync(`${directory}/.session-000000000000-9.claim`)
    const { agent, dispose } = factory(directory).create()
    const headOf = (sessionId: string) => sessionId.slice(0, sessionId.lastIndexOf('-'))
    expect(filesOf(directory, '.claim').toSorted()).toEqual(
      [
        ...Object.keys(texts),
        '.session-000000000000-9.claim',
        ...[alive.id, agent.session.header.id].map((sessionId) => `.${headOf(sessionId)}.claim`),
      ].toSorted(),
    )
    expect(filesOf(directory, '.jsonl').toSorted()).toEqual([`${id}.jsonl`, `${alive.id}.jsonl`].toSorted())
    await dispose()
  })

  it('G8: are held as well where the name of the host is longer than the text has room for', async () => {
    const directory = temporaryDirectory()
    const name = 'h\u00f6st.'.repeat(42)
    const { child, id } = await startHolder(directory, name)
    const second = spawnSync(process.execPath, ['--input-type=module', '-e', named(name, `agents.resume('${id}')`, directory)], {
      encoding: 'utf8',
    })
    expect(second.stderr).toContain(`is in use by process ${child.pid} since`)
    const elsewhere = spawnSync(process.execPath, ['--input-type=module', '-e', named(`${name}x`, `agents.resume('${id}')`, directory)], {
      encoding: 'utf8',
    })
    expect(elsewhere.stderr).toMatch(new RegExp(`is in use by process ${child.pid} of host [\\w.~-]{60,64}, or of another container`))
  })
})

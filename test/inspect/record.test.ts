import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SubagentError } from '../../src/index.ts'
import { readJournal, recordJournal } from '../../src/inspect/index.ts'
import { scriptedProvider } from '../../src/testing/index.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { collectLogger, until } from '../providers/collect.ts'
import { entriesOf, fold, request, watched } from './watched.ts'

const inFolder = async (name: string) => join(await temporaryFolder(), name)

/** A recording of some runs that are over. */
async function recorded(runs = 3): Promise<string> {
  const file = await inFolder('runs.jsonl')
  const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] })
  const recording = await recordJournal(journal, file)
  for (let n = 0; n < runs; n++) await service.delegate('scripted', { ...request, id: `run-${n}` })
  await service.close()
  await recording.close()
  journal.close()
  return file
}

const problemOf = async (file: string): Promise<string> => {
  try {
    await readJournal(file)
  } catch (error) {
    if (SubagentError.is(error, 'INVALID_REQUEST')) return error.message.replaceAll(file, 'FILE')
    throw error
  }
  return 'none'
}

describe('recordJournal', () => {
  it('I4: writes what the journal tells, an entry a line, to a file of its owner alone', async () => {
    const file = await inFolder('runs.jsonl')
    const { service, journal, warnings } = watched({ providers: [scriptedProvider(() => 'done')] })
    await using recording = await recordJournal(journal, file, { gatherMs: 0 })
    await service.delegate('scripted', request)
    // While it goes on, too.
    await until(() => execFileSync('cat', [file]).toString().includes('"end"'))
    await service.close()
    await recording.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const lines = (await readFile(file, 'utf8')).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(await entriesOf(journal))
    expect([recording.dropped, recording.failed, warnings]).toEqual([0, false, []])
  })

  it('I4: begun late, it has what is live from its beginning on', async () => {
    const file = await inFolder('runs.jsonl')
    const provider = scriptedProvider((_, __, index) => (index === 0 ? { hang: true } : 'done'))
    const { service, journal } = watched({ providers: [provider] }, { limit: 30 })
    const run = service.start('scripted', { ...request, id: 'first' })
    for (let n = 0; n < 10; n++) await service.delegate('scripted', request)
    const recording = await recordJournal(journal, file, { logger: collectLogger() })
    run.cancel()
    await service.close()
    await recording.close()
    const { runs } = (await readJournal(file)).stateAt()
    expect([...runs].find(({ runId }) => runId === 'first')).toMatchObject({ stopReason: 'aborted' })
  })

  it('I4: takes the place of an older recording, whose mode it mends, and of nothing else', async () => {
    const file = await recorded(1)
    await chmod(file, 0o644)
    const { journal } = watched({ providers: [] })
    await (await recordJournal(journal, file)).close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readJournal(file)).entries.map(({ type }) => type)).toEqual(['journal', 'chart', 'actor'])

    const notes = await inFolder('notes.txt')
    await writeFile(notes, 'not to be lost\n')
    await expect(recordJournal(journal, notes)).rejects.toThrow(
      `${notes} is there and is no recording; it is left as it is. Give a file that is not there yet, or an older recording.`,
    )
    expect(await readFile(notes, 'utf8')).toBe('not to be lost\n')
    await expect(recordJournal(journal, join(notes, 'below'))).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await expect(recordJournal(journal, await temporaryFolder())).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('I4: a disk that fails is one warning; the runs go on, and what was written stays', async () => {
    const logger = collectLogger()
    const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] })
    // Writing to it fails as to a full disk.
    const recording = await recordJournal(journal, '/dev/full', { logger, gatherMs: 0 })
    for (let n = 0; n < 3; n++) expect((await service.delegate('scripted', request)).stopReason).toBe('completed')
    await until(() => recording.failed)
    await service.delegate('scripted', request)
    await service.close()
    await recording.close()
    expect(logger.warnings).toEqual([expect.stringMatching(/^The recording \/dev\/full ends here: the disk is full\. The runs go on\.$/)])
  })

  it('I4: a disk that is slow costs entries, which are counted in the file and told; memory and runs are left alone', async () => {
    const pipe = await inFolder('slow.jsonl')
    execFileSync('mkfifo', [pipe])
    const reader = spawn('sh', ['-c', `exec 3<"$1"; read go; cat <&3`, 'sh', pipe], { stdio: ['pipe', 'pipe', 'inherit'] })
    let read = ''
    reader.stdout.on('data', (chunk) => (read += String(chunk)))
    const logger = collectLogger()
    const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] }, { limit: 100 })
    const recording = await recordJournal(journal, pipe, { logger, gatherMs: 0 })
    // A pipe that nobody reads takes 64 kB and then no more.
    for (let n = 0; n < 300; n++) await service.delegate('scripted', { ...request, label: 'x'.repeat(100) })
    reader.stdin.write('go\n')
    await service.close()
    await recording.close()
    reader.stdin.end()
    await once(reader, 'close')
    const file = await inFolder('read.jsonl')
    await writeFile(file, read)
    const state = (await readJournal(file)).stateAt()
    expect(state.dropped).toBe(recording.dropped)
    expect(state.dropped).toBeGreaterThan(0)
    expect([...state.actors].filter(({ status }) => status === 'active')).toEqual([])
    expect(logger.warnings).toEqual([
      `The recording ${pipe} misses ${recording.dropped} entries: they came faster than they could be written.`,
    ])
  }, 30_000)
})

describe('readJournal', () => {
  it('I4: gives the entries, and the state at any point', async () => {
    const journal = await readJournal(await recorded(2))
    expect(journal.isTorn).toBe(false)
    expect(journal.stateAt()).toEqual(fold(journal.entries))
    expect(journal.stateAt(0).seq).toBe(-1)
    const settled = journal.entries.findIndex(({ type }) => type === 'end')
    expect(
      [journal.stateAt(settled), journal.stateAt(settled + 1)].map(({ runs }) => [...runs].map(({ stopReason }) => stopReason)),
    ).toEqual([[undefined], ['completed']])
  })

  it('I4: a last line that is not whole is left out, and said', async () => {
    const file = await recorded()
    const { entries } = await readJournal(file)
    await appendFile(file, '{"seq":900,"at":1,"type":"end","ac')
    const torn = await readJournal(file)
    expect([torn.isTorn, torn.entries.length]).toEqual([true, entries.length])
  })

  it('I4: any other line that is broken is an error with file and line', async () => {
    const file = await recorded()
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
    const with3 = async (line: string) => {
      await writeFile(file, [...lines.slice(0, 2), line, ...lines.slice(3)].join('\n'))
      return problemOf(file)
    }
    const advice = 'Give a file that recordJournal or --record wrote.'
    expect(await with3('{"seq":')).toBe(`FILE:3 is not JSON. ${advice}`)
    expect(await with3('7')).toBe(`FILE:3 is no object. ${advice}`)
    expect(await with3('{"seq":3}')).toBe(`FILE:3 has no type. ${advice}`)
    expect(await with3('{"seq":-1,"at":1,"type":"end"}')).toBe(
      `FILE:3 is of type "end" and has no usable seq: it must be a whole number from 0. ${advice}`,
    )
    expect(await with3('{"seq":3,"at":1,"type":"snapshot","actor":"x:1","event":"ready","status":"asleep"}')).toBe(
      `FILE:3 is of type "snapshot" and has no usable status: it must be active, done, error or stopped. ${advice}`,
    )
    expect(
      await with3('{"seq":3,"at":1,"type":"actor","actor":"x:1","kind":"run","name":"a","status":"active","value":{"a":{"b":1}}}'),
    ).toBe(`FILE:3 is of type "actor" and has no usable value: it must be a state, or absent. ${advice}`)
    // What a later version adds is no fault.
    expect(await with3('{"seq":3,"at":1,"type":"novelty"}')).toBe('none')
    expect(await with3('')).toBe('none')
  })

  it('I4: another file, an empty one and none at all are told apart', async () => {
    const file = await inFolder('x.jsonl')
    expect(await problemOf(file)).toMatch(/^FILE cannot be read: there is no such file or directory\. Give/)
    await writeFile(file, '')
    expect(await problemOf(file)).toMatch(/^FILE:1 is not there: the file is empty\./)
    await writeFile(file, '{"type":"subagent/start"}\n{"type":"result"}\n')
    expect(await problemOf(file)).toMatch(/^FILE:1 is not the first line of a journal\./)
    await writeFile(file, 'a text\nof two lines\n')
    expect(await problemOf(file)).toMatch(/^FILE:1 is not JSON\./)
    await writeFile(file, '{"seq":0,"at":1,"type":"journal","version":2,"content":false}\n')
    expect(await problemOf(file)).toMatch(/^FILE:1 is of type "journal" and has no usable version: it must be 1\./)
  })
})

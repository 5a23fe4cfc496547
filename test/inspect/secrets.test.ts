import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgents } from '../../src/agents/index.ts'
import { defineProvider } from '../../src/index.ts'
import { recordJournal, statelyInspector } from '../../src/inspect/index.ts'
import type { JournalOptions } from '../../src/inspect/index.ts'
import { spawnProvider } from '../../src/providers/index.ts'
import { scriptedModel, scriptedProvider } from '../../src/testing/index.ts'
import { temporaryFolder } from '../cli/workspace/temporary-folder.ts'
import { viewer } from './viewer.ts'
import { entriesOf, request, watched } from './watched.ts'

/** Neither the shape of a key nor a variable's: only that it is content keeps it out. */
const secret = 'the moon is made of green cheese'
/** Values of the environment, which are kept out of content too. */
const env = { DEPLOY_TOKEN: 'correct horse battery', DB_PASSWORD: 'staple-and-paper', HOME: '/home/somebody' }

/** Runs whose every part has the secret in it; the journal, its recording and what a viewer of Stately's inspector gets, as text. */
async function everythingTold(options: JournalOptions, word = secret) {
  const file = join(await temporaryFolder(), 'runs.jsonl')
  const agents = createAgents({
    system: word,
    model: scriptedModel([
      { reasoning: word, text: word, tools: [{ name: 'look', input: { path: word } }] },
      { tools: [{ name: 'break', input: { path: word } }] },
      { text: word },
      { error: { message: word, status: 400 } },
    ]),
    maxRetries: 0,
    tools: {
      look: tool({ inputSchema: z.object({ path: z.string() }), execute: (): object => ({ found: word, env: { DEPLOY_TOKEN: word } }) }),
      break: tool({
        inputSchema: z.object({ path: z.string() }),
        execute: (): object => {
          throw new Error(word)
        },
      }),
    },
  })
  const failure = { code: 'MODEL_ERROR', phase: 'running', retryable: false, message: word } as const
  const scripted = scriptedProvider([
    {
      updates: [
        { type: 'thought', text: word },
        { type: 'tool-call', toolCallId: 'call', name: `Read ${word}`, input: { path: word } },
        { type: 'plan', entries: [{ content: word, status: word }] },
        { type: 'raw', raw: { text: word } },
        { type: word, anything: word } as never,
      ],
      text: word,
      stopReason: 'error',
      failure,
      diagnostic: word,
    },
    { reject: new Error(word) },
    { stopReason: word as never },
    { hang: true },
    { hang: true },
  ])
  const permission = defineProvider({
    name: 'asking',
    run: (_, { ask }) => {
      const kinds = [{ id: 'yes', name: word, kind: 'allow_once' as const }]
      ask({ id: 'may', title: word, toolName: word, options: kinds }).answer()
      return word
    },
  })
  const { service, journal } = watched({ providers: [spawnProvider({ agents }), scripted, permission] }, { env, ...options })
  const recording = await recordJournal(journal, file)
  const inspector = await statelyInspector({ journal })
  const watching = await viewer(inspector.webSocketUrl)
  const asks = {
    ...request,
    prompt: word,
    label: word,
    persona: word,
    agentOptions: { temper: word, env: { DEPLOY_TOKEN: word } } as never,
  }
  await service.delegate('spawn', asks)
  await service.delegate('spawn', asks)
  await service.delegate('asking', { ...asks, persona: undefined as never })
  await service.delegate('scripted', asks)
  await service.delegate('scripted', asks).catch(() => {})
  await service.delegate('scripted', asks)
  service.start('scripted', asks).cancel(word)
  service.ref.send({ type: 'run.start', provider: 'scripted', request: { ...asks, id: 'by-event' } })
  service.ref.send({ type: 'run.cancel', runId: 'by-event', reason: word })
  await service.close()
  await recording.close()
  const entries = await entriesOf(journal)
  await watching.ended
  await inspector.close()
  return {
    entries,
    texts: { stream: JSON.stringify(entries), recording: await readFile(file, 'utf8'), viewer: JSON.stringify(watching.messages) },
  }
}

const holders = (texts: Record<string, string>, word: string) => Object.keys(texts).filter((name) => texts[name]!.includes(word))

describe('what is said in a run', () => {
  it('I2, I4: is in no stream, no recording and no viewer: prompt, persona, options, texts, tools, plans, questions, errors, reasons', async () => {
    const { entries, texts } = await everythingTold({ labels: false })
    expect(holders(texts, 'green cheese')).toEqual([])
    // And yet all of it was told: how much, of which kind, how it ended.
    expect(entries.flatMap((entry) => (entry.type === 'end' ? [entry.stopReason] : []))).toEqual([
      'completed',
      'error',
      'completed',
      'error',
      'error',
      'other',
      'aborted',
      'aborted',
    ])
    const updates = entries.flatMap((entry) => (entry.type === 'update' ? [entry.update] : []))
    expect(new Set(updates.map(({ type }) => type))).toEqual(
      new Set(['thought', 'text', 'tool-call', 'tool-result', 'usage', 'plan', 'raw', 'permission', 'other']),
    )
    expect(updates.find(({ type }) => type === 'text')).toMatchObject({ length: secret.length })
    expect(updates.filter(({ name }) => name !== undefined).map(({ name }) => name)).toEqual(['look', 'break', 'tool'])
    for (const text of Object.values(texts)) expect(text).toContain('settling')
  })

  it('I2: a label is display text and is told, as it is, not at all, or as a function says; what looks like a key is not', async () => {
    const labelsOf = async (options: JournalOptions, label: string) => {
      const { service, journal } = watched({ providers: [scriptedProvider(() => 'done')] }, options)
      await service.delegate('scripted', { ...request, label })
      await service.close()
      return (await entriesOf(journal)).flatMap((entry) => ('label' in entry ? [entry.label] : []))
    }
    expect(await labelsOf({}, 'count TODOs')).toEqual(['count TODOs', 'count TODOs'])
    expect(await labelsOf({}, 'use sk-abcdefgh12345678')).toEqual(['use [redacted]', 'use [redacted]'])
    expect(await labelsOf({ env }, 'say correct horse battery')).toEqual(['say [redacted]', 'say [redacted]'])
    expect(await labelsOf({}, 'x'.repeat(500))).toEqual([`${'x'.repeat(119)}…`, `${'x'.repeat(119)}…`])
    expect(await labelsOf({ labels: false }, 'count')).toEqual([])
    expect(await labelsOf({ labels: ({ label, isRoot }) => `${label}, ${isRoot}` }, 'count')).toEqual(['count, true', 'count, true'])
    expect(await labelsOf({ labels: () => undefined }, 'count')).toEqual([])
  })

  it('I2: with content it is told, less the secrets of the environment and what stands under the name of one', async () => {
    const { texts } = await everythingTold({ content: true })
    expect(holders(texts, 'green cheese').slice(0, 2)).toEqual(['stream', 'recording'])
    const { texts: clean } = await everythingTold({ content: true }, `say ${env.DEPLOY_TOKEN} and ${env.DB_PASSWORD}`)
    expect([...holders(clean, env.DEPLOY_TOKEN), ...holders(clean, env.DB_PASSWORD)]).toEqual([])
    expect(clean.stream).toContain('say [redacted] and [redacted]')
  })

  it('I2: nor does a secret of the environment pass in pieces, and what only begins like one is told with the next piece', async () => {
    const secret = env.DEPLOY_TOKEN
    const pieces = ['it is cor', 'rect ho', 'rse batt', 'ery, or correct', 'ly said, corr']
    const child = { updates: pieces.map((text) => ({ type: 'text' as const, text })), text: 'ect' }
    const { service, journal } = watched({ providers: [scriptedProvider([child])] }, { env, content: true })
    await service.delegate('scripted', request)
    await service.close()
    const entries = await entriesOf(journal)
    const told = entries.flatMap((entry) => (entry.type === 'update' ? [entry.update.text ?? ''] : []))
    expect(told).toEqual(['it is ', '', '', '[redacted], or ', 'correctly said, ', ''])
    expect(told.join('')).not.toContain(secret)
  })

  it('I2: secrets of the environment are kept out of names too', async () => {
    const name = env.DB_PASSWORD
    const { service, journal } = watched({ providers: [scriptedProvider([{ id: name, tools: [{ name }] }], { name })] }, { env })
    await service.delegate(name, { ...request, id: name })
    await service.close()
    expect(JSON.stringify(await entriesOf(journal))).not.toContain(name)
  })

  it('I2: content has a bound: what is long, deep, wide, live or unreadable is cut', async () => {
    const deep: Record<string, unknown> = {}
    let at = deep
    for (let n = 0; n < 50; n++) at = at['in'] = {} as Record<string, unknown>
    const { service, journal } = watched({ providers: [scriptedProvider(() => ({ text: 'y'.repeat(50_000) }))] }, { content: true })
    const odd = {
      deep,
      wide: Array.from({ length: 10_000 }, (_, index) => index),
      live: new Map([['a', 1]]),
      does: () => {},
      apiKey: 'abc',
      get broken(): string {
        throw new Error('no')
      },
    }
    service.ref.send({
      type: 'close-not',
      ...Object.getOwnPropertyDescriptors({}),
      deep,
      wide: odd.wide,
      live: odd.live,
      does: odd.does,
      apiKey: 'abc',
    } as never)
    service.ref.send({ type: 'close-not', odd } as never)
    await service.delegate('scripted', request)
    await service.close()
    const entries = await entriesOf(journal)
    const [first, second] = entries.flatMap((entry) => (entry.type === 'event' && entry.event === 'close-not' ? [entry.data] : []))
    expect(JSON.stringify(first).length).toBeLessThan(4000)
    expect(first).toMatchObject({ live: '[object]', does: '[function]', apiKey: '[redacted]' })
    expect(second).toBe('[unreadable]')
    const text = entries.find((entry) => entry.type === 'update' && entry.update.type === 'text')
    expect(text).toMatchObject({ update: { length: 50_000, text: expect.stringMatching(/^y{19999}…$/) as unknown } })
  })
})

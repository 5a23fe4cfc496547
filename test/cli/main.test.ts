import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { modelServer, usageOfAnAnswer, type ModelReply, type ModelRequest } from './model-server.ts'
import { buildProgram, program, startProgram, type StartOptions } from './program-process.ts'

beforeAll(buildProgram, 60_000)

const run = (argv: readonly string[], options?: StartOptions) => startProgram(argv, options).ended
const events = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown> & { type: string })
const withServer = (url: string, ...more: string[]) => [
  'run',
  'Do the thing',
  '--model',
  'local/m',
  '--base-url',
  url,
  '--cwd',
  'examples/sample-project',
  ...more,
]
const patient = { timeout: 10_000 }
const key = 'sk-live-0123456789abcdef'

describe('subagents demo', { timeout: 30_000 }, () => {
  it('C1: needs no key: says first that it is scripted, runs three children at once, tells where the TODOs are', async () => {
    const { code, out, err } = await run(['demo'])
    expect(code).toBe(0)
    expect(out.split('\n')[0]).toMatch(/^Model: scripted\./)
    expect(out).toContain('Found 12 TODOs in 10 of 16 files searched: 5 FIXME, 7 TODO.')
    expect(out).toContain('server/loans/due-date.js:5 FIXME near midnight')
    expect(out).not.toMatch(/nobody should see|decoy/)
    const steps = err
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().split(/ +/)[1])
    expect(steps).toEqual(['start', 'start', 'start', 'start', 'end', 'end', 'end', 'end'])
  })

  it('C5: --json prints one object a line, every run with a start and an end, the result last, nothing else', async () => {
    const { code, out, err } = await run(['demo', '--json'])
    expect(code).toBe(0)
    const all = events(out)
    const of = (type: string) => all.filter((event) => event.type === type)
    const [parent, ...children] = of('subagent/start')
    expect(children.map((event) => event['parentRunId'])).toEqual([parent?.['runId'], parent?.['runId'], parent?.['runId']])
    expect(new Set(of('subagent/end').map((event) => event['runId']))).toEqual(new Set(of('subagent/start').map((event) => event['runId'])))
    expect(of('subagent/end').at(-1)?.['runId']).toBe(parent?.['runId'])
    const lastStart = all.findLastIndex((event) => event.type === 'subagent/start')
    expect(all.findIndex((event) => event.type === 'subagent/end')).toBeGreaterThan(lastStart)
    expect(of('subagent/update').length).toBeGreaterThan(20)
    expect(all.at(-1)).toMatchObject({
      type: 'result',
      model: 'scripted',
      stopReason: 'completed',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    })
    expect(all.at(-1)?.['output']).toEqual([{ type: 'text', text: expect.stringContaining('Found 12 TODOs') }])
    expect(new Set(all.map((event) => event.type))).toEqual(
      new Set(['subagent/provider-added', 'subagent/start', 'subagent/update', 'subagent/end', 'result']),
    )
    expect(err).toMatch(/^Model: scripted\..*\n$/)
  })

  it('C6: ends quietly when the reader of its output goes away', async () => {
    const piped = await new Promise<{ stdout: string; stderr: string }>((resolve, reject) =>
      execFile('/bin/sh', ['-c', '"$0" "$1" demo --json | head -n 1', process.execPath, program], (error, stdout, stderr) =>
        error ? reject(error) : resolve({ stdout, stderr }),
      ),
    )
    expect(JSON.parse(piped.stdout)).toMatchObject({ type: 'subagent/provider-added' })
    expect(piped.stderr).toMatch(/^Model: scripted\..*\n$/)
  })

  it.skipIf(!existsSync('/dev/full'))('C6: says so and exits 1 when its output cannot be written', async () => {
    const [code, err] = await new Promise<[number | undefined, string]>((resolve) =>
      execFile('/bin/sh', ['-c', '"$0" "$1" demo > /dev/full', process.execPath, program], (error, _, stderr) =>
        resolve([error?.code as number | undefined, stderr]),
      ),
    )
    expect(code).toBe(1)
    expect(err).toContain('The output cannot be written (ENOSPC).')
  })

  it('C6, C7: in a folder that was deleted says so and exits 2, and has its version and its help all the same', async () => {
    const inDeleted = (argv: string) =>
      new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
        execFile(
          '/bin/sh',
          ['-c', `cd "$(mktemp -d)" && rmdir "$PWD" && exec "$0" "$1" ${argv}`, process.execPath, program],
          (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
        ),
      )
    expect(await inDeleted('demo')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^The current folder was deleted [^\n]*\n$/),
    })
    expect(await inDeleted('--version')).toMatchObject({ code: 0, stderr: '' })
    expect(await inDeleted('run --help')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Usage: subagents run') })
  })

  it('C6: bad usage exits 2, with nothing on stdout', async () => {
    expect(await run(['demo', '--modle', 'scripted'])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('Did you mean --model?'),
    })
    expect(await run(['demo', '--cwd', '/nowhere/at/all'])).toMatchObject({
      code: 2,
      out: '',
      err: '--cwd: /nowhere/at/all does not exist. Give a folder that does.\n',
    })
    expect(await run(['run', 'x'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('subagents run with a model on a server', { timeout: 40_000 }, () => {
  /** The parent reads a file and delegates twice; a child answers with the folder it was given. */
  const delegating = ({ messages }: ModelRequest): ModelReply => {
    const task = String(messages.find(({ role }) => role === 'user')?.content)
    const results = messages.filter(({ role }) => role === 'tool')
    if (task.startsWith('Look at')) return { text: `${task.slice(8)} is fine.` }
    if (results.length > 0) return { text: results.map(({ content }) => String(content)).join(' ') }
    const delegate = (folder: string) => ({ name: 'subagent', input: { description: `the ${folder} folder`, prompt: `Look at ${folder}` } })
    return {
      calls: [{ name: 'read_file', input: { path: 'server/books.js', startLine: 1, endLine: 1 } }, delegate('web'), delegate('server')],
    }
  }

  it('C3: delegates, joins the answers, adds up the tokens of all runs, and shows the key nowhere', async () => {
    const server = await modelServer(delegating)
    const { code, out, err } = await run(withServer(server.url), { env: { OPENAI_API_KEY: key } })
    expect({ code, out }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/The books in order of title.*web is fine\. server is fine\.\n$/s),
    })
    expect(err.split('\n')[0]).toBe(`Model: local/m at ${server.url}, with the key in OPENAI_API_KEY.`)
    expect(err).toMatch(/start {4}the web folder\n.*start {4}the server folder\n/s)
    expect(server.requests.map(({ authorization }) => authorization)).toEqual(Array.from({ length: 4 }, () => `Bearer ${key}`))
    expect(server.requests[0]?.tools).toEqual(['list_files', 'read_file', 'search_files', 'subagent'])
    expect(out + err).not.toContain(key)
    const json = await run(withServer(server.url, '--json'))
    const { inputTokens, outputTokens, totalTokens } = usageOfAnAnswer
    expect(events(json.out).at(-1)).toMatchObject({
      type: 'result',
      model: 'local/m',
      stopReason: 'completed',
      usage: { inputTokens: 4 * inputTokens, outputTokens: 4 * outputTokens, totalTokens: 4 * totalTokens },
    })
    expect(server.requests.at(-1)?.authorization).toBeUndefined()
  })

  it('C3: --max-depth 0 forbids children, and the model is told so', async () => {
    const server = await modelServer(delegating)
    const { code, err } = await run(withServer(server.url, '--max-depth', '0'))
    expect(code).toBe(0)
    expect(err.match(/ start /g)).toHaveLength(1)
    expect(JSON.stringify(server.requests.at(-1)?.messages)).toContain('raise maxDepth')
  })

  it('C3: a refused key exits 1, names the variable, and shows no key though the server says it back', async () => {
    const server = await modelServer(({ authorization }) => ({
      status: 401,
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${authorization}` } }),
    }))
    for (const json of [[], ['--json']]) {
      const { code, out, err } = await run(withServer(server.url, ...json), { env: { LOCAL_API_KEY: key } })
      expect(code).toBe(1)
      expect(err).toContain('HTTP 401')
      expect(err).toContain('Check the key in LOCAL_API_KEY')
      expect(out + err).not.toContain(key)
      if (json.length > 0)
        expect(events(out).at(-1)).toMatchObject({ type: 'result', stopReason: 'error', failure: { code: 'MODEL_ERROR' } })
      else expect(out).toBe('')
    }
  })

  it('C3: a server that fails exits 1 after its retries', async () => {
    const server = await modelServer(() => ({ status: 500, retryAfterMs: 1 }))
    const { code, err } = await run(withServer(server.url))
    expect(code).toBe(1)
    expect(err).toContain('HTTP 500')
    expect(err).toContain(`The fault is at ${server.url}`)
    expect(server.requests).toHaveLength(3)
  })

  it('C3: a port where nobody listens exits 1 and points at --base-url', async () => {
    const { code, err } = await run(withServer(await unusedUrl()))
    expect(code).toBe(1)
    expect(err).toContain('ECONNREFUSED')
    expect(err).toContain('Check --base-url')
  })

  it('C6: a line that drops in the middle exits 1, with the text so far on stdout', async () => {
    const server = await modelServer(() => ({ text: 'The first half', ending: 'drop' }))
    const { code, out, err } = await run(withServer(server.url))
    expect({ code, out }).toEqual({ code: 1, out: '\nThe first half\n' })
    expect(err).toContain('What stands above is as far as it came.')
    expect(err).toMatch(/Run the command again/)
  })

  it('C6: --timeout exits 1 with the text so far', async () => {
    const server = await modelServer(() => ({ text: 'Not yet done', ending: 'hang' }))
    const { code, out, err } = await run(withServer(server.url, '--timeout', '1500ms'))
    expect({ code, out }).toEqual({ code: 1, out: '\nNot yet done\n' })
    expect(err).toContain('Not completed (timed-out)')
  })

  it('C7: shows no control characters of a model, a label or a server', async () => {
    const server = await modelServer(({ messages }) =>
      messages.some(({ role }) => role === 'tool' || role === 'assistant')
        ? { text: '\u001b[2J\u001b]0;owned\u0007clean\u009b31m text\r' }
        : { calls: [{ name: 'subagent', input: { description: '\u001b[31mred\nlabel', prompt: 'x' } }] },
    )
    const { code, out, err } = await run(withServer(server.url, '--max-depth', '1'))
    expect(code).toBe(0)
    expect(out).toBe('\nclean text\n')
    expect(err).toContain('red label')
    // oxlint-disable-next-line no-control-regex -- what must not be there
    expect(out + err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('Ctrl-C', { timeout: 30_000 }, () => {
  /** The parent has said something and delegated; its children hang in the middle of a word. */
  const hanging = ({ messages }: ModelRequest): ModelReply => {
    const task = String(messages.find(({ role }) => role === 'user')?.content)
    if (task.startsWith('Look at')) return { text: 'half a', ending: 'hang' }
    return {
      text: 'I shall ask two children.',
      calls: ['a', 'b'].map((name) => ({ name: 'subagent', input: { description: name, prompt: `Look at ${name}` } })),
    }
  }

  it('C6: once: cancels all runs, shows what is there, leaves nothing running, exits 130', async () => {
    const server = await modelServer(hanging)
    const running = startProgram(withServer(server.url, '--json'))
    await running.shows('"text":"half a"')
    await running.shows('"label":"b"')
    running.signal('SIGINT')
    const { code, signal, out, err } = await running.ended
    expect({ code, signal }).toEqual({ code: 130, signal: null })
    const all = events(out)
    expect(all.filter(({ type }) => type === 'subagent/end').map((event) => event['stopReason'])).toEqual(['aborted', 'aborted', 'aborted'])
    expect(all.at(-1)).toMatchObject({
      type: 'result',
      stopReason: 'aborted',
      output: [{ type: 'text', text: 'I shall ask two children.' }],
    })
    expect(err).toContain('Interrupted: stopping all runs.')
    await expect.poll(() => server.answering(), patient).toBe(0)
  })

  it('C6: once, in plain output: the text so far on stdout', async () => {
    const server = await modelServer(({ messages }) =>
      messages.some(({ role }) => role === 'tool') ? { ending: 'hang' } : { text: 'So far', calls: [{ name: 'list_files', input: {} }] },
    )
    const running = startProgram(withServer(server.url))
    await expect.poll(() => server.requests.length, patient).toBe(2)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({
      code: 130,
      out: '\nSo far\n',
      err: expect.stringContaining('\nInterrupted. What stands above is as far as it came.\n'),
    })
  })

  it('C6: twice: quits at once, though something holds the run', async () => {
    const server = await modelServer(() => ({ calls: [{ name: 'list_files', input: {} }] }))
    // A disk that never answers: the tool can do nothing about its signal.
    const preload = `data:text/javascript,${encodeURIComponent(
      `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module'; fs.readdir = () => new Promise(() => setInterval(() => {}, 1000)); syncBuiltinESMExports()`,
    )}`
    const running = startProgram(withServer(server.url), { preload })
    await expect.poll(() => server.requests.length, patient).toBe(1)
    running.signal('SIGINT')
    await running.shows('Press Ctrl-C again')
    expect(running.hasEnded()).toBe(false)
    running.signal('SIGINT')
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})

async function unusedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/v1`
}

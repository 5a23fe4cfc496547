import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../../src/index.ts'
import type { SubagentRun } from '../../../src/index.ts'
import { acpProvider } from '../../../src/providers/acp/index.ts'
import type { AcpProviderOptions } from '../../../src/providers/acp/index.ts'
import { collectLogger, textOf } from '../collect.ts'
import { Control, controlledAgent } from './control.ts'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp()
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'acp-process-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function serve(options: AcpProviderOptions) {
  const logger = collectLogger()
  const service = createSubagentService({ providers: [acpProvider(options)], logger })
  cleanUps.push(() => service.close())
  const start = (cwd = tmpdir()): SubagentRun => service.start('acp', { parent: rootAgent({ cwd }), prompt: 'work' })
  return { logger, service, start }
}

/** A program that is a whole agent in some lines of JavaScript, with `send` and the messages by their method. */
const program = (handlers: string): string => `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const text = (text) => send({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } } })
const handlers = {
  initialize: ({ id }) => send({ id, result: { protocolVersion: 1 } }),
  'session/new': ({ id }) => send({ id, result: { sessionId: 's' } }),
  'session/prompt': ({ id }) => { text('done'); send({ id, result: { stopReason: 'end_turn' } }) },
  ${handlers}
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => { const message = JSON.parse(line); handlers[message.method]?.(message) })
`
const agent = (handlers: string): AcpProviderOptions => ({ command: process.execPath, args: ['-e', program(handlers)], drainMs: 0 })

/** Processes with that word in their environment or command line, which this one is not. */
async function processesWith(word: string): Promise<string[]> {
  const { readdirSync, readFileSync } = await import('node:fs')
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return `${readFileSync(`/proc/${pid}/environ`, 'latin1')}${readFileSync(`/proc/${pid}/cmdline`, 'latin1')}`.includes(word)
    } catch {
      return false
    }
  })
}

describe('starting', () => {
  it('A7: a program that is not there, or cannot be run, fails the run as SPAWN_FAILED', async () => {
    const folder = temporaryFolder()
    const notExecutable = join(folder, 'agent')
    writeFileSync(notExecutable, 'no program', { mode: 0o644 })
    for (const command of ['no-such-agent-anywhere', notExecutable]) {
      const run = serve({ command }).start(folder)
      const { stopReason, failure } = await run.result
      expect([stopReason, failure?.code, failure?.phase]).toEqual(['error', 'SPAWN_FAILED', 'starting'])
      // The reason is a sentence of its own or not; the message ends in one full stop.
      expect(failure?.message).toMatch(/[^.]\.$/)
      expect(failure?.message).toMatch(/^The agent (no-such-agent-anywhere|agent) could not be started: (?!.*could not be started)/)
      await run.dispose()
    }
  })

  it('A7: a program that speaks no ACP and ends says how it ended and what it wrote', async () => {
    const { start } = serve({
      command: process.execPath,
      args: ['-e', 'console.log("usage: tool"); console.error("bad flag"); process.exit(64)'],
    })
    const run = start()
    const { failure, diagnostic } = await run.result
    expect(failure?.code).toBe('HANDSHAKE_FAILED')
    expect(diagnostic).toContain('ended with exit code 64. That was in initialize.')
    expect(diagnostic).toContain('On stdout it wrote one line that is no message, the first: usage: tool')
    expect(diagnostic).toContain('The end of its stderr:\nbad flag')
    await run.dispose()
  })
})

describe('a process', () => {
  it('A12: that dies in mid-prompt settles the run at once, with its text, its exit and its stderr', async () => {
    const dies = agent(
      `'session/prompt': () => { text('half'); console.error('segfault, more or less'); process.exitCode = 139; process.stdin.destroy() }`,
    )
    const run = serve(dies).start()
    const result = await run.result
    expect(result).toMatchObject({ stopReason: 'error', failure: { code: 'CRASHED', phase: 'running' } })
    expect(textOf(result)).toBe('half')
    expect(result.diagnostic).toContain('ended with exit code 139')
    expect(result.diagnostic).toContain('segfault, more or less')
    await run.dispose()
  })

  it('A12: that is killed from outside settles the run', async () => {
    const control = new Control()
    const port = await control.listen()
    cleanUps.push(() => control.close())
    const { start } = serve({
      command: process.execPath,
      args: [controlledAgent],
      env: { ACP_CONTROL_PORT: String(port), ACP_CONTROL_ID: '0' },
    })
    control.order('0', { do: 'open' })
    const run = start()
    while (!control.find('0', 'prompt')) await new Promise((resolve) => setTimeout(resolve, 5))
    process.kill(control.find('0', 'up')!.pid!, 'SIGKILL')
    expect((await run.result).failure).toMatchObject({ code: 'CRASHED', message: expect.stringContaining('was ended by SIGKILL') })
    await run.dispose()
  })

  it('A20: leaves nothing once its run is disposed, also of what it started and of what ignores its stdin', async () => {
    const mark = `acp-test-${process.pid}-${Math.trunc(performance.now())}`
    const starts = `
      const { spawn } = require('node:child_process')
      spawn('sleep', ['60'], { stdio: 'inherit' })
      spawn('sleep', ['60'], { stdio: 'ignore', detached: true }).unref()
      setInterval(() => {}, 1000)
      process.on('SIGTERM', () => {})`
    const deaf = agent('')
    const { start } = serve({ ...deaf, args: ['-e', `${starts}\n${program('')}`], env: { MARK: mark }, eofGraceMs: 50, termGraceMs: 50 })
    const run = start()
    expect(textOf(await run.result)).toBe('done')
    expect((await processesWith(mark)).length).toBe(3)
    await run.dispose()
    expect(await processesWith(mark)).toEqual([])
  })

  it('A22: its stderr is heard as it comes, and a tap that throws changes nothing', async () => {
    const heard: string[] = []
    const talks = agent(
      `'session/new': ({ id }) => { process.stderr.write('thinking\\n', () => send({ id, result: { sessionId: 's' } })) }`,
    )
    const { logger, start } = serve({
      ...talks,
      onStderr: (chunk, runId) => {
        heard.push(`${runId} ${Buffer.from(chunk).toString()}`)
        throw new Error('the tap is broken')
      },
    })
    const run = start()
    expect((await run.result).stopReason).toBe('completed')
    await run.dispose()
    expect(heard).toEqual([`${run.runId} thinking\n`])
    expect(logger.warnings.join()).toContain('the tap is broken')
  })
})

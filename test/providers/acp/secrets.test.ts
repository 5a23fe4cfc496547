import { describe, expect, it } from 'vitest'
import { commandLine } from '../../../src/providers/acp/command-line.ts'
import { setUp } from './memory-agent.ts'
import type { Script } from './memory-agent.ts'

const secret = 'correct horse battery staple'
const parts = ['correct', 'horse', 'battery', 'staple', 'corr', 'aple']
const clean = (text: string | undefined): void => {
  for (const part of parts) expect(text).not.toContain(part)
}
/** Where a cut may come: about the lengths that excerpts have. */
const places = [170, 190, 195, 199, 200, 205, 1000, 1010, 1020, 1024, 1474, 1490, 1499, 1500]

describe('what a failure shows', () => {
  const run = async (script: Script) => {
    const { result } = setUp(script, { env: { SECRETX: secret } }).start()
    return await result
  }

  it('R14: no half of a secret is left where the first noise is cut', async () => {
    for (const before of places) {
      const { failure, diagnostic } = await run({
        'session/prompt': (_, agent) => {
          agent.raw(`${'N'.repeat(before)}${secret}\n`)
          agent.exit({ code: 3 })
        },
      })
      expect(failure?.code).toBe('CRASHED')
      expect(diagnostic).toContain('NNN')
      clean(diagnostic)
    }
  })

  it('R14: nor in a line that has not ended, in the data of an error, and in the end of stderr', async () => {
    for (const before of places) {
      const line = await run({
        'session/prompt': (_, agent) => {
          agent.raw(`{${'N'.repeat(before)}${secret}`)
          agent.exit({ signal: 'SIGKILL' })
        },
      })
      expect(line.diagnostic).toContain('NNN')
      clean(line.diagnostic)
      const data = await run({
        'session/prompt': ({ id }, agent) =>
          agent.send({
            id,
            error: { code: -32_603, message: 'Internal', data: { details: `${'D'.repeat(before)}${secret}${'E'.repeat(2000)}` } },
          }),
      })
      expect(data.diagnostic).toContain('It adds: DDD')
      clean(data.diagnostic)
      const stderr = await run({
        'session/prompt': (_, agent) => {
          agent.stderr = `${'X'.repeat(3000)}${secret}${'Y'.repeat(before)}`
          agent.exit({ code: 3 })
        },
      })
      expect(stderr.diagnostic).toContain('YYY')
      clean(stderr.diagnostic)
    }
  })

  it('R14: nor at the front of a stderr that is full', async () => {
    const { diagnostic } = await run({
      'session/prompt': (_, agent) => {
        agent.stderr = `${secret.slice(5)} ${`${secret} `.repeat(2258)}`.padEnd(65_535, '.')
        agent.exit({ code: 3 })
      },
    })
    expect(diagnostic).toContain('[SECRETX] [SECRETX]')
    clean(diagnostic)
  })

  it('R14: arguments that are secrets are not in the name of the command', () => {
    expect(
      commandLine('/usr/bin/agent', [
        '--api-token',
        'hunter22',
        '--token',
        'a b',
        '--key=value',
        '--secret',
        '--model',
        'm',
        'API_KEY=x',
        '-v',
      ]),
    ).toBe('agent --api-token [redacted] --token [redacted] --key=[redacted] --secret --model m API_KEY=[redacted] -v')
  })
})

import { describe, expect, it } from 'vitest'
import { hintFor } from '../../../src/cli/models/model-failure.ts'
import { chooseModel } from '../../../src/cli/models/model-choice.ts'

const vendor = { choice: chooseModel('deepseek/x', undefined), keyVariable: 'DEEPSEEK_API_KEY' }
const server = { choice: chooseModel('local/x', 'http://127.0.0.1:9/v1'), keyVariable: undefined }
const hint = (message: string, context: Parameters<typeof hintFor>[1] = vendor, code = 'MODEL_ERROR') =>
  hintFor({ code, phase: 'running', retryable: false, message }, context)

describe('what to do about a model that failed', () => {
  it('C3: differs by the kind of failure', () => {
    expect(hint('deepseek refused the credentials (HTTP 401).')).toBe(
      'Check the key in DEEPSEEK_API_KEY: it was sent to deepseek, which did not take it.',
    )
    expect(hint('local refused the credentials (HTTP 401).', server)).toMatch(
      /^http:\/\/127\.0\.0\.1:9\/v1 wants a key\. Set OPENAI_API_KEY/,
    )
    expect(hint('x refused the call (HTTP 404): no.', server)).toContain('/v1 at its end')
    expect(hint('x refused the call (HTTP 404): no.')).toContain('Check the model id')
    expect(hint('x refused the call (HTTP 402): no.')).toContain('balance')
    expect(hint('x is limiting the rate (HTTP 429): no.')).toContain('Wait a while')
    expect(hint('x failed (HTTP 500): no.')).toContain('The fault is at deepseek')
    expect(hint('x refused the call (HTTP 400): no.')).toContain('can call tools')
    expect(hint('x cannot be reached (ECONNREFUSED).', server)).toBe('Is a server running at http://127.0.0.1:9/v1? Check --base-url.')
    expect(hint('x could not be called: bad port.', server)).toContain('Check --base-url')
    expect(hint('x cannot be reached (ENOTFOUND).')).toContain('network')
    expect(hint('The connection to x was dropped in the middle of the answer (ECONNRESET).')).toMatch(/^Run the command again;/)
    expect(hint('x sent an answer that cannot be read (malformed).', server)).toContain("speak OpenAI's protocol")
  })

  it('C3: is left out where there is nothing to add', () => {
    expect(hint('odd')).toBeUndefined()
    expect(hint('x', vendor, 'DEAF')).toBeUndefined()
    expect(hint('x', vendor, 'MAX_STEPS')).toBe('Give a smaller task.')
  })
})

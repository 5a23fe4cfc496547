import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createActor, createMachine } from 'xstate'
import { expect, it, vi } from 'vitest'

const expected = process.env['XSTATE_BUILD'] ?? 'development'

it(`the tests run against the build of XState that their configuration names (${expected})`, () => {
  // Only the development build warns of an event that is sent to an actor that has stopped.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const actor = createActor(createMachine({})).start()
  actor.stop()
  actor.send({ type: 'late' })
  const warned = warn.mock.calls.length > 0
  warn.mockRestore()
  expect(warned ? 'development' : 'production').toBe(expected)
})

it('the source under test and the tests share one copy of XState', () => {
  const resolved = fileURLToPath(import.meta.resolve('xstate'))
  expect(resolved.includes('.development.')).toBe(expected === 'development')
  expect(
    createRequire(import.meta.url)
      .resolve('xstate')
      .includes('.development.'),
  ).toBe(expected === 'development')
})

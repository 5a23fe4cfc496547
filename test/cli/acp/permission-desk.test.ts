import { describe, expect, it } from 'vitest'
import { permissionWaitMs, terminalDesk } from '../../../src/cli/acp/permission-desk.ts'
import type { Keyboard } from '../../../src/cli/keyboard.ts'
import type { PermissionQuestion } from '../../../src/index.ts'
import { createSimulatedClock } from '../../../src/testing/index.ts'
import { until } from '../../providers/collect.ts'

type Options = PermissionQuestion['request']['options']
const usual: Options = [
  { id: 'once', name: 'Allow', kind: 'allow_once' },
  { id: 'always', name: 'Always', kind: 'allow_always' },
  { id: 'no', name: 'Reject', kind: 'reject_once' },
]
const question = (runId: string, options = usual, more: Partial<PermissionQuestion['request']> = {}): PermissionQuestion => ({
  runId,
  provider: 'opencode',
  label: 'Tidy up',
  lineage: ['caller', 'child'],
  request: { id: 'q', title: 'rm -rf build', toolKind: 'execute', input: { command: 'rm -rf build' }, options, ...more },
})

function setUp({ isTTY = true } = {}) {
  const clock = createSimulatedClock()
  let shown = ''
  const warnings: string[] = []
  const typing: ((line: string) => void)[] = []
  const keyboard: Keyboard = {
    readLine: (show, take, signal) => {
      show()
      return new Promise((resolve) => {
        typing.push((line) => {
          const taken = take(line)
          if (taken !== undefined) resolve(taken)
        })
        signal.addEventListener('abort', () => resolve(undefined))
      })
    },
  }
  const holds: string[] = []
  const desk = terminalDesk(
    {
      keyboard: isTTY ? keyboard : undefined,
      stderr: { write: () => {}, isTTY },
      after: (ms, due) => {
        const timer = clock.setTimeout(due, ms)
        return () => clock.clearTimeout(timer)
      },
    },
    {
      warn: (text) => void warnings.push(text),
      hold: () => {
        holds.push('held')
        return { write: (text) => void (shown += text), letGo: () => void holds.push('let go') }
      },
    },
    (text) => text.replaceAll('secret', '[redacted]'),
  )
  const type = (line: string): void => typing.at(-1)!(line)
  return { clock, desk, type, typing, warnings, holds, shown: () => shown }
}

describe('questions for permissions at the terminal', () => {
  it('A13, C3: shows what is asked, by which run and below whom, and the choices; keys and control characters are taken out', async () => {
    const { desk, type, typing, shown } = setUp()
    const answer = desk.ask(question('run-1', usual, { title: '\u001b[2Jrm secret\nnow' }))
    await until(() => typing.length === 1)
    expect(shown()).toBe(
      [
        'Permission: opencode asks, in “Tidy up”, run run-1, below child.',
        '  rm [redacted] now  (execute)',
        '  with {"command":"rm -rf build"}',
        '  1  Allow',
        '  2  Always, also from now on',
        '  3  Reject  (default)',
        'Answer 1, 2, 3 within 5m 00s, or Enter for 3: ',
      ].join('\n'),
    )
    type('4')
    type(' 1 ')
    expect(await answer).toEqual({ optionId: 'once' })
  })

  it('A13: one question at a time, in their order', async () => {
    const { desk, type, typing, holds } = setUp()
    const [first, second] = [desk.ask(question('run-1')), desk.ask(question('run-2'))]
    await until(() => typing.length === 1)
    type('1')
    expect(await first).toEqual({ optionId: 'once' })
    await until(() => typing.length === 2)
    type('')
    expect(await second).toEqual({ optionId: 'no' })
    expect(holds).toEqual(['held', 'let go', 'held', 'let go'])
  })

  it('A13: without an answer in its time it is rejected, and one that waited for it as long is not shown any more', async () => {
    const { desk, clock, typing, shown, holds } = setUp()
    const both = [desk.ask(question('run-1')), desk.ask(question('run-2'))]
    await until(() => typing.length === 1)
    clock.advance(permissionWaitMs)
    expect(await Promise.all(both)).toEqual([{ optionId: 'no' }, undefined])
    expect(shown()).toContain('\nNot answered: rejected.\n')
    expect(holds).toEqual(['held', 'let go'])
  })

  it('A13: the end of a run takes back its questions, and no others', async () => {
    const { desk, type, typing } = setUp()
    const [first, second] = [desk.ask(question('run-1')), desk.ask(question('run-2'))]
    await until(() => typing.length === 1)
    desk.ended('run-1')
    expect(await first).toEqual({ optionId: 'no' })
    await until(() => typing.length === 2)
    type('2')
    expect(await second).toEqual({ optionId: 'always' })
  })

  it('A13: where the agent has no option to reject once, the default is none of its options', async () => {
    const { desk, type, typing, shown } = setUp()
    const answer = desk.ask(question('run-1', [{ id: 'once', name: 'Allow', kind: 'allow_once' }]))
    await until(() => typing.length === 1)
    expect(shown()).toContain('  0  None of these  (default)\n')
    type('')
    expect(await answer).toBeUndefined()
  })

  it('A13: without a terminal it is rejected, and said', async () => {
    const { desk, warnings } = setUp({ isTTY: false })
    expect(await desk.ask(question('run-1'))).toBeUndefined()
    expect(warnings).toEqual([
      'warning: opencode asks for a permission: rm -rf build. Rejected, since there is no terminal to ask at; --permission allow allows what is asked.',
    ])
  })
})

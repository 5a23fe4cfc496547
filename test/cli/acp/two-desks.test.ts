import { describe, expect, it } from 'vitest'
import { permissionWaitMs } from '../../../src/cli/acp/permission-desk.ts'
import type { TerminalDesk } from '../../../src/cli/acp/permission-desk.ts'
import { twoDesks } from '../../../src/cli/acp/two-desks.ts'
import type { PermissionAnswer, PermissionQuestion } from '../../../src/index.ts'
import { createPermissionDesk } from '../../../src/inspect/index.ts'
import { createSimulatedClock } from '../../../src/testing/index.ts'

const question: PermissionQuestion = {
  runId: 'run',
  provider: 'opencode',
  lineage: [],
  request: { id: 'q', title: 'Write?', options: [{ id: 'once', name: 'Allow', kind: 'allow_once' }] },
}

function setUp({ isStaffed = true } = {}) {
  const clock = createSimulatedClock()
  const page = createPermissionDesk()
  const told: string[] = []
  let type!: (answer: PermissionAnswer) => void
  const terminal: TerminalDesk = {
    isStaffed,
    ask: (_, elsewhere) => {
      told.push('asked')
      elsewhere?.addEventListener('abort', () => told.push('withdrawn'))
      return new Promise((resolve) => (type = resolve))
    },
    ended: (runId) => void told.push(`ended ${runId}`),
  }
  const desk = twoDesks(terminal, page, (ms, due) => {
    const timer = clock.setTimeout(due, ms)
    return () => clock.clearTimeout(timer)
  })
  return { clock, page, desk, told, type: (answer: PermissionAnswer) => type(answer) }
}

describe('a question at the terminal and in the page', () => {
  it('A13, I3: is answered by the page, and withdrawn at the terminal', async () => {
    const { desk, page, told } = setUp()
    const answer = desk.ask(question)
    expect(page.pending()).toEqual([{ runId: 'run', request: question.request }])
    expect(page.answer('run', 'q', 'once')).toBe(true)
    expect(await answer).toEqual({ optionId: 'once' })
    expect(told).toEqual(['asked', 'withdrawn'])
  })

  it('A13, I3: is answered at the terminal, and gone from the page', async () => {
    const { desk, page, type } = setUp()
    const answer = desk.ask(question)
    type({ optionId: 'once' })
    expect(await answer).toEqual({ optionId: 'once' })
    expect([page.pending(), page.answer('run', 'q', 'once')]).toEqual([[], false])
  })

  it('A13, I3: waits in the page alone where nobody sits at a terminal, as long as one there would', async () => {
    const { clock, desk, page, told } = setUp({ isStaffed: false })
    const answer = desk.ask(question)
    clock.advance(permissionWaitMs - 1)
    expect(page.pending()).toHaveLength(1)
    clock.advance(1)
    expect(await answer).toBeUndefined()
    expect([page.pending(), told]).toEqual([[], []])
  })

  it('A13, I3: is refused once its run has ended', async () => {
    const { desk, page, told } = setUp({ isStaffed: false })
    const answer = desk.ask(question)
    desk.ended('run')
    expect(await answer).toBeUndefined()
    expect([page.pending(), told]).toEqual([[], ['ended run']])
  })
})

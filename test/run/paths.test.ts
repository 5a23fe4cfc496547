import { describe, expect, it } from 'vitest'
import { createSubagentService } from '../../src/service.ts'
import { generatePaths, takePath } from './generated-paths.ts'
import type { Causes, Taken } from './generated-paths.ts'

const ways: Causes[] = [
  { cancel: 'cancel()', releaseFailed: 'error' },
  { cancel: 'signal', releaseFailed: 'grace' },
]
const nothing = { runs: 0, actors: 0, timers: 0, listeners: 0 }

/** What the contract says of a run that took these events. */
function expectOutcome(events: readonly string[], { thrown, settled, disposal, events: seen, left }: Taken): void {
  const lifecycle = seen.map(({ type }) => type).filter((type) => type !== 'subagent/update')
  expect(left).toEqual(nothing)
  const first = events[0]
  if (first === 'reject' || events.includes('start-failed')) {
    // Refused, or thrown out of start: an error for the caller, no event, no run (R6, S13).
    expect(lifecycle).toEqual([])
    // After a wait there is a handle already: there the result rejects.
    if (first === 'wait') expect(settled).toEqual({ error: new Error('no child today') })
    else expect(thrown).toBeInstanceOf(Error)
    return
  }
  expect(thrown).toBeUndefined()
  expect(lifecycle).toEqual(['subagent/start', 'subagent/end'])
  const cause = events.find((event) => ['settle', 'reject', 'cancel', 'deadline', 'abort-before-start'].includes(event))
  const decided = events.some((event) => ['settle', 'reject', 'give-up', 'abort-before-start'].includes(event))
  if (!decided) expect(settled).toBeUndefined()
  else if (cause === 'reject') expect(settled).toEqual({ error: new Error('the line broke') })
  else {
    const stopReason = { settle: 'completed', cancel: 'aborted', 'abort-before-start': 'aborted', deadline: 'timed-out' }[cause as 'settle']
    expect(settled).toMatchObject({ result: { stopReason } })
  }
  if (events.includes('released')) expect(disposal).toBe('done')
  if (events.includes('release-failed')) expect(disposal).toBe('failed')
}

describe.each(['shortest', 'simple'] as const)('every generated path (%s)', (kind) => {
  const paths = generatePaths(kind)

  it('R1: covers every state and every event of the chart', () => {
    const states = new Set(paths.flatMap(({ steps }) => steps.map(({ value }) => JSON.stringify(value))))
    expect([...states].sort()).toEqual(
      [
        '"disposed"',
        '"starting"',
        '{"running":"active"}',
        '{"running":"awaitingPermission"}',
        '{"settling":"draining"}',
        '{"settling":"held"}',
        '{"settling":"releasing"}',
        '{"validating":"queued"}',
      ].sort(),
    )
    const events = new Set(paths.flatMap(({ steps }) => steps.map(({ event }) => event)))
    expect(events.size).toBe(16)
  })

  describe.each(ways)('cancelled by $cancel, release failing by $releaseFailed', (causes) => {
    it.each(paths)('R1, R2, R3, R6: $description', async (path) => {
      const taken = await takePath(path, causes, createSubagentService)
      expectOutcome(
        path.steps.map(({ event }) => event),
        taken,
      )
    })
  })
})

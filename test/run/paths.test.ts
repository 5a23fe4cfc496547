import { describe, expect, it } from 'vitest'
import { caseTitle, providerCases, runCase, runPaths } from '../../src/testing/index.ts'
import { scriptedSubject } from '../testing/subjects/scripted.ts'

describe.each(['shortest', 'simple'] as const)('every generated path (%s)', (kind) => {
  const paths = runPaths({ kind })

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
    const events = new Set(paths.flatMap(({ steps }) => steps.map(({ event }) => event.type)))
    expect(events.size).toBe(16)
  })

  it('R1: is taken by a case, and one that two causes can move is taken by both', () => {
    const cases = providerCases({ paths: kind }).filter(({ path }) => path)
    expect(new Set(cases.map(({ path }) => path!.description))).toEqual(new Set(paths.map(({ description }) => description)))
    expect(new Set(cases.map(caseTitle)).size).toBe(cases.length)
    for (const cause of ['cancel by call', 'cancel by signal', 'release-failed by error', 'release-failed by grace'])
      expect(cases.filter(({ sentence }) => sentence.includes(cause)).length, cause).toBeGreaterThan(5)
  })
})

// Every provider takes the simple paths, by describeProvider; they hold these.
describe('the shortest paths', () => {
  it.each(providerCases({ paths: 'shortest' }).filter(({ path }) => path))('R1, R2, R3, R6: $sentence', async (each) => {
    expect(await runCase(each, scriptedSubject)).toEqual({ status: 'passed' })
  })
})

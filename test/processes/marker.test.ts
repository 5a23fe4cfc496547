import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMarker, markersIn, withMarker } from '../../src/processes/marker.ts'

afterEach(() => vi.unstubAllEnvs())

describe('the mark of a process', () => {
  it('A19: is its own, comes last, and stands after those of the host, so that whoever launched the host finds it too', () => {
    vi.stubEnv('SUBAGENT_RUN_MARKER', '')
    expect(Object.entries(withMarker({ SUBAGENT_RUN_MARKER: 'given', A: '1' }, 'own'))).toEqual([
      ['A', '1'],
      ['SUBAGENT_RUN_MARKER', 'own'],
    ])
    vi.stubEnv('SUBAGENT_RUN_MARKER', 'outer')
    expect(withMarker({}, 'own')).toEqual({ SUBAGENT_RUN_MARKER: 'outer:own' })
    expect(createMarker()).not.toBe(createMarker())
  })

  it('A19: marks are read as whole values of that one variable', () => {
    const environment = (...parts: string[]): Buffer => Buffer.from(parts.map((part) => `${part}\0`).join(''))
    expect(markersIn(environment('A=1', 'SUBAGENT_RUN_MARKER=outer:inner', 'B=2'))).toEqual(['outer', 'inner'])
    expect(markersIn(environment('SUBAGENT_RUN_MARKER=one'))).toEqual(['one'])
    expect(markersIn(environment('X_SUBAGENT_RUN_MARKER=no', 'SUBAGENT_RUN_MARKER=yes'))).toEqual(['yes'])
    expect(markersIn(environment('X=SUBAGENT_RUN_MARKER=no'))).toEqual([])
    expect(markersIn(Buffer.from('SUBAGENT_RUN_MARKER=cut'))).toEqual(['cut'])
    expect(markersIn(Buffer.alloc(0))).toEqual([])
  })
})

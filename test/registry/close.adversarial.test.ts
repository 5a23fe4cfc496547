import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentProvider, SubagentStartRequest } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import type { ScriptedRun } from '../../src/testing/scripted-provider.ts'
import { createSimulatedClock } from '../../src/testing/simulated-clock.ts'
import { collectLogger } from './drivers.ts'
import { liveRuns, until } from './live-runs.ts'
import { processFaults } from './process-faults.ts'

const parent = rootAgent()
const go: SubagentStartRequest = { parent, prompt: 'go' }
const under = (runId: string, depth = 1): SubagentStartRequest => ({ ...go, parent: rootAgent({ id: runId, depth }) })

function open(steps: readonly ScriptedRun[], options: object = {}) {
  const clock = createSimulatedClock()
  const logger = collectLogger()
  const scripted = scriptedProvider(steps)
  let made = 0
  const service = createSubagentService({ providers: [scripted], clock, logger, createId: () => `run-${++made}`, ...options })
  const seen: string[] = []
  service.on('*', (event) => void seen.push('runId' in event ? `${event.type.slice(9)} ${event.runId}` : event.type))
  return { clock, logger, scripted, service, seen }
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe('closing under bad conditions', () => {
  it('S6: is over only when all is quiet: a run that a slow child held back is waited for, whatever is above it', async () => {
    // The last cannot be released and holds the second to the end of the bound; the first, above both, lets go at once.
    const { clock, service } = open([{ hang: true }, { hang: true, release: 'never' }, { hang: true, release: 'never' }], {
      cancelGraceMs: 10,
      releaseGraceMs: 20,
    })
    service.start('scripted', go)
    service.start('scripted', under('run-1'))
    service.start('scripted', under('run-2', 2))
    let closed = false
    void service.close().then(() => (closed = true))
    await turns()
    clock.advance(20)
    await turns()
    clock.advance(10)
    await turns()
    expect([closed, liveRuns(service)]).toEqual([false, ['run-2']])
    clock.advance(20)
    await until(() => closed)
    expect([liveRuns(service), clock.pending, service.ref.getSnapshot().value]).toEqual([[], 0, 'closed'])
  })

  it('S6: a detach() that throws is warned of, and the closing goes on', async () => {
    const { clock, logger, service, scripted } = open([{ hang: true }, { hang: true }])
    const durable: SubagentProvider = {
      ...scripted,
      name: 'durable',
      start: (request, context) => ({
        ...scripted.start(request, context),
        detach: () => {
          throw new Error('cannot let go')
        },
      }),
    }
    service.registerProvider(durable)
    service.start('durable', go)
    service.start('scripted', go)
    expect(await processFaults(() => service.close({ runs: 'detach' }))).toEqual([])
    expect(logger.warnings.join()).toContain('cannot let go')
    expect([liveRuns(service), clock.pending]).toEqual([['run-1'], 0])
  })
})

import type { AnyActorRef, InspectionEvent } from 'xstate'
import { describe, expect, it } from 'vitest'
import { createSubagentService, rootAgent } from '../../src/index.ts'
import type { SubagentService, SubagentServiceOptions } from '../../src/index.ts'
import { scriptedProvider } from '../../src/testing/scripted-provider.ts'
import { collectLogger } from '../providers/collect.ts'

const request = { parent: rootAgent({ cwd: '/project' }), prompt: 'Count.' }

function serviceWith(inspect: SubagentServiceOptions['inspect']): { service: SubagentService; events: string[]; warnings: string[] } {
  const logger = collectLogger()
  const service = createSubagentService({
    providers: [scriptedProvider(['one', 'two'])],
    logger,
    ...(inspect && { inspect }),
  })
  const events: string[] = []
  service.on('*', ({ type }) => events.push(type))
  return { service, events, warnings: logger.warnings }
}

/** What a service does for two runs, one after the other, and its close. */
async function observed(inspect: SubagentServiceOptions['inspect']) {
  const { service, events, warnings } = serviceWith(inspect)
  const results = [await service.delegate('scripted', request), await service.delegate('scripted', request)]
  await service.close()
  return {
    outcomes: results.map(({ stopReason, output }) => [stopReason, output]),
    events,
    state: service.ref.getSnapshot().value,
    warnings,
  }
}

const hostile: Record<string, SubagentServiceOptions['inspect']> = {
  'an observer that throws': {
    next: () => {
      throw new Error('the viewer is gone')
    },
  },
  'a function that throws': () => {
    throw new Error('the viewer is gone')
  },
  'one that throws a value that cannot be described': () => {
    throw {
      toString() {
        throw new Error('no')
      },
    }
  },
  'one that rejects': () => Promise.reject(new Error('the viewer is gone')) as never,
  'one without a next': {},
}

describe('an inspection observer', () => {
  it.each(Object.entries(hostile))(
    'I1: %s neither wedges a run nor crashes the process, and later events still reach the listeners',
    async (name, inspect) => {
      const { warnings, ...seen } = await observed(inspect)
      const { warnings: quiet, ...expected } = await observed(undefined)
      expect(seen).toEqual(expected)
      expect(quiet).toEqual([])
      expect(expected.outcomes).toEqual([
        ['completed', [{ type: 'text', text: 'one' }]],
        ['completed', [{ type: 'text', text: 'two' }]],
      ])
      if (name !== 'one without a next')
        expect(warnings[0]).toMatch(
          /^The inspection observer (threw|rejected): (Error: the viewer is gone|a value that cannot be described)$/,
        )
    },
  )

  it('I1: one that throws on a run of its own kind leaves the other runs seen', async () => {
    const settled: string[] = []
    const { service } = serviceWith((event: InspectionEvent) => {
      if (event.type !== '@xstate.snapshot') return
      const { value, context } = event.snapshot as { value?: unknown; context?: { runId?: string } }
      if (context?.runId === 'first') throw new Error('not this one')
      if (context?.runId !== undefined && value === 'disposed') settled.push(context.runId)
    })
    await service.delegate('scripted', { ...request, id: 'first' })
    await service.delegate('scripted', { ...request, id: 'second' })
    expect(settled).toEqual(['second'])
    await service.close()
  })

  it('I1: hears of the registry, of each run as its child, and of every state that a run takes', async () => {
    const heard: unknown[] = []
    const { service } = serviceWith((event) => {
      const actorRef = event.actorRef as AnyActorRef
      if (event.type === '@xstate.actor') heard.push([actorRef.id, actorRef._parent])
      if (event.type === '@xstate.snapshot' && actorRef.id === 'first') heard.push((event.snapshot as { value?: unknown }).value)
    })
    heard.length = 0
    await service.delegate('scripted', { ...request, id: 'first' })
    expect(heard).toEqual([
      ['first', service.ref],
      { validating: 'checking' },
      'starting',
      { running: 'active' },
      { settling: 'held' },
      { settling: 'releasing' },
      'disposed',
    ])
    await service.close()
  })
})

import { createTestModel } from '@xstate/graph'
import { createActor, transition } from 'xstate'
import { describe, expect, it } from 'vitest'
import { acpProcessLogic, acpProcessMachine } from '../../../src/machines/acp-process.ts'
import type { AcpProcessEvent, AcpProcessLogic, AcpProcessSnapshot } from '../../../src/machines/acp-process.ts'

const input = { runId: 'run-1', command: 'agent' }
const events: readonly AcpProcessEvent[] = [
  { type: 'spawned', pid: 7 },
  { type: 'initialized', agent: 'agent 1' },
  { type: 'initialized' },
  { type: 'opened', sessionId: 's' },
  { type: 'prompt' },
  { type: 'answered' },
  { type: 'exited', code: 3, signal: 'SIGTERM' },
  { type: 'fail', code: 'PROTOCOL' },
  { type: 'close' },
  { type: 'hand-over' },
  { type: 'closed' },
]
const read = ({ value, context, status }: AcpProcessSnapshot): unknown => structuredClone({ value, context, status })
const machine = acpProcessMachine as unknown as AcpProcessLogic

describe('the actor of an ACP process', () => {
  it.each(['learning', 'replaying'])('A2: takes the steps of its machine on every path (%s)', (_) => {
    const paths = createTestModel(acpProcessMachine as never, { events } as never).getSimplePaths({ input } as never)
    expect(paths.length).toBeGreaterThan(20)
    for (const { steps } of paths) {
      const actor = createActor(acpProcessLogic, { input }).start()
      let pure = createActor(machine, { input }).getSnapshot()
      for (const { event } of steps) {
        if ((event as { type: string }).type === 'xstate.init') continue
        actor.send(event as AcpProcessEvent)
        pure = transition(machine as never, pure as never, event as never)[0] as unknown as AcpProcessSnapshot
        const mine = actor.getSnapshot()
        expect(read(mine)).toEqual(read(pure))
        for (const other of events) expect(mine.can(other), other.type).toBe(pure.can(other))
      }
    }
  })
})

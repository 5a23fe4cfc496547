/** What a run is set beside: a machine of five states in the same actor system, and a plain async function. */
import { createActor, setup } from 'xstate'
import { answered, quiet } from './no-op.js'

const machine = setup({ types: {}, actions: { first: () => {}, second: () => {} } }).createMachine({
  id: 'bare',
  context: ({ input }) => ({ ...input }),
  initial: 'one',
  states: {
    one: { on: { next: 'two' } },
    two: { entry: 'first', on: { next: 'three' } },
    three: { entry: 'second', on: { next: 'four' } },
    four: { on: { next: 'five' } },
    five: { type: 'final' },
  },
})

let made = 0

/** Where a live run is, two events from its start. */
export function startBareChild(service) {
  const child = createActor(machine, { parent: service.ref, id: `bare-${made++}`, src: 'bare', input: { runId: 'x', provider: 'noop' } })
  child.start()
  child.send({ type: 'next' })
  child.send({ type: 'next' })
  return child
}

/** Taken through its four events, awaiting as often as a run does. */
export async function wholeBareChild(service) {
  const child = startBareChild(service)
  await answered
  child.send({ type: 'next' })
  await quiet
  child.send({ type: 'next' })
}

/** The same without any machine. */
export async function plainFunction() {
  await answered
  await quiet
}

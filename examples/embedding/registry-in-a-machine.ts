/**
 * The registry as part of a user's machine: invoked under a systemId, asked by events, answering by events.
 */
import { assign, createActor, setup } from 'xstate'
import { defineProvider, rootAgent, subagentRegistry } from 'xstate-subagents'
import type { RegistryReply } from 'xstate-subagents'

const weather = defineProvider({
  name: 'weather',
  run: async ({ prompt }) => `sunny in ${prompt.map((block) => block.type === 'text' && block.text).join()}`,
})

const trip = setup({
  types: {} as { context: { report: string }; events: RegistryReply | { type: 'plan'; city: string } },
  actors: { subagents: subagentRegistry },
}).createMachine({
  id: 'trip',
  context: { report: '' },
  invoke: { src: 'subagents', systemId: 'subagents', input: { providers: [weather] } },
  initial: 'idle',
  states: {
    idle: {
      on: {
        plan: {
          target: 'asking',
          actions: ({ event, self, system }) =>
            system.get('subagents').send({
              type: 'run.start',
              requestId: 'weather',
              provider: 'weather',
              request: { parent: rootAgent(), prompt: event.city },
              replyTo: self,
            }),
        },
      },
    },
    asking: {
      on: {
        'run.settled': {
          target: 'packed',
          actions: [
            assign({ report: ({ event }) => event.result.output.map((block) => (block.type === 'text' ? block.text : '')).join() }),
            ({ event, system }) => system.get('subagents').send({ type: 'run.dispose', runId: event.runId }),
          ],
        },
        'run.rejected': 'stuck',
      },
    },
    packed: {},
    stuck: {},
  },
})

const actor = createActor(trip)
actor.subscribe(({ value, context }) => console.log(value, context.report))
actor.start()
actor.send({ type: 'plan', city: 'Utrecht' })

/**
 * A delegation as the work of one state: it ends the state, and leaving the state ends it.
 */
import { assign, createActor, setup } from 'xstate'
import { createSubagentService, defineProvider, fromSubagent, rootAgent } from 'xstate-subagents'
import type { SubagentResult } from 'xstate-subagents'

const service = createSubagentService({
  providers: [
    defineProvider({
      name: 'reviewer',
      run: async ({ prompt }, { signal }) => {
        const [task] = prompt
        if (task?.type === 'text' && task.text.includes('huge'))
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        return 'looks good'
      },
    }),
  ],
})
service.on('subagent/end', ({ stopReason }) => console.log(`end: ${stopReason}`))

const review = setup({
  types: {} as { context: { diff: string; verdict: string }; input: { diff: string }; events: { type: 'withdraw' } },
  actors: { reviewer: fromSubagent(service, 'reviewer') },
  guards: { completed: (_, result: SubagentResult) => result.stopReason === 'completed' },
}).createMachine({
  context: ({ input }) => ({ ...input, verdict: 'none' }),
  initial: 'reviewing',
  states: {
    reviewing: {
      invoke: {
        src: 'reviewer',
        input: ({ context }) => ({ parent: rootAgent(), prompt: `Review: ${context.diff}`, timeoutMs: 60_000 }),
        onDone: [
          {
            guard: { type: 'completed', params: ({ event }) => event.output },
            target: 'reviewed',
            actions: assign({
              verdict: ({ event }) => event.output.output.map((block) => (block.type === 'text' ? block.text : '')).join(),
            }),
          },
          { target: 'undecided' },
        ],
        onError: 'undecided',
      },
      on: { withdraw: 'withdrawn' },
    },
    reviewed: {},
    undecided: {},
    withdrawn: {},
  },
})

for (const diff of ['a small change', 'a huge change']) {
  const actor = createActor(review, { input: { diff } })
  actor.subscribe(({ value, context }) => console.log(`${context.diff}: ${String(value)}, verdict ${context.verdict}`))
  actor.start()
  if (diff.includes('huge')) actor.send({ type: 'withdraw' })
}

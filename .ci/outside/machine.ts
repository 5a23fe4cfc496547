/** Someone else's statechart with a registry in it, exported, so that its declaration has to be written. */
import { assign, createActor, sendTo, setup } from 'xstate'
import { defineProvider, rootAgent, SubagentError, subagentRegistry, subagentService } from 'xstate-subagents'
import type { AgentOptions, RegistryReply, SubagentResult, SubagentStopReason, SubagentUpdate } from 'xstate-subagents'
import { agentMachine, registryConfig, runMachine } from 'xstate-subagents/machines'

declare module 'xstate-subagents' {
  interface AgentOptions {
    readonly temperature?: number
  }
  interface SubagentStopReasonMap {
    paused: 'paused'
  }
  interface SubagentUpdateMap {
    citation: { readonly url: string }
  }
}

export const options: AgentOptions = { temperature: 0.2 }
export const paused: SubagentStopReason = 'paused'
export const citationOf = (update: SubagentUpdate): string | undefined => (update.type === 'citation' ? update.url : undefined)

export const echo = defineProvider({ name: 'echo', run: async ({ prompt }) => `You said ${JSON.stringify(prompt)}.` })

export const projectMachine = setup({
  types: { context: {} as { results: readonly SubagentResult[] }, events: {} as { type: 'ask'; prompt: string } | RegistryReply },
  actors: { registry: subagentRegistry },
}).createMachine({
  id: 'project',
  context: { results: [] },
  invoke: { src: 'registry', id: 'registry', systemId: 'subagents', input: { providers: [echo] } },
  on: {
    ask: {
      actions: sendTo('registry', ({ event, self }) => ({
        type: 'run.start',
        provider: 'echo',
        request: { parent: rootAgent({ cwd: '/project' }), prompt: event.prompt },
        replyTo: self,
      })),
    },
    'run.settled': { actions: assign({ results: ({ context, event }) => [...context.results, event.result] }) },
  },
})

export const project = createActor(projectMachine)

export async function typed(): Promise<string> {
  const service = subagentService(project.system.get('subagents'))
  await using run = service.start('echo', { parent: rootAgent(), prompt: 'hello' })
  const { structured, stopReason } = await run.result
  // @ts-expect-error without a schema nobody knows what it is
  structured.length
  return stopReason
}

export const codeOf = (error: unknown): string | undefined => (SubagentError.is(error) ? error.code : undefined)
export const charts = { run: runMachine.config, registry: registryConfig, agent: agentMachine.config }

/** One ACP session: an in-process agent with the tools of a workspace and a tool to delegate with. */
import { methods, RequestError } from '@agentclientprotocol/sdk'
import { createSubagentService } from 'xstate-subagents'
import { acpProvider } from 'xstate-subagents/acp'
import { createAgents } from 'xstate-subagents/agents'
import { spawnProvider } from 'xstate-subagents/providers'
import { subagentTool } from 'xstate-subagents/tools'
import { withPermission } from './permission.js'
import { openWorkspace, workspaceTools } from './settings.js'
import { writeSession } from './store.js'
import { toSessionUpdate } from './updates.js'

const graces = { cancelGraceMs: 1500, releaseGraceMs: 1500 }

export class AgentSession {
  #client
  #service
  #handle
  #settings
  #isPrompting = false
  /** Updates go out in their order, each written before the next. */
  #sent = Promise.resolve()

  static async open(options) {
    return new AgentSession(options, await openWorkspace(options.cwd))
  }

  constructor({ settings, client, cwd, meta, id, events }, workspace) {
    const { model, system, askFor, children, program, depth, maxDepth } = settings
    this.#client = client
    this.#settings = settings
    const ask = (request) => this.#ask(request)
    this.#service = createSubagentService({
      // What its children ask to be allowed, this agent asks its own client.
      onPermission: async ({ request }) => ({ optionId: await ask(request) }),
    })
    const tools = withPermission(workspaceTools(workspace), askFor, ask)
    const agents = createAgents({ model, system, tools: () => tools })
    this.#service.registerProvider(
      children === 'spawn'
        ? spawnProvider({ agents })
        : acpProvider({
            command: process.execPath,
            args: [program, ...(askFor === undefined ? [] : ['--ask-for', askFor])],
            permission: 'ask',
            honoursDepth: true,
          }),
    )
    if (depth < maxDepth) tools.subagent = subagentTool({ service: this.#service, provider: children, maxDepth, ...graces })
    this.#handle = agents.create({
      cwd,
      delegationDepth: depth,
      ...(id !== undefined && { sessionId: id, seed: events }),
      // Who is above it, in the processes before this one: what it delegates tells of them too.
      ...(meta?.['xstate-subagents']?.lineage !== undefined && { origin: originOf(meta) }),
      ...(meta?.['xstate-subagents']?.runId !== undefined && { parentSession: meta['xstate-subagents'].runId }),
      onUpdate: (update) => this.#tell(toSessionUpdate(update)),
    })
  }

  get id() {
    return this.#handle.agent.session.header.id
  }

  async prompt(prompt) {
    if (this.#isPrompting) throw RequestError.invalidRequest(undefined, 'this session is busy with a prompt')
    this.#isPrompting = true
    const { agent } = this.#handle
    try {
      agent.send(prompt.map(toBlock))
      await agent.whenIdle()
      if (this.#settings.sessions !== undefined) await writeSession(this.#settings.sessions, this.id, agent.session.events)
      // What was told of the turn is out before its answer.
      await this.#sent
      return { stopReason: stopReasonOf(agent.session.events.at(-1)?.reason) }
    } finally {
      this.#isPrompting = false
    }
  }

  cancel() {
    this.#handle.agent.cancel('cancelled by the client')
  }

  /** What was said before, for a client that loads the session. */
  async tellPast() {
    for (const event of this.#handle.agent.session.events) {
      const sessionUpdate = { 'user/message': 'user_message_chunk', 'assistant/message': 'agent_message_chunk' }[event.type]
      if (sessionUpdate) for (const content of event.content) this.#tell({ sessionUpdate, content })
    }
    await this.#sent
  }

  async close() {
    await this.#service.close()
    await this.#handle.dispose()
  }

  #tell(update) {
    if (!update) return
    const send = () => this.#client.notify(methods.client.session.update, { sessionId: this.id, update })
    this.#sent = this.#sent.then(send).catch(() => {})
  }

  /** @returns the id of the option that was chosen; undefined where none was */
  async #ask({ title, toolCallId, toolKind, input, options }) {
    const { outcome } = await this.#client.request(methods.client.session.requestPermission, {
      sessionId: this.id,
      toolCall: { toolCallId, title, ...(toolKind && { kind: toolKind }), ...(input !== undefined && { rawInput: input }) },
      options: options.map(({ id, name, kind }) => ({ optionId: id, name, kind })),
    })
    return outcome.outcome === 'selected' ? outcome.optionId : undefined
  }
}

const originOf = ({ 'xstate-subagents': { lineage }, traceparent }) => ({ lineage, ...(traceparent !== undefined && { traceparent }) })

const toBlock = ({ annotations: _, _meta, ...block }) => block

function stopReasonOf(reason) {
  switch (reason?.kind) {
    case 'completed':
      return 'end_turn'
    case 'max-tokens':
      return 'max_tokens'
    case 'max-steps':
      return 'max_turn_requests'
    case 'refusal':
    case 'rejected':
      return 'refusal'
    case 'aborted':
    case 'disposed':
      return 'cancelled'
    default:
      throw RequestError.internalError(undefined, reason?.message ?? 'the turn came to no end')
  }
}

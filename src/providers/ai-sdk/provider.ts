/**
 * Agents of the AI SDK as children (P16): a `ToolLoopAgent`, or any object with its `stream`.
 *
 * Owns: what the agent is asked, when its stream is let go. Does not own: the loop, the tools, the step limit and the
 * retries, which are the agent's; what its stream comes to (reading.ts).
 *
 * Invariants: `result` settles at once when the signal aborts, whether or not model and tools listen to it; `dispose`
 * waits for the read that was under way. Loads no `ai`: the agent brings it, version 6 or 7.
 */
import type { ModelMessage } from 'ai'
import { createMessageHistory, toPart } from '../../agents/messages.ts'
import { warn } from '../../run/contain.ts'
import { invalid } from '../../run/request.ts'
import type { ProviderStartRequest, RunContext, SubagentCapabilities, SubagentProvider, SubagentResult } from '../../types.ts'
import { AgentReading } from './reading.ts'

/** What an agent is asked for: `prompt` as the last message, of the user. */
export interface AiSdkAgentCall {
  /** The conversation so far, the prompt last; a new array each run. */
  readonly messages: ModelMessage[]
  /** Aborts with the run: at a cancel, the deadline, the service's close. */
  readonly abortSignal: AbortSignal
}

/**
 * A `ToolLoopAgent`, or an object with its `stream`. One that wants call options is wrapped:
 * `{ stream: (call) => agent.stream({ ...call, options }) }`.
 */
export interface AiSdkAgent {
  /** Contract: called once a run. What it throws, and an `error` in its stream, ends the run as `error`. */
  stream(call: AiSdkAgentCall): PromiseLike<AiSdkAgentStream> | AiSdkAgentStream
}

/** The result of the AI SDK's `streamText`, as far as it is read. */
export interface AiSdkAgentStream {
  /** Its parts, in order; those of a `type` that is not known are passed over. */
  readonly fullStream: AsyncIterable<{ readonly type: string }>
}

/** An agent of the AI SDK as a provider. */
export interface AiSdkAgentProviderOptions {
  /** By which it is registered and started: a non-empty string. */
  readonly name: string
  /**
   * The agent, or what gives one for a run: the place for tools, a model (`request.agentOptions`) or a persona of that run.
   *
   * Contract: called once a run, on the stack of `start`: what it throws reaches the caller, and nothing has started; a
   * promise that rejects makes the run's `result` reject. An agent that is no function is shared by all runs, and
   * `agentOptions` say nothing to it (a warning says so).
   */
  readonly agent: AiSdkAgent | ((request: ProviderStartRequest, context: RunContext) => AiSdkAgent | PromiseLike<AiSdkAgent>)
  /**
   * What the function of `agent` holds its agents to. `outputSchema` is not among them: wrap the agent by `defineProvider`,
   * and give `structured` yourself.
   * @default none: depthLimit, toolFilter and persona are false
   */
  readonly capabilities?: Partial<Omit<SubagentCapabilities, 'outputSchema'>>
  /** True passes the parent's conversation up to its last completed turn on to the agent. @default false */
  readonly inheritsParentContext?: boolean
}

/**
 * A provider whose children are agents of the AI SDK. Text, thoughts, tool calls and results are updates of the run, the
 * usage too; the output is the last answer with anything in it, kept also where the run does not complete.
 *
 * | the agent's last step | the run |
 * |---|---|
 * | stop | `completed` |
 * | length | `max-tokens` |
 * | content-filter | `refusal` |
 * | tool calls, all answered: its `stopWhen` ended it | `error`, `MAX_STEPS` |
 * | a tool call that nobody answers: no `execute`, an approval | `error`, `UNANSWERED_TOOL_CALL` |
 * | an error of the model, other, none | `error`, `MODEL_ERROR` |
 * | broken off by the agent itself, as by its own `timeout` (an abort with an ordinary error as its reason comes as that error) | `error`, `CRASHED` |
 *
 * Tools and model get the run's signal as `abortSignal`. An agent of version 7 writes its errors to the console, unless it was
 * made with an `onError`.
 *
 * @throws SubagentError INVALID_REQUEST
 *
 * @example
 * ```ts
 * const researcher = new ToolLoopAgent({ model, tools, instructions: 'You find sources.' })
 * const service = createSubagentService({ providers: [aiSdkAgentProvider({ name: 'researcher', agent: researcher })] })
 * ```
 */
export function aiSdkAgentProvider({
  name,
  agent,
  capabilities,
  inheritsParentContext = false,
}: AiSdkAgentProviderOptions): SubagentProvider {
  if (typeof name !== 'string' || name === '') throw invalid('name', 'a non-empty string', name)
  if (typeof agent !== 'function') checkAgent(agent, 'agent')
  const { depthLimit = false, toolFilter = false, persona = false } = capabilities ?? {}
  return {
    name,
    capabilities: { outputSchema: false, depthLimit, toolFilter, persona },
    inheritsParentContext,
    start(request, context) {
      const made = typeof agent === 'function' ? agent(request, context) : agent
      if (made === agent) warnOfOptions(request, context, name)
      const { signal } = context
      const reading = new AgentReading(context.update)
      const read = readAgent(made, request, reading, signal, inheritsParentContext)
      return {
        result: new Promise<SubagentResult>((resolve, reject) => {
          const onAbort = (): void => resolve(reading.result({ kind: 'aborted' }))
          if (signal.aborted) onAbort()
          else signal.addEventListener('abort', onAbort, { once: true })
          read
            .then(() => resolve(signal.aborted ? reading.result({ kind: 'aborted' }) : reading.end()))
            .catch(reject)
            .finally(() => signal.removeEventListener('abort', onAbort))
        }),
        // The linked signal is aborted by the engine before this is called.
        cancel: () => {},
        dispose: () => read.catch(() => {}),
      }
    },
  }
}

/** Reads the agent's stream to its end, or to the first part after an abort. @throws what gives no agent, and nothing else */
async function readAgent(
  made: AiSdkAgent | PromiseLike<AiSdkAgent>,
  request: ProviderStartRequest,
  reading: AgentReading,
  signal: AbortSignal,
  inherits: boolean,
): Promise<void> {
  const agent = checkAgent(await made, 'what the function of agent gives')
  const messages = [...(inherits ? await inherited(request) : []), { role: 'user' as const, content: request.prompt.map(toPart) }]
  if (signal.aborted) return
  try {
    // Version 6 passes onError on, whose default writes the request to the console; the error comes through the stream as well.
    const call = { messages, abortSignal: signal, onError: () => {} }
    const { fullStream } = await agent.stream(call)
    const parts = fullStream[Symbol.asyncIterator]()
    for (;;) {
      const { done, value } = await parts.next()
      if (!signal.aborted && !done) reading.take(value)
      else {
        // Not waited for: one of two branches of a stream is not ended before the other is.
        if (!done) Promise.resolve(parts.return?.()).catch(() => {})
        return
      }
    }
  } catch (thrown) {
    reading.fail(thrown)
  }
}

/** The parent's log up to the end of its last turn; the open turn is the one that delegates. */
async function inherited({ parent }: ProviderStartRequest): Promise<ModelMessage[]> {
  const { events } = parent.session
  const history = createMessageHistory()
  await history.sync(events.slice(0, events.findLastIndex(({ type }) => type === 'turn/end') + 1), {})
  return history.messages
}

function checkAgent(agent: unknown, what: string): AiSdkAgent {
  if (typeof (agent as Partial<AiSdkAgent> | null | undefined)?.stream !== 'function')
    throw invalid(what, 'an agent of the AI SDK (an object with stream)', agent)
  return agent as AiSdkAgent
}

function warnOfOptions({ agentOptions = {} }: ProviderStartRequest, { runId, logger }: RunContext, name: string): void {
  const unheard = Object.keys(agentOptions)
  if (unheard.length > 0)
    warn(
      logger,
      `Run ${runId}: agentOptions.${unheard.join(', ')} of the request says nothing to the agent of ${JSON.stringify(name)}, which is the same for all runs. Pass aiSdkAgentProvider a function that makes the agent.`,
    )
}

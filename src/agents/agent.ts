/**
 * One in-process agent: its queue, its loop and its actor (G2–G6).
 *
 * Owns: when a turn begins, cancelling, disposal. The turn owns what happens inside one.
 *
 * Invariants: status never flips before `send` returns (G3); at most one turn is open; once disposed nothing is taken in
 * any more, and `dispose` resolves when the loop has ended and no tool is running (P13).
 */
import { createActor } from 'xstate'
import type { ActorRefFrom, AnyActorRef } from 'xstate'
import { SubagentError } from '../errors.ts'
import { agentLogic } from '../machines/agent.ts'
import { contain, describeThrown, isThenable, warn } from '../run/contain.ts'
import { deferred } from '../run/deferred.ts'
import type { Deferred } from '../run/deferred.ts'
import { toJson } from '../run/json.ts'
import { blocks, invalid } from '../run/request.ts'
import { sharedGetters } from '../run/shared-getters.ts'
import type { Agent, AgentOptions, ContentBlock, Logger, SubagentUpdateContent, ToolFilter, TurnEndReason, Usage } from '../types.ts'
import type { MessageHistory } from './messages.ts'
import type { ModelObject } from './model.ts'
import type { SessionLog } from './sessions/log.ts'
import type { Toolbox, ToolboxOptions } from './tools.ts'
import { recordContextTurn, recordDroppedTurn, runTurn } from './turn.ts'
import type { OpenTurn, Pending, TurnContext } from './turn.ts'
import { addUsage } from './usage.ts'

/** An agent of this process. */
export interface InProcessAgent extends Agent {
  /** Answers of tools and models that came after their turn had ended, and were dropped (G13). */
  readonly droppedLateResults: number
}

/** An agent with the right to end it. */
export interface AgentHandle {
  readonly agent: InProcessAgent
  /**
   * Ends the agent: an open turn ends as `disposed`, what is queued is dropped, the agent is unregistered, its session
   * closed. Resolves when the loop has ended and no tool is running any more; a tool that ignores its signal holds it.
   * Concurrent and later callers share one promise. Never rejects.
   */
  dispose(): Promise<void>
}

/** What the factory keeps of an agent that it made. */
export interface CreatedAgent {
  readonly handle: AgentHandle
  /** True where no turn is open and none is about to begin. */
  isAtRest(): boolean
}

export interface AgentParts {
  readonly id: string
  readonly options: AgentOptions
  readonly log: SessionLog
  /** What the model was sent so far. */
  readonly history: MessageHistory
  readonly model: ModelObject
  readonly system: string | undefined
  readonly toolFilter: ToolFilter | undefined
  readonly maxSteps: number
  readonly maxRetries: number | undefined
  readonly concludeWhen: (() => boolean) | undefined
  readonly createToolbox: (parts: Pick<ToolboxOptions, 'agent' | 'open' | 'onLate' | 'inFlight'>) => Toolbox
  readonly parentActor: AnyActorRef | undefined
  readonly onUpdate: ((update: SubagentUpdateContent) => void) | undefined
  readonly logger: Logger
  readonly onDisposed: () => void
}

type Read = Pick<InProcessAgent, 'ref' | 'status' | 'droppedLateResults'>
interface State {
  ref(): ActorRefFrom<typeof agentLogic>
  droppedLateResults(): number
}

const withState = sharedGetters<State, Read>({
  ref: (state) => state.ref(),
  status(state) {
    const { status, value } = state.ref().getSnapshot()
    return status === 'active' ? value : 'disposed'
  },
  droppedLateResults: (state) => state.droppedLateResults(),
})

/** @throws what `createToolbox` throws; nothing is left behind then */
export function createAgent(parts: AgentParts): CreatedAgent {
  const { id, options, log, logger, onUpdate } = parts
  let queue: Pending[] = []
  let turn: OpenTurn | undefined
  let loop: Promise<void> | undefined
  let idle: Deferred<void> | undefined
  let disposal: Promise<void> | undefined
  let droppedLateResults = 0
  let usage: Usage | undefined
  let updateFailed = false
  const warned = new Set<string>()
  const inFlight = new Set<Promise<unknown>>()

  const onLate = () => {
    droppedLateResults++
    contain(logger, 'The logger', () => logger.debug(`Agent ${id}: an answer came after its turn had ended, and was dropped.`))
  }

  const emit = (update: SubagentUpdateContent): void => {
    if (!onUpdate) return
    const failed = (thrown: unknown) => {
      // One line a turn: it would fail for every delta.
      if (!updateFailed) warn(logger, `Agent ${id}: onUpdate threw: ${describeThrown(thrown)}`)
      updateFailed = true
    }
    try {
      const returned: unknown = onUpdate(update)
      if (returned !== undefined && isThenable(returned)) Promise.resolve(returned).catch(failed)
    } catch (thrown) {
      failed(thrown)
    }
  }

  const begin = () => {
    // Cancelled or disposed since it was asked for.
    if (loop || disposal || queue.length === 0) return
    ref.send({ type: 'begin' })
    loop = drive()
  }

  const drive = async () => {
    while (queue.length > 0 && !disposal) {
      const messages = queue
      queue = []
      turn = { number: log.nextTurn(), abort: new AbortController(), between: [] }
      updateFailed = false
      await runTurn(context, turn, messages)
      // What came too late for this turn: messages begin the next, context asks for no answer (G4).
      const { between } = turn
      turn = undefined
      for (const late of between) if (late.kind === 'context') recordContextTurn(parts, late)
      queue = [...between.filter(({ kind }) => kind === 'message'), ...queue]
    }
    loop = usage = undefined
    if (!disposal) ref.send({ type: 'rest' })
    wake()
  }

  const wake = () => {
    const waiting = idle
    idle = undefined
    waiting?.resolve()
  }

  const enqueue = (message: Pending): void => {
    queue.push(message)
    if (!loop && queue.length === 1) queueMicrotask(begin)
  }

  /** Drops what is queued and ends the open turn, or the one that was about to begin. */
  const stop = (reason: TurnEndReason): void => {
    const dropped = queue.length > 0
    queue = []
    if (turn) {
      turn.between = turn.between.filter((pending) => pending.kind === 'context')
      turn.ending ??= reason
      turn.abort.abort(
        new DOMException('reason' in reason && reason.reason !== undefined ? reason.reason : 'The turn was cancelled.', 'AbortError'),
      )
    } else if (dropped) {
      recordDroppedTurn(parts, reason)
      if (!loop) wake()
    }
  }

  const take = (content: readonly ContentBlock[] | string, method: string): readonly ContentBlock[] => {
    if (disposal) throw new SubagentError('INVALID_REQUEST', `Agent ${id} is disposed, so ${method}() cannot reach it. Create a new agent.`)
    return blocks(content, 'content')
  }
  const toMessage = (content: readonly ContentBlock[] | string, method: string, source: string | undefined): Pending => ({
    kind: 'message',
    content: take(content, method),
    ...(source !== undefined && { source }),
  })

  const own: Omit<InProcessAgent, keyof Read> = {
    id,
    options,
    session: log.session,
    ...(parts.toolFilter && { toolFilter: parts.toolFilter }),
    send: (content, { source } = {}) => enqueue(toMessage(content, 'send', source)),
    steer(content, { source } = {}) {
      const message = toMessage(content, 'steer', source)
      if (turn) turn.between.push(message)
      else enqueue(message)
    },
    inject(content, { source }) {
      const taken = take(content, 'inject')
      if (typeof source !== 'string' || source === '') throw invalid('source', 'a non-empty string', source)
      const context: Pending = { kind: 'context', content: taken, source }
      if (turn) turn.between.push(context)
      else recordContextTurn(parts, context)
    },
    cancel(reason) {
      if (!disposal) stop({ kind: 'aborted', ...(reason !== undefined && { reason }) })
    },
    async whenIdle() {
      if (disposal) return loop
      if (!loop && queue.length === 0) return
      return (idle ??= deferred()).promise
    },
  }

  const agent: InProcessAgent = withState(own, { ref: () => ref, droppedLateResults: () => droppedLateResults })
  const toolbox = parts.createToolbox({ agent, open: () => turn?.open, onLate, inFlight })
  const context: TurnContext = {
    log,
    history: parts.history,
    toolbox,
    model: parts.model,
    system: parts.system,
    maxSteps: parts.maxSteps,
    maxOutputTokens: options.maxTokens,
    maxRetries: parts.maxRetries,
    logger,
    emit,
    onLate,
    concludeWhen: parts.concludeWhen,
    onUsage(added) {
      usage = addUsage(usage, added)
      emit({ type: 'usage', usage })
    },
    onWarning(warning) {
      const text = JSON.stringify(toJson(warning))
      if (!warned.has(text)) warn(logger, `Agent ${id}: the model warns: ${text}`)
      warned.add(text)
    },
  }

  const dispose = (): Promise<void> => {
    if (disposal) return disposal
    const done = deferred<void>()
    // Set before anything else runs: stopping the actor, and the tools that hear of the abort, may call back in here.
    disposal = done.promise
    end().then(done.resolve, done.reject)
    return disposal
  }
  const end = async () => {
    stop({ kind: 'disposed' })
    if (ref.getSnapshot().status === 'active') ref.send({ type: 'dispose' })
    if (!loop) wake()
    await loop
    // Before the tools have ended: they write nothing any more, and one that ignores its signal must not keep the session.
    contain(logger, `Agent ${id}: closing its session`, () => log.close())
    while (inFlight.size > 0) await Promise.allSettled(inFlight)
    contain(logger, `Agent ${id}: unregistering`, parts.onDisposed)
  }

  const ref = createActor(agentLogic, {
    id,
    input: { agentId: id, sessionId: log.session.header.id },
    ...(parts.parentActor && { parent: parts.parentActor, src: 'agent' }),
  })
  // Whoever stops the actor from outside, as a run does with its children, ends the agent.
  ref.subscribe({ complete: () => void dispose() })
  ref.start()
  return { handle: { agent, dispose }, isAtRest: () => !loop && queue.length === 0 }
}

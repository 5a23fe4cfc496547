/**
 * The vocabulary: what a caller asks for, what a provider gives, what everyone sees of a run.
 * Types only; nothing here runs. Contract: V1–V7.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { ActorRef, AnyActorRef } from 'xstate'
import type { RunEvent, RunSnapshot } from './machines/run.ts'

/** Any value that survives `JSON.parse(JSON.stringify(value))`. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** The ACP/MCP content block. `data` is base64. */
export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; mimeType?: string; description?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: string } }

/** What a provider can honour at start; checked before a child exists (S10). */
export interface SubagentCapabilities {
  /** Validates `structured` against the request's schema (V4). */
  readonly outputSchema: boolean
  /** Keeps to `maxDepth` in the child's own delegations too (P2). */
  readonly depthLimit: boolean
  /** Hides the tools that a filter takes away (P10). */
  readonly toolFilter: boolean
  /** Takes the request's system prompt. @default false */
  readonly persona?: boolean
}

/**
 * Options of an agent, open to extension by interface merging (V2).
 *
 * @example
 * ```ts
 * declare module 'xstate-subagents' { interface AgentOptions { readonly temperature?: number } }
 * ```
 */
export interface AgentOptions {
  /** A model id, or a model object of the AI SDK (in-process providers only). */
  readonly model?: unknown
  /** Upper bound on generated tokens a step. */
  readonly maxTokens?: number
  /** Upper bound on model calls a turn. @default 50 */
  readonly maxSteps?: number
  /** Delegation depth of a resumed agent; deepens the session's own, never lowers it (P1). */
  readonly subagentDepth?: number
}

/** Why a turn ended (G7). */
export type TurnEndReason =
  | { readonly kind: 'completed' | 'max-tokens' | 'max-steps' | 'refusal' | 'rejected' | 'disposed' }
  | { readonly kind: 'aborted'; readonly reason?: string }
  | { readonly kind: 'error'; readonly message: string; readonly status?: number; readonly provider?: string; readonly retryable?: boolean }

/** One entry of a session's log: JSON only, frozen, `seq === index` (G7). */
export type SessionEvent = { readonly seq: number; readonly at: number } & (
  | { readonly type: 'turn/start'; readonly turn: number }
  | { readonly type: 'user/message'; readonly content: readonly ContentBlock[]; readonly source?: string }
  | { readonly type: 'context/message'; readonly content: readonly ContentBlock[]; readonly source: string }
  | { readonly type: 'assistant/message'; readonly content: readonly ContentBlock[]; readonly usage?: Usage }
  | { readonly type: 'tool/call'; readonly toolCallId: string; readonly name: string; readonly input: Json }
  | {
      readonly type: 'tool/result'
      readonly toolCallId: string
      readonly name: string
      readonly status: 'ok' | 'error'
      readonly output: Json
    }
  | { readonly type: 'turn/end'; readonly turn: number; readonly reason: TurnEndReason }
)

/** What led to an agent from another process, as it crossed (A15). */
export interface SessionOrigin {
  /** Agent ids above this one, outermost first. */
  readonly lineage: readonly string[]
  /** Of W3C Trace Context: the span that this agent's delegations are below. */
  readonly traceparent?: string
}

/** First line of a session (G7). */
export interface SessionHeader {
  /** Of the format; a session of another one is refused. */
  readonly version: 1
  /** Unique; what a session that is kept is resumed by. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Absolute working directory. */
  readonly cwd?: string
  /** Session id of the agent that delegated. */
  readonly parentSession?: string
  /** Number of inherited events at the head of the log. */
  readonly seedLength?: number
  /** 0 for an agent that nobody delegated to. */
  readonly delegationDepth?: number
  /** Absent where the session began in this process. */
  readonly origin?: SessionOrigin
}

/** An agent's append-only, JSON-only event log with a header (G7). */
export interface Session {
  /** Does not change once the session is there. */
  readonly header: SessionHeader
  /** Grows at its end; an entry never changes. */
  readonly events: readonly SessionEvent[]
}

/** What a delegation needs to know of the agent that asks for it; `rootAgent()` makes one for callers that have no agent (S26). */
export interface ParentAgent {
  /** By which its runs are found to be those of a live run's child. */
  readonly id: string
  /** What children inherit of it, a model for one, is their provider's affair. */
  readonly options: AgentOptions
  /** Where children get their folder, depth and context from. */
  readonly session: Session
  /** Which tools it may use itself, its own parents' filters included; what it lacks no child of it gets (P10). @default all */
  readonly toolFilter?: ToolFilter | undefined
}

/** Something with a session that takes messages and runs turns (G2–G6). */
export interface Agent extends ParentAgent {
  /** `disposed` for good: it then takes no messages. */
  readonly status: 'idle' | 'running' | 'disposed'
  /** The agent's actor: `idle ⇄ running → disposed`. */
  readonly ref: AnyActorRef
  /** Queues a message for the next turn. Throws on a disposed agent. */
  send(content: ContentBlock[] | string, options?: { source?: string }): void
  /** Goes in between two steps of the running turn; when idle it is a `send`. */
  steer(content: ContentBlock[] | string, options?: { source?: string }): void
  /** Adds context without running the model. */
  inject(content: ContentBlock[] | string, options: { source: string }): void
  /** Clears what is queued and aborts the running step. */
  cancel(reason?: string): void
  /** Resolves when nothing runs and nothing is queued. */
  whenIdle(): Promise<void>
}

/**
 * Which tools a child may see: `allow` first, then `deny` (P10). A name that does not exist is refused; one that the parent may not
 * use itself stays hidden, also where `allow` names it.
 */
export interface ToolFilter {
  /** Names that stay. @default all */
  readonly allow?: readonly string[]
  /** Names that go, also where `allow` has them. @default none */
  readonly deny?: readonly string[]
}

/** A JSON Schema with an object root. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The type of `structured` for a schema that was passed (V4). */
export type StructuredOf<TSchema> = TSchema extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<TSchema> : unknown

/** What a caller asks for. Copied at the door: later changes to it change nothing (S11). */
export interface SubagentStartRequest<TSchema = unknown> {
  /** The task. A string is one text block. */
  readonly prompt: readonly ContentBlock[] | string
  /** The agent that delegates. */
  readonly parent: ParentAgent
  /** Run id, unique among live runs. @default generated */
  readonly id?: string
  /** Short display text. */
  readonly label?: string
  /** Aborting it cancels the run; aborted already, the child is never started. */
  readonly signal?: AbortSignal
  /** Model and bounds of the child; which of them count, and their defaults, are the provider's affair. */
  readonly agentOptions?: AgentOptions
  /** JSON Schema (object root) or Standard Schema; types `structured`. Needs the capability `outputSchema`. */
  readonly outputSchema?: TSchema
  /** Deepest delegation allowed; 0 forbids every child. Needs the capability `depthLimit`. */
  readonly maxDepth?: number
  /** Needs the capability `toolFilter`. */
  readonly toolFilter?: ToolFilter
  /** The child's system prompt for this run; `''` means none. Needs the capability `persona`. */
  readonly persona?: string
  /** Deadline from the start of the child, 1 … 2147483647. The clock stands still while a permission is pending. @default the service's */
  readonly timeoutMs?: number
  /** How long a cancelled child may take to settle. @default 5000 */
  readonly cancelGraceMs?: number
  /** How long a release may take. @default 10000 */
  readonly releaseGraceMs?: number
}

/** A start request for a session that is kept somewhere: what its child said and was told stays, the rest is said anew (P12). */
export interface SubagentResumeRequest<TSchema = unknown> extends Omit<SubagentStartRequest<TSchema>, 'parent'> {
  /** `sessionId` of an earlier result. */
  readonly sessionId: string
  /** The agent that delegates now. @default a parent without an agent, as `rootAgent()` makes it */
  readonly parent?: ParentAgent
}

/** The parent as data, for what crosses a process. */
export interface ParentRef {
  /** Id of the agent that delegates. */
  readonly agentId: string
  /** Of its session's header. */
  readonly sessionId: string
  /** Absolute working directory of its session; absent where it has none. */
  readonly cwd?: string
  /** 0 for an agent that nobody delegated to. */
  readonly depth: number
  /** Agent ids from the outermost caller to the parent itself. */
  readonly lineage: readonly string[]
  /** What it may use itself, its parents' filters included (P10); absent for all. */
  readonly toolFilter?: ToolFilter
  /** W3C trace context of the run, for spans of its child to nest under; there where runs are traced (I6). */
  readonly traceparent?: string
}

/** The request as JSON, resolved once at the door (V3). Frozen. */
export interface ResolvedStartRequest {
  /** The request's `id`, or a generated one. */
  readonly runId: string
  /** A text as one block. */
  readonly prompt: readonly ContentBlock[]
  /** What the child is told of who delegates. */
  readonly parent: ParentRef
  /** Depth of the child: the parent's plus one. */
  readonly depth: number
  /** Short display text; absent where the request has none. */
  readonly label?: string
  /** The options that are JSON; a model object is left out. */
  readonly agentOptions?: { readonly [option: string]: Json | undefined }
  /** What a Standard Schema was converted to; absent where the request has none. */
  readonly outputSchema?: JsonSchema
  /** Deepest delegation allowed below the root; absent for no limit. */
  readonly maxDepth?: number
  /** The request's own; those of the parents are in `parent.toolFilter`. */
  readonly toolFilter?: ToolFilter
  /** System prompt; `''` for none, absent for the provider's own. */
  readonly persona?: string
  /** Milliseconds from the start of the child; absent for no deadline. */
  readonly timeoutMs?: number
  /** Milliseconds, the service's where the request has none. */
  readonly cancelGraceMs: number
  /** Milliseconds, the service's where the request has none. */
  readonly releaseGraceMs: number
}

/** Open to extension by interface merging (V2); a consumer treats a reason it does not know as a failure (R13). */
export interface SubagentStopReasonMap {
  /** The child ended its turn by itself. The one success. */
  completed: 'completed'
  /** Cancelled, by whomever; or a start that its signal had aborted already. */
  aborted: 'aborted'
  /** Failed; `failure` says of what. */
  error: 'error'
  /** Cut off at a limit of tokens. */
  'max-tokens': 'max-tokens'
  /** The model, or its provider's filter, would not answer. */
  refusal: 'refusal'
  /** The deadline of the request passed. */
  'timed-out': 'timed-out'
}
/** Why a run ended; open for more by merging into `SubagentStopReasonMap` (V2). */
export type SubagentStopReason = SubagentStopReasonMap[keyof SubagentStopReasonMap]

/** Token counts of a run so far. */
export interface Usage {
  /** Of all prompts together, cached ones included where the provider counts so. */
  readonly inputTokens?: number
  /** Of all answers together, reasoning included where the provider counts so. */
  readonly outputTokens?: number
  /** As the provider adds it up; it need not be the sum of the others. */
  readonly totalTokens?: number
  /** Spent on reasoning. */
  readonly reasoningTokens?: number
  /** Input that came from the provider's cache. */
  readonly cachedInputTokens?: number
}

/** Why a run did not complete, as data (R13). Codes: {@link FailureCode} or a provider's own. */
export interface SubagentFailure {
  /** For programs. */
  readonly code: string
  /** Phase of the run in which it failed. */
  readonly phase: 'starting' | 'running' | 'settling'
  /** True where the same request may succeed later. */
  readonly retryable: boolean
  /** For people and models; providers keep secrets out of it. */
  readonly message: string
}

/** The terminal outcome of a run. `output` may be partial unless `stopReason` is `completed`. */
export interface SubagentResult<T = unknown> {
  /** The answer; empty where there was none. */
  readonly output: ContentBlock[]
  /** Present if and only if the request had an `outputSchema` and the child honoured it (V4). */
  readonly structured?: T
  /** A reason that a consumer does not know counts as a failure (R13). */
  readonly stopReason: SubagentStopReason
  /** Why the run did not complete; absent where nobody knows more than `stopReason`. */
  readonly failure?: SubagentFailure
  /** Safe text about a failure, at most 4096 bytes of UTF-8 (R14). */
  readonly diagnostic?: string
  /** Tokens of this run alone, its children's runs not included; absent where the provider does not count. */
  readonly usage?: Usage
  /** What `service.resume` takes, where the provider keeps sessions; absent where the child has none. */
  readonly sessionId?: string
}

/** What a child wants to be allowed to do, as a person is asked it (A13). */
export interface PermissionRequest {
  /** Unique among the questions of its run that wait. */
  readonly id: string
  /** What is asked, in words for a person. */
  readonly title: string
  /** The call that waits for it, where it is about one. */
  readonly toolCallId?: string
  /** The tool that is to be called, where the agent tells. */
  readonly toolName?: string
  /** What the tool does, in the agent's word for it: `read`, `edit`, `execute`. */
  readonly toolKind?: string
  /** What the tool would be called with, where the agent tells. */
  readonly input?: Json
  /** The choices, in the agent's order; `id` is what an answer takes, `name` what a person reads. */
  readonly options: readonly {
    readonly id: string
    readonly name: string
    readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
  }[]
}
/** The choice made, or `undefined` for none (the request is refused). */
export interface PermissionAnswer {
  /** `id` of one of the request's options; absent for none of them, which refuses. */
  readonly optionId?: string
}

/** A question for a permission, with who asks it (A13). */
export interface PermissionQuestion {
  /** The run whose child asks. */
  readonly runId: string
  /** The name that the run's provider is registered under. */
  readonly provider: string
  /** The request's own, for display. */
  readonly label?: string
  /** Agent ids from the outermost caller to the one that started the run. */
  readonly lineage: readonly string[]
  /** As the child put it. */
  readonly request: PermissionRequest
}
/**
 * Decides a question.
 *
 * Contract: called once a question; `undefined`, a throw, and an answer that comes too late refuse. It need not end when the
 * run does.
 */
export type PermissionHandler = (question: PermissionQuestion) => PermissionAnswer | undefined | Promise<PermissionAnswer | undefined>

/** The kinds of progress, open to extension by interface merging (V2). */
export interface SubagentUpdateMap {
  /** The child can work (R18). */
  ready: {}
  /** A piece of the answer; pieces of one message share `messageId`, where the provider has one. */
  text: { readonly text: string; readonly messageId?: string }
  /** A piece of the reasoning. */
  thought: { readonly text: string; readonly messageId?: string }
  /** A tool is called; `input` where the provider tells. */
  'tool-call': { readonly toolCallId: string; readonly name: string; readonly input?: Json }
  /** The call of that id has ended. */
  'tool-result': { readonly toolCallId: string; readonly status: 'ok' | 'error' }
  /** The whole plan as it is now, in place of the one before. */
  plan: { readonly entries: readonly { readonly content: string; readonly status: string; readonly priority?: string }[] }
  /** The child waits for an answer (A13). */
  permission: { readonly request: PermissionRequest }
  /** Tokens of the run so far, in place of the counts before. */
  usage: { readonly usage: Usage }
  /** What has no kind of its own, in the provider's format. */
  raw: { readonly raw: Json }
}
/** Progress as a provider reports it. */
export type SubagentUpdateContent = { [K in keyof SubagentUpdateMap]: { readonly type: K } & SubagentUpdateMap[K] }[keyof SubagentUpdateMap]
/** Progress of a live run: `seq` counts from 0 without gaps, `at` is milliseconds since the epoch (R16). */
export type SubagentUpdate = { readonly runId: string; readonly seq: number; readonly at: number } & SubagentUpdateContent

/** The run's actor: its state is the run's phase. Read it, subscribe to it; what moves it are the run's own methods. */
export type RunActorRef = ActorRef<RunSnapshot, RunEvent>

/**
 * The handle of one delegation. Whoever started it disposes it (`dispose`, or `await using`); a service that closes
 * disposes what is left.
 */
export interface SubagentRun<T = unknown> extends AsyncDisposable {
  /** The child agent's id; until there is one, the run id. */
  readonly id: string
  /** The request's `id`, or a generated one; events carry it. */
  readonly runId: string
  /** The name that the provider is registered under. */
  readonly provider: string
  /** Resolves for every outcome of the child; rejects only on an infrastructure fault (R12). Never an unhandled rejection. */
  readonly result: Promise<SubagentResult<T>>
  /** Each iteration starts with what the buffer (1000) still holds and ends at settlement (R16). */
  readonly updates: AsyncIterable<SubagentUpdate>
  /** For snapshots and subscriptions; it stops when the run is disposed. */
  readonly ref: RunActorRef
  /** Reports that arrived after the outcome was decided, counted and dropped (R4). */
  readonly late: number
  /** Updates that the bounded buffer, or a settled run, dropped (R16). */
  readonly droppedUpdates: number
  /** True once a release did not end within its grace (R11). */
  readonly leaked: boolean
  /** Asks the child to stop, in any state, any number of times (R7). */
  cancel(reason?: string): void
  /** Cancels if need be, waits for the outcome, frees what the child holds. Idempotent (R10). Rejects only when the release failed. */
  dispose(): Promise<void>
  /** Present only where the provider can steer a running child (V5). */
  sendMessage?(content: ContentBlock[] | string): void
  /** Present only where the provider can continue a settled child in a new run (V5). */
  resume?(content: ContentBlock[] | string): SubagentRun<T>
}

/** Where warnings go. The default drops `debug` and writes the rest to stderr. */
export interface Logger {
  /** What only whoever looks for a fault wants to know. */
  debug(message: string, details?: unknown): void
  /** Something was lost, refused or contained; the work goes on. */
  warn(message: string, details?: unknown): void
  /** Something of a listener, a provider or a release failed; the work goes on. */
  error(message: string, details?: unknown): void
}

/** Time as the engine sees it; a test passes a simulated one. `now` is milliseconds since the epoch. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls back once after so many milliseconds. Gives what `clearTimeout` takes. */
  setTimeout(callback: () => void, ms: number): unknown
  /** Takes a call back that is still to come; what is over, or unknown, is left alone. */
  clearTimeout(id: unknown): void
}

/** The caller's request as a provider sees it: prompt as blocks, `parent` live, `signal` linked with cancel, deadline and close. */
export interface ProviderStartRequest extends Omit<SubagentStartRequest, 'prompt' | 'signal' | 'toolFilter'> {
  /** Frozen copy of the caller's; a text as one block. */
  readonly prompt: ContentBlock[]
  /** Aborts at a cancel, the caller's abort, the deadline, the service's close. */
  readonly signal: AbortSignal
  /** The request's own; those of the parents are in `context.resolved.parent.toolFilter`. */
  readonly toolFilter?: { allow?: string[]; deny?: string[] }
}

/** As {@link ProviderStartRequest}, for a session that is there already. */
export interface ProviderResumeRequest extends ProviderStartRequest {
  /** Of the session to go on with, as an earlier result gave it. */
  readonly sessionId: string
}

/** What the engine gives to a provider's `start`. */
export interface RunContext {
  /** Unique among live runs of the service. */
  readonly runId: string
  /** The request as JSON, for providers that carry it over a wire (V3). */
  readonly resolved: ResolvedStartRequest
  /** The caller's signal, cancel, deadline and close, linked into one; made on first read. */
  readonly signal: AbortSignal
  /** The run actor: pass it as `parent` to `createActor`; what was made so is stopped when the run is disposed (S25). */
  readonly self: AnyActorRef
  /** Tells that the child can work. Only for providers that declare `signalsReady`; a second call does nothing (R18). */
  ready(): void
  /** Reports progress. Before `subagent/start` it is held back, after `subagent/end` dropped and counted (R16). Never throws. */
  update(update: SubagentUpdateContent): void
  /**
   * Asks for a permission: the run reads `running.awaitingPermission`, its deadline stands still, until `answer` was called (A13).
   * `decide` puts the question to the handler of the service, `onPermission`; it is absent where the service has none, and
   * rejects with what the handler throws.
   */
  ask(request: PermissionRequest): { answer(): void; decide?(): Promise<PermissionAnswer | undefined> }
  /** The service's: what a child loses is a warning there. */
  readonly logger: Logger
  /** The service's: what a provider waits for it measures with this, so that a simulated one moves it. */
  readonly clock: Clock
}

/**
 * One delegation as a provider sees it.
 *
 * Contract: `result` settles exactly once; `cancel` returns at once and may throw (logged); `dispose` may be called in
 * any state, once, and resolves when nothing of the child is left.
 */
export interface ProviderRun {
  /** The child agent's id, known when `start` returns. @default the run id */
  readonly id?: string
  /** Settles the run. Its rejection is an infrastructure fault, which the run's result rejects with (R12). */
  readonly result: Promise<SubagentResult>
  /** Tells the child to end. It may settle as it likes within the grace; after that it is given up (R8). */
  cancel(reason?: string): void
  /** Frees all that the child holds; called once, in any state. What it rejects with reaches the caller of `run.dispose()` (R10). */
  dispose(): Promise<void>
  /** Steers the living child. Absent where the child cannot take messages (V5). */
  sendMessage?(content: ContentBlock[]): void
  /** Only for runs that live elsewhere: the service closes and leaves this one alive (S6). */
  detach?(): void
  /** Continues the settled child in a new run, whose own context comes with it. */
  resume?(content: ContentBlock[], context: RunContext): ProviderRun
}

/**
 * One way of running a child agent, registered by name.
 *
 * Contract: `start` is synchronous; what it throws reaches the caller of `service.start` untouched and leaves nothing
 * behind. What is known only later settles `result` as `error` with a failure.
 */
export interface SubagentProvider {
  /** What `start` and `delegate` take; unique in a registry, non-empty. */
  readonly name: string
  /** Only what is enforced: a request that asks for more is refused (S10). */
  readonly capabilities: SubagentCapabilities
  /** True where the child sees the parent's completed turns. @default false */
  readonly inheritsParentContext?: boolean
  /** True where the child is ready only at `context.ready()`. @default false: ready when `start` returned */
  readonly signalsReady?: boolean
  /** Starts a child, at once: what it throws reaches the caller of `service.start`, and no event is told. */
  start(request: ProviderStartRequest, context: RunContext): ProviderRun
  /**
   * Goes on with a session that is kept somewhere, after the process that had it has ended. Absent where sessions are not kept.
   * Contract: as `start`; it throws where there is no such session, where somebody else has it, and SubagentDepthError where
   * the session is deeper than `maxDepth`.
   */
  resume?(request: ProviderResumeRequest, context: RunContext): ProviderRun
  /**
   * Frees what is kept for runs to come. Absent where nothing is kept between runs.
   * Contract: called when its service has closed, or it was unregistered, and its runs are gone. It may be called more than
   * once, and a start may follow, where the provider is registered again or elsewhere. Not waited for longer than the service's
   * `releaseGraceMs`; a throw or a rejection is logged.
   */
  close?(): Promise<void>
}

/** Payload of `subagent/start` (S14). */
export interface SubagentStartEvent {
  readonly type: 'subagent/start'
  /** The name that it is registered under. */
  readonly provider: string
  /** The child agent's id; the run id where it has none. */
  readonly id: string
  /** Unique among live runs. */
  readonly runId: string
  /** The live run whose child delegates; absent where none does. */
  readonly parentRunId?: string
  /** The request's own. */
  readonly label?: string
}
/** Payload of `subagent/update` (R16). */
export interface SubagentUpdateEvent {
  readonly type: 'subagent/update'
  /** The name that it is registered under. */
  readonly provider: string
  /** The child agent's id; the run id where it has none. */
  readonly id: string
  /** Unique among live runs. */
  readonly runId: string
  /** As `run.updates` gives it. */
  readonly update: SubagentUpdate
}
/** Payload of `subagent/end` (S15). */
export interface SubagentEndEvent {
  readonly type: 'subagent/end'
  /** The name that it is registered under. */
  readonly provider: string
  /** The child agent's id; the run id where it has none. */
  readonly id: string
  /** May be taken by a new run once this one is disposed. */
  readonly runId: string
  /** `error` also where the result was rejected. */
  readonly stopReason: SubagentStopReason
  /** A deeply frozen copy of the result's output; absent when the result was rejected or cannot be cloned (S16). */
  readonly lastAssistantMessage?: readonly ContentBlock[]
  /** Why it did not complete, where somebody knows. */
  readonly failure?: SubagentFailure
  /** Tokens of this run alone. */
  readonly usage?: Usage
  /** From the call of `start` to settlement. */
  readonly durationMs: number
}
/** The provider is live and `getProvider` answers. The one event whose listener can refuse: a throw undoes the registration (S3). */
export interface ProviderAddedEvent {
  readonly type: 'subagent/provider-added'
  /** What starts name it by. */
  readonly name: string
  /** The very object that was registered. */
  readonly provider: SubagentProvider
}
/** The provider is gone. A throw in a listener is contained: removal cannot be refused (S4). */
export interface ProviderRemovedEvent {
  readonly type: 'subagent/provider-removed'
  /** Free for another provider from here on. */
  readonly name: string
}
/** What `service.on` tells, and what a registry actor emits, told apart by `type` (V6). */
export type SubagentLifecycleEvent = SubagentStartEvent | SubagentUpdateEvent | SubagentEndEvent | ProviderAddedEvent | ProviderRemovedEvent

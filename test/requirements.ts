/**
 * The contract, one row a requirement: what each id promises, and which issue brings it. Test titles cite the ids, and
 * requirements.test.ts holds the two together (K6).
 */
export interface Requirement {
  readonly id: string
  readonly sentence: string
  /** The issue, 1 … 6, that brings it: from then on a test has to cite it. */
  readonly since: 1 | 2 | 3 | 4 | 5 | 6
  /** A later issue that brings the rest, where the first brings a part. */
  readonly whole?: 2 | 3 | 4 | 5 | 6
}

/** The issue whose requirements have to be cited now. */
export const currentIssue = 5

// One row a line, so that it reads as the table it is.
// oxfmt-ignore
export const requirements: readonly Requirement[] = [
  // Vocabulary
  { id: 'V1', since: 1, sentence: 'The interface blocks of the seed pages are assignable to ours and, for what a consumer reads, ours to them: type tests hold both directions.' },
  { id: 'V2', since: 1, sentence: '`SubagentStopReasonMap`, `AgentOptions` and the update union are extended by interface merging; a test does it from outside the package.' },
  { id: 'V3', since: 1, sentence: 'The engine resolves a request once: strings to blocks, `parent` to a `ParentRef`, schema to JSON Schema, defaults filled, then freezes it.' },
  { id: 'V4', since: 1, sentence: '`structured` is typed from the schema that was passed; it is present if and only if the request had an `outputSchema` and the child honoured it.' },
  { id: 'V5', since: 1, sentence: "Optional run methods are absent, not stubs, where the provider cannot: `'sendMessage' in run` is false." },
  { id: 'V6', since: 1, sentence: 'One table in the docs names every event, in the three places it shows: public lifecycle event (`subagent/start`), registry event (`run.start`), machine event (`accept`).' },
  { id: 'V7', since: 1, sentence: 'Error codes: `NO_PROVIDER`, `DUPLICATE_PROVIDER`, `INVALID_PROVIDER`, `UNSUPPORTED_CAPABILITY`, `INVALID_REQUEST`, `DUPLICATE_RUN`, `DEPTH_EXCEEDED`, `CONCURRENCY_LIMIT`, `REGISTRY_CLOSED`, `NO_MODEL`, `INVALID_RESULT`, `RELEASE_TIMEOUT`, `UNAUTHORIZED`, `LOST`; failure codes of a settled run add `MAX_STEPS`, `MODEL_ERROR`, `NO_STRUCTURED_OUTPUT`, `SPAWN_FAILED`, `HANDSHAKE_FAILED`, `AUTH_REQUIRED`, `PROTOCOL`, `CRASHED`, `IDLE_TIMEOUT`, `DEAF`.' },

  // The run machine
  { id: 'R1', since: 1, sentence: 'Every edge carries one of these named events; nothing moves by `always`.' },
  { id: 'R2', since: 1, sentence: 'No `invoke`, no `after`, no delayed `raise` or `send`; actions are a closed list of names with JSON parameters, which the engine performs after the macrostep is committed.' },
  { id: 'R3', since: 1, sentence: '`createTestModel` of @xstate/graph accepts this very machine and its paths are finite: the context is JSON, acyclic and bounded, built from `input` and from the event that moved the state (never from a clock, never by a self-transition, no counters).' },
  { id: 'R4', since: 1, sentence: 'First cause wins, once: of settle, reject, cancel, deadline the first to arrive at the run decides; later ones are counted beside the machine (`run.late`) and change neither context nor state.' },
  { id: 'R5', since: 1, sentence: 'The machine decides: no module outside `machines/` branches on what phase a run is in, and taking any one edge out of its config makes a test of that behaviour fail.' },
  { id: 'R6', since: 1, sentence: 'Every accepted run (`provider.start` returned, or it was aborted before the start) has exactly one `subagent/start` and then exactly one `subagent/end`; a refused one, and one whose `provider.start` threw, has neither.' },
  { id: 'R7', since: 1, sentence: '`cancel(reason?)` goes out at once in every state, in `starting` too; what becomes ready later is torn down.' },
  { id: 'R8', since: 1, sentence: 'A deaf child cannot hold the parent: `cancelGraceMs` (default 5000) after the cancel the run takes `give-up`: `aborted`, failure code `DEAF`, what arrived so far, a diagnostic that says so.' },
  { id: 'R9', since: 1, whole: 2, sentence: '`timeoutMs` (request or service default): at the deadline the child is cancelled as in R7 and has its grace; whatever it then answers the outcome is `timed-out`, partial output kept.' },
  { id: 'R10', since: 1, sentence: '`dispose()` is idempotent and memoised in every state: an unsettled run is cancelled first, then released once held.' },
  { id: 'R11', since: 1, sentence: 'A release that does not end is given up after `releaseGraceMs` (default 10 000): `dispose()` rejects `RELEASE_TIMEOUT`, the run is disposed and marked `leaked`, a warning is logged, what it still does is quarantined.' },
  { id: 'R12', since: 1, sentence: '`result` resolves for every child-level outcome; it rejects only on an infrastructure fault.' },
  { id: 'R13', since: 1, sentence: 'Failures that show only after `start` returned settle as `error` with `failure: { code, phase, retryable, message }`; only what the host knows at once is thrown.' },
  { id: 'R14', since: 1, sentence: '`diagnostic` is at most 4096 UTF-8 bytes, cut at a code point with a visible mark; no environment values, tool inputs or raw protocol in it.' },
  { id: 'R15', since: 1, sentence: "At most one listener per caller's signal and service, however many runs share it, gone with the last of them; the signal is otherwise untouched; 200 runs on one signal print no warning." },
  { id: 'R16', since: 1, sentence: 'Updates carry `seq`; those made before `subagent/start` are held until it was delivered; none comes after `subagent/end`.' },
  { id: 'R17', since: 1, sentence: '`await using run = service.start(…)` works; after a settled run nobody disposes: it holds no slot, `close()` releases it.' },
  { id: 'R18', since: 1, sentence: 'A provider is ready when `start` returned, unless it declares `signalsReady: true`: then at its `context.ready()`.' },

  // Registry and service
  { id: 'S1', since: 1, sentence: '`registerProvider(provider)` keys by `provider.name`; a duplicate throws `DUPLICATE_PROVIDER` before anything changed, no event fires.' },
  { id: 'S2', since: 1, sentence: 'Order on registration: stored, then `subagent/provider-added` with name and live provider; `getProvider(name)` already answers inside the event.' },
  { id: 'S3', since: 1, sentence: '`provider-added` is the one event whose listeners can refuse: dispatch stops at the first throw, the registration (that one only) is rolled back, `provider-removed` goes out if a listener before the thrower had heard the `added`, and `registerProvider` throws.' },
  { id: 'S4', since: 1, sentence: '`registerProvider` returns a disposer, callable and `Disposable`: single-shot, removes first, then emits `subagent/provider-removed`; a stale one never removes a later registration.' },
  { id: 'S5', since: 1, sentence: '`getProvider(name)`: undefined when absent; `list()`: names in insertion order, a re-registered name moves to the end.' },
  { id: 'S6', since: 1, whole: 2, sentence: 'Registry states `open → draining → closed`, carried as `config` so that its chart is drawn.' },
  { id: 'S7', since: 1, sentence: 'Removing a provider blocks new starts and does not touch live runs; their `end` still carries its name.' },
  { id: 'S8', since: 1, sentence: '`start(name, request)` is synchronous: it returns a `SubagentRun` or throws.' },
  { id: 'S9', since: 1, sentence: 'Unknown name: `NO_PROVIDER`; the message lists the names that exist.' },
  { id: 'S10', since: 1, sentence: 'Capabilities in the order outputSchema, depthLimit (asked by `maxDepth`), toolFilter, persona; the first unmet one throws `UNSUPPORTED_CAPABILITY` naming provider and flag, before any child exists.' },
  { id: 'S11', since: 1, sentence: 'The shape is checked: prompt is a non-empty array of content blocks or a non-empty string; `parent` has a session and options; `maxDepth` a non-negative safe integer (no NaN, −0, fraction); `timeoutMs` 1 … 2147483647; `toolFilter` has `allow` or `deny`; `outputSchema` an object-rooted JSON Schema, or a Standard Schema that can give its JSON Schema (one that cannot: the message names the converter package); else `INVALID_REQUEST` naming the field.' },
  { id: 'S12', since: 1, sentence: 'A signal aborted already: `abort-before-start`; `provider.start` is never called, no child or process exists, start and end are emitted as a pair, the result is `aborted`, `[]`.' },
  { id: 'S13', since: 1, sentence: 'If `provider.start` throws, the error reaches the caller untouched, no lifecycle event fires, nothing is left behind.' },
  { id: 'S14', since: 1, sentence: '`subagent/start` fires after `provider.start` returned and before `start()` returns: `{ provider, id, runId, parentRunId?, label? }`.' },
  { id: 'S15', since: 1, sentence: '`subagent/end` fires before any reaction that the caller attached to `result` runs: `{ provider, id, runId, stopReason, lastAssistantMessage?, failure?, usage?, durationMs }`.' },
  { id: 'S16', since: 1, sentence: "`lastAssistantMessage` is a deep copy of the result's output, deeply frozen, so no listener can change what another listener or the caller sees; an empty output is carried as `[]`; absent when the result was rejected." },
  { id: 'S17', since: 1, sentence: "Containment per listener for `start`, `end`, `update`, `provider-removed`: a throw is logged as a warning and later listeners run; an async listener's rejection likewise; a thrown value whose own `toString` throws likewise." },
  { id: 'S18', since: 1, sentence: 'A dispatch sees the listeners that existed when it began.' },
  { id: 'S19', since: 1, sentence: "`on(type, listener)` returns `{ unsubscribe() }`, as XState's does; listeners of a type before those of `'*'`; types are exact per event." },
  { id: 'S20', since: 1, sentence: 'Every error created by the package is a `SubagentError` with a documented `code` (V7); `SubagentError.is(value)` works across duplicated copies; `cause` is kept.' },
  { id: 'S21', since: 1, whole: 2, sentence: "`maxConcurrentRuns` and `maxConcurrentPerProvider` (default unlimited): request, capability and depth are checked first; over the limit the run waits in `validating.queued`, FIFO (`queue: 'wait'`, default), or `start` throws `CONCURRENCY_LIMIT` (`queue: 'reject'`)." },
  { id: 'S22', since: 2, sentence: "A run whose child agent has live background children cancels them and waits for them (R8 bounds it) before it settles: children's `end` precedes their parent's." },
  { id: 'S23', since: 1, sentence: "`subagentRegistry` runs as `createActor(subagentRegistry, { input })` and as an invoked or spawned actor with a `systemId`; it takes `{type:'provider.register', provider}`, `{type:'provider.unregister', name}`, `{type:'run.start', requestId?, provider, request, replyTo?}`, `{type:'run.cancel' | 'run.dispose', runId, reason?}`, `{type:'close'}`, and answers `replyTo` with `run.started`, `run.settled` or `run.rejected` (each with `requestId`)." },
  { id: 'S24', since: 2, sentence: "`fromSubagent(service | registryRef, providerName)` is an ActorLogic: `invoke: { src: fromSubagent(...), input: request, onDone, onError }` delegates as part of a user's statechart; `onDone` gets the result, a rejection goes to `onError`, leaving the state cancels and disposes the run." },
  { id: 'S25', since: 1, sentence: 'Run actors are children of the registry in the system (inspection shows registry → run → child agent), and 100 000 of them cost the same each as 1 000: no copy per start or per end of any collection of live runs.' },
  { id: 'S26', since: 1, whole: 3, sentence: "`rootAgent({ cwd?, id?, depth? })` makes a parent for a caller that has no agent of ours (a script, a server handler, another framework's loop); `parentFromMessages({ messages, cwd? })` (in `./agents`) makes one that carries an AI SDK conversation, so that `fork` has completed turns to inherit." },
  { id: 'S27', since: 1, sentence: "The registry actor itself emits the same lifecycle events to raw XState listeners (`service.ref.on('subagent/end', …)`), after the contained ones; the docs warn that XState rethrows what a raw listener throws." },
  { id: 'S28', since: 1, sentence: '`service.delegate(name, request)` starts, awaits, disposes on every path and returns the result: the one line for callers that need no handle.' },

  // In-process agents
  { id: 'G1', since: 1, sentence: '`createAgents({ model, tools?, system?, … })` is the factory and lookup that in-process providers use: `create(options) → AgentHandle { agent, dispose() }`, synchronous, duplicate id throws before a session exists; `get(id)`, `list()`.' },
  { id: 'G2', since: 1, sentence: '`Agent`: `id`, `options` (model, subagentDepth, open to extension), `session`, `status` (`idle | running | disposed`), `send`, `steer`, `inject`, `cancel`, `whenIdle`.' },
  { id: 'G3', since: 1, sentence: '`send(content, {source?})` enqueues synchronously; status does not flip before it returns; all queued messages are drained into one turn; throws on a disposed agent.' },
  { id: 'G4', since: 1, sentence: '`steer(content)` goes in between steps of the running turn; when idle it is a `send`.' },
  { id: 'G5', since: 1, sentence: '`cancel(reason?)` clears what is queued, aborts the running step, drops a turn about to start; idle with nothing pending it does nothing and arms nothing.' },
  { id: 'G6', since: 1, sentence: "`whenIdle()` resolves at once only if not running and nothing is queued; else on the next leaving of running; on a disposed agent after the loop's real exit." },
  { id: 'G7', since: 1, sentence: 'Session: append-only `events` with `seq === index`, JSON only, deep-copied in and frozen; header `{version, id, createdAt, cwd?, parentSession?, seedLength?, delegationDepth}`.' },
  { id: 'G8', since: 3, sentence: 'Sessions persist as JSON Lines, one file a session, under a directory the user names (none by default): every event is on disk before the next step begins; a torn last line after a crash is dropped with a warning, the rest loads; `agents.resume(sessionId)` continues it.' },
  { id: 'G9', since: 1, sentence: "Streaming: text and thought deltas, tool calls and results reach the run's updates while the turn runs." },
  { id: 'G10', since: 1, sentence: "Tools get an `AbortSignal`; tool calls of one step run in parallel; a tool that throws becomes an error tool result; a tool call that the child's filter hides is neither shown nor executable." },
  { id: 'G11', since: 3, sentence: 'A turn has a step ceiling (`maxSteps`, default 50): it ends with reason `max-steps` and the run settles `error`, failure code `MAX_STEPS`, text kept; never silently as success.' },
  { id: 'G12', since: 1, sentence: 'A model error is retried as the AI SDK does; then the turn ends `error`, failure code `MODEL_ERROR`; the diagnostic says provider, status and a short message, no key, no request body.' },
  { id: 'G13', since: 1, sentence: "A tool that ignores its signal does not hold the turn after a cancel: the turn ends, the tool's late answer is dropped and counted." },

  // Spawn and fork
  { id: 'P1', since: 1, sentence: "Child depth = parent depth + 1, read by the exported `depthOf(agent)`; depth is `session.header.delegationDepth`; absence is 0; only a resumed agent's own options may deepen it, never lower it; a request cannot set it." },
  { id: 'P2', since: 1, sentence: '`child depth > maxDepth`: `SubagentDepthError` (a `SubagentError`, code `DEPTH_EXCEEDED`, with `attemptedDepth`, `maxDepth`), thrown synchronously out of `start`, no child, no events.' },
  { id: 'P3', since: 1, sentence: "Spawn (registry name `spawn` unless `name` says otherwise; fork: `fork`): fresh agent, fresh session with the parent's `cwd`, `parentSession`, the parent's model unless `agentOptions.model` says otherwise, else the factory's, else `NO_MODEL` at start; zero inherited conversation; the parent's system prompt is not inherited." },
  { id: 'P4', since: 1, sentence: 'The prompt is queued in the same synchronous span as start.' },
  { id: 'P5', since: 1, sentence: "Output: the last non-empty assistant message of the child's own turns (at or after `seedLength`), else its streamed text, else `[]`; never an inherited parent message; a deep copy, since the log is frozen." },
  { id: 'P6', since: 1, sentence: 'Stop reason from the last own `turn/end`: completed, aborted, max-tokens, refusal as they are; rejected → refusal; disposed → aborted; anything else → error.' },
  { id: 'P7', since: 1, sentence: 'A cancelled child reports `aborted`; if its prompt never began, with `[]`, even if an injected message completed a turn in between; partial text is kept.' },
  { id: 'P8', since: 3, sentence: "Fork: the seed is the parent's log up to and including its last `turn/end`, contiguous from 0; the open turn is excluded; no completed turn means a fresh child without `seedLength`." },
  { id: 'P9', since: 3, sentence: '`outputSchema`: true; the child gets a `structured_output` tool with the schema and an instruction, and the first valid capture is the result.' },
  { id: 'P10', since: 3, sentence: "`toolFilter {allow?, deny?}`: allow first, then deny; unknown names fail `INVALID_REQUEST`; `allow: []` hides everything; the child's own return channels (`structured_output`) survive." },
  { id: 'P11', since: 3, sentence: "`persona`: the child's system prompt for this run; omission means the factory's default; `''` means none." },
  { id: 'P12', since: 3, sentence: '`sendMessage` steers the running child; `resume(content)` continues a settled child in a new run with the same session; `service.resume(name, { sessionId, prompt, … })` does so after a restart where sessions are kept.' },
  { id: 'P13', since: 1, sentence: 'Dispose: stop the loop, wait for quiet (R11 bounds it), flush, unregister the agent, close the session; memoised; concurrent callers share it.' },
  { id: 'P14', since: 3, sentence: 'Provider removal leaves live children alone (S7); parent disposal takes them along (S22).' },
  { id: 'P15', since: 1, sentence: "Siblings are independent: their failure, cancellation and output never mix, and the parent's log records nothing of them but its own tool call and result." },
  { id: 'P16', since: 1, whole: 3, sentence: 'Bring your own agent: `aiSdkAgentProvider({ name, agent })` runs an AI SDK `ToolLoopAgent` (or any object with its `stream`) as a child, `defineProvider({ name, run })` any async function or generator of updates; recipes of at most 40 lines, each run by a check, show LangGraph, OpenAI Agents SDK and Claude Agent SDK as providers.' },

  // The ACP provider
  { id: 'A1', since: 4, sentence: "`acpProvider({ name = 'acp', command, args = [], cwd?, env?, permission = 'reject', … })`; several instances under different names coexist; `knownAgents` gives ready settings." },
  { id: 'A2', since: 4, sentence: 'The process is an XState actor (`src/machines/acp-process.ts`): `spawning → initializing → opening → ready ⇄ prompting → closing → closed`, child of the run actor.' },
  { id: 'A3', since: 4, sentence: "`@agentclientprotocol/sdk` (pinned, behind one file) is the JSON-RPC peer; the framing below it is ours: split on byte 0x0A, decode UTF-8 per line, skip non-JSON lines up to a cap and keep the first of them for the diagnostic, never write back because of noise, line cap 32 MiB, nothing on the host's console." },
  { id: 'A4', since: 4, sentence: "Prompt blocks that the agent's `promptCapabilities` do not allow (an image for a text-only agent) settle the run `error` with a failure that names them; they are not dropped." },
  { id: 'A5', since: 4, sentence: "cwd: the option, else the parent session's cwd, never silently the server's own; it must be an absolute, enterable directory, checked before anything is spawned." },
  { id: 'A6', since: 4, sentence: '`inheritsParentContext: false`; what crosses is a closed list: prompt, cwd, environment, depth and trace, model and mode, persona and tools where enforced, the MCP server of A14.' },
  { id: 'A7', since: 4, sentence: 'spawn → `initialize` with exactly protocol 1 (any other answer: typed error, process closed) → `session/new` → `ready`.' },
  { id: 'A8', since: 4, sentence: "Auth demanded (−32000): typed error with the agent's methods; `authenticate` is called only for a method the user configured; no browser is ever opened." },
  { id: 'A9', since: 4, sentence: 'Text is collected synchronously, by session id, grouped by message; thoughts, plans, tool calls, usage become updates (R16), not output.' },
  { id: 'A10', since: 4, sentence: 'Stop reasons: end_turn → completed, max_tokens → max-tokens, refusal → refusal, cancelled → aborted, max_turn_requests and unknown → error.' },
  { id: 'A11', since: 4, sentence: 'After a cancel of ours any ending is `aborted`, whatever the agent answers; the text so far is kept.' },
  { id: 'A12', since: 4, sentence: 'A process that dies mid-prompt settles `error` at once with partial text, exit facts and stderr tail; never success.' },
  { id: 'A13', since: 4, sentence: "`permission`: `'reject'` picks the agent's own reject option (so the turn goes on), `'allow'` the first `allow_once`, never an `*_always` unless asked; a function `(request) => choice` decides itself, with run id, lineage and tool facts, and a deadline; a pending question is the run's state `running.awaitingPermission`, reaches the registry as a `permission` update, bubbles along the lineage to the nearest handler, and stops the clock of R9." },
  { id: 'A14', since: 4, sentence: '`outputSchema`: true where the agent can call back, through an MCP server on 127.0.0.1 with one tool that carries the schema.' },
  { id: 'A15', since: 4, sentence: '`toolFilter` and `persona` are true only for agents that enforce them (claude: `_meta.claudeCode.options.tools/disallowedTools`, `_meta.systemPrompt`), stated per known agent; never pretended.' },
  { id: 'A16', since: 4, sentence: '`sendMessage` while a prompt runs: queued as the next prompt of the same session; `resume(content)`: a new run that loads or resumes the session where the agent advertises it, else on the still-living process; else absent.' },
  { id: 'A17', since: 4, sentence: 'Model, mode and config options are set by id after `session/new` and verified; an unknown id fails the start with the ids that exist.' },
  { id: 'A18', since: 4, sentence: 'Unknown notifications and updates are ignored and passed raw as updates; unknown requests, fs and terminal are answered −32601 at once and advertised false.' },
  { id: 'A19', since: 4, sentence: '`dispose()`: answer permissions, cancel a running prompt (wait ≤ 2 s), close stdin and wait `eofGraceMs` (1000), SIGTERM to the process group and wait `termGraceMs` (2000), SIGKILL to the group and to every recorded descendant still the same process (pid and start time), sweep by an environment marker on Linux; settle on `exit` plus a short wait, never on `close` alone; destroy the streams.' },
  { id: 'A20', since: 4, sentence: 'After `dispose()` resolved nothing of the run is left: no process, also none that left the group or double-forked, no open fd, no timer, no listener, no temp file.' },
  { id: 'A21', since: 4, sentence: 'Environment: an allow-list (PATH, HOME, LANG, TERM, TMPDIR, proxy and certificate settings, and the like), then the explicit `env` on top.' },
  { id: 'A22', since: 4, sentence: 'stderr is always drained into a ring of 64 KiB; optional tap.' },
  { id: 'A23', since: 4, sentence: '`stdin` has an error listener before the first write; EPIPE and a peer that stops reading end in one failure path with a write timeout.' },
  { id: 'A24', since: 4, sentence: "Warm pool, off by default: `pool: { size }` keeps initialised processes ready for the same settings and cwd, one run each; a run's start then costs < 10 ms; disposed processes are never reused unless `reuseSessions` says so." },
  { id: 'A25', since: 4, sentence: 'The misbehaviour catalogue (notes/acp.md, 35 rows) is a fixture program with a mode each; a committed table states for each mode outcome, failure code, kept text and the gist of the diagnostic, and a test holds the run against the table and checks that nothing is left.' },
  { id: 'A26', since: 4, sentence: 'What cannot be tried on this kind of machine (macOS, Windows teardown) says so in the docs and is kept to one small file each.' },

  // The model-facing tool
  { id: 'T1', since: 1, sentence: "`subagentTool({ service, provider, toolName = 'subagent', … })` is bound to one provider by configuration; the model sees `description` and `prompt` (both required strings) and, when enabled, `run_in_background`." },
  { id: 'T2', since: 3, sentence: 'It mirrors the registry: mounted while its provider exists, gone when removed, back with fresh wording on return; ignores other names; a tool disposed while waiting never mounts later.' },
  { id: 'T3', since: 1, sentence: 'Wording follows `inheritsParentContext`: a fresh child needs a self-contained prompt; an inheriting one sees the completed turns, not the current one.' },
  { id: 'T4', since: 1, sentence: 'The parent is the agent whose turn makes the call; in a loop that is not ours it is the `parent` given in the options (S26); neither: an error result, no start.' },
  { id: 'T5', since: 1, sentence: "The call's signal goes into the request; an already aborted one is honoured." },
  { id: 'T6', since: 1, sentence: 'The run is disposed on every path, awaited; a dispose failure never masks the outcome.' },
  { id: 'T7', since: 1, sentence: '`completed` → the text blocks joined; anything else → an error result: one fixed sentence for the stop reason, then the diagnostic, then the partial text.' },
  { id: 'T8', since: 1, sentence: 'A start that throws and a result that rejects become an error result with that message.' },
  { id: 'T9', since: 3, sentence: 'Two tools with one name: refused when the second is made, naming both; the provider is never rolled back.' },
  { id: 'T10', since: 1, sentence: "Calls are safe in parallel; results come back in the model's order." },
  { id: 'T11', since: 3, sentence: 'Background: `run_in_background: true` answers at once with a run id; `subagent_result` (wait or poll), `subagent_send`, `subagent_cancel` and `subagent_list` address it; each background run notifies its parent exactly once when it ends, also when the parent is mid-turn (queued, never lost), and a run belongs to the parent that started it: others get `UNAUTHORIZED`.' },
  { id: 'T12', since: 3, sentence: 'Output larger than `maxOutputBytes` (default 64 KiB) is given to the parent as head and tail with a mark that says how much was cut; the full text stays on the run.' },
  { id: 'T13', since: 1, sentence: '`maxDepth` defaults to 3 for a provider with `depthLimit` and to none for one without (its own child manages its depth); one asked for explicitly on the latter is refused when the tool is made.' },
  { id: 'T14', since: 3, sentence: "`subagentTool({ service, agents: [{ name, provider, description, persona?, toolFilter?, model? }, …] })` exposes one tool with an `agent` choice and its descriptions, as people know it from Claude Code's Task tool; T1's form is the case without a list." },
  { id: 'T15', since: 3, sentence: "Progress of a foreground child reaches the caller's UI: as an AI SDK tool it yields preliminary results (text so far, state, tool calls, children), so `useChat` shows a live child." },

  // The hooks bridge
  { id: 'H1', since: 5, sentence: "Config: `{hooks:{SubagentStart:[{matcher?, hooks:[{type:'command', command, timeout?}]}], SubagentStop:[…]}}` or the bare event map, from an object or a file; a missing `type` is `command`; other types are skipped with a warning; malformed entries are dropped with a warning; an unreadable or non-JSON file is a warning and no hooks." },
  { id: 'H2', since: 5, sentence: "stdin is one JSON line: `session_id`, `cwd`, `hook_event_name`, `agent_id` (the run's id), `agent_type`, `transcript_path`, and for SubagentStop `stop_hook_active: false`, `last_assistant_message`, `agent_transcript_path`, `stop_reason`." },
  { id: 'H3', since: 5, sentence: "Matcher: absent, `''` or `*` match all; word characters, `-` and `|` only: exact alternatives; anything else an unanchored regular expression; an invalid one never matches and warns once." },
  { id: 'H4', since: 5, sentence: "Commands of one event run serially in config order, in the child's cwd, default timeout 600 s, killed as a process tree at the timeout." },
  { id: 'H5', since: 5, sentence: 'Exit 0 with stdout starting with `{` is parsed leniently; exit 2 is a block with stderr as reason; other exits are non-blocking errors, logged.' },
  { id: 'H6', since: 5, sentence: 'SubagentStart: `additionalContext` is injected into the live child (source `hooks`), best effort.' },
  { id: 'H7', since: 5, sentence: 'Nothing waits for a hook; disposing the bridge aborts and drains what is running; no hook process outlives it.' },

  // Graph, paths, conformance kit
  { id: 'K1', since: 2, sentence: '`runPaths(options?)` gives the paths through the real run machine from @xstate/graph (shortest or simple, filter by event or end state), each with its description; importing it needs no test runner.' },
  { id: 'K2', since: 2, sentence: "`describeProvider(name, makeProvider, { skip?: {requirementId: reason} })` (vitest; the same cases as plain data for other runners) runs every generated path against a real provider: the kit causes every edge only through the public face (start, cancel, dispose, the signal, the injected clock, the provider's child), never by sending the machine an event, and checks state, events, result and what is left behind after each; for a refused path it checks the throw, no event, no live run." },
  { id: 'K3', since: 2, sentence: 'The kit catches broken providers: the repo holds at least 12 deliberately broken ones (forgets dispose, resolves twice, ignores the signal, leaks a process, emits after settling, rejects late, throws in cancel …), and a test shows that each fails in the named case.' },
  { id: 'K4', since: 1, sentence: '`scriptedModel(steps)` and `scriptedProvider(steps)`: deterministic doubles that reply, stream, call tools, delay, error, refuse, truncate, hang; they record their calls and throw when the script runs out.' },
  { id: 'K5', since: 2, sentence: 'Property tests (fast-check commands) drive service and registry with random interleavings of start, cancel, dispose, settle, reject, unregister, close, listeners that throw, re-entrant starts, and check R4–R12, S4, S5, S7, S15–S18, S21, S22 after every step, with a seed printed on failure.' },
  { id: 'K6', since: 1, whole: 2, sentence: '`test/requirements.ts` lists every id of this folder with its sentence; tests cite ids; a gate fails on an uncited id and on a citation of an unknown one.' },
  { id: 'K7', since: 2, sentence: "`subagents graph run|registry|agent|acp --format mermaid|json|dot` prints the machines from their configs; the README's picture is generated by it and a test keeps it fresh." },

  // Seeing runs
  { id: 'I1', since: 1, sentence: '`inspect` on the service takes any XState inspection observer; with `@statelyai/inspect` it shows registry → runs → child agents as actors with their charts; one that throws can never wedge a run or crash the process.' },
  { id: 'I2', since: 5, sentence: '`statelyInspector({ … })` wires `@statelyai/inspect` (browser and WebSocket) with safe defaults: loopback only, no browser opened unless asked, snapshots sanitised (no prompt text, no environment, no tool input unless `content: true`), never more than one message an event, dropped and counted under back-pressure.' },
  { id: 'I3', since: 5, sentence: "`subagents inspect` (and `--inspect` on `subagents run`) serves a local page on loopback that needs no internet: the run chart with the live state lit, the tree of runs, a timeline (lanes, cancel and settle marks), the event sequence between actors, a run's updates and result; it follows live runs, replays a recorded file, survives reload, and holds 10 000 runs without freezing." },
  { id: 'I4', since: 5, sentence: '`--record FILE` writes a run journal as JSON Lines (the inspection stream and updates, sanitised as I2); `subagents replay FILE` shows it in the page or as text.' },
  { id: 'I5', since: 5, sentence: 'The page is tested in a real browser: opened, a live run followed to its end, a cancelled and a failed one told apart, keyboard use, dark and light.' },
  { id: 'I6', since: 5, sentence: 'OpenTelemetry: with `@opentelemetry/api` installed a run is a span `invoke_agent` with GenAI attributes, child runs nested under it, also across ACP children by `_meta` traceparent where the agent passes it on.' },

  // The command
  { id: 'C1', since: 1, sentence: "`npm start` (= `subagents demo`, which takes `run`'s options) runs without a key on the built-in scripted model, on `examples/sample-project`, or on `--cwd DIR`: a parent agent lists the folder, delegates parts of it to three children in parallel, they read and search real files, it joins what they found (where the TODOs are)." },
  { id: 'C2', since: 1, sentence: 'The scripted model is an AI SDK language model in the same loop as a real one: it touches no file, and every figure in its answer comes from tool results in its prompt (a test changes one tool result and sees the answer change).' },
  { id: 'C3', since: 1, whole: 2, sentence: '`subagents run "TASK"` runs it with a real model; without one it exits 2 and lists what it found and the exact command for each.' },
  { id: 'C4', since: 1, sentence: "The parent's tools are read-only workspace tools confined to `--cwd`: list, read, search; ignore files honoured; symlinks that lead out refused; binary, huge and unreadable files told apart; results bounded." },
  { id: 'C5', since: 1, whole: 2, sentence: 'On a terminal: a live tree of runs, then the answer; else plain lines; `--json`: one object a line for every lifecycle event and update, nothing else on stdout.' },
  { id: 'C6', since: 1, sentence: 'Exit codes: 0 completed, 1 any other outcome, 2 bad usage, 130 interrupted; Ctrl-C cancels all runs, leaves nothing running; a second one quits at once.' },
  { id: 'C7', since: 1, sentence: 'Unknown commands and flags get a suggestion; `--help` shows an example for each command; `--version`; messages go to stderr; NO_COLOR and width are honoured.' },
  { id: 'C8', since: 1, sentence: "A fresh clone needs `npm ci` and nothing else: whoever builds, it is not the reader's task." },
]

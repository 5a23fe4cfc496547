/**
 * For every requirement of the run (R) and of the service (S) one small mistake in the source that a test which cites the
 * requirement has to find (K6). `npm run test:mutants` makes them one by one, in a copy.
 */
export interface Mutant {
  readonly id: string
  /** Under `src/`. */
  readonly file: string
  /** In the file exactly once. */
  readonly find: string
  readonly replace: string
}

export const mutants: readonly Mutant[] = [
  // An error of an actor below the run would stop the run.
  { id: 'R1', file: 'machines/run.ts', find: "  on: { 'xstate.error.actor.*': {} },\n", replace: '' },
  // Effects before the step is committed.
  { id: 'R2', file: 'run/logic.ts', find: 'scope.defer(() => perform(batch, record, scope))', replace: 'perform(batch, record, scope)' },
  {
    id: 'R3',
    file: 'registry/restore.ts',
    find: "{ type: 'settle', stopReason: 'error', failure: lost }",
    replace: "{ type: 'settle', stopReason: 'completed' }",
  },
  // The second cause is not counted.
  { id: 'R4', file: 'run/record.ts', find: 'if (isCause(event)) this.late++', replace: 'void isCause(event)' },
  { id: 'R5', file: 'run/release.ts', find: '  host.records.delete(runId)\n', replace: '' },
  // A run that could not be started is announced.
  {
    id: 'R6',
    file: 'run/start.ts',
    find: "    record.send({ type: 'start-failed' })\n    return false",
    replace: "    record.send({ type: 'start-failed' })\n    return true",
  },
  {
    id: 'R7',
    file: 'run/settle.ts',
    find: "output: outcome.keep === 'nothing' ? [] : outputOf(record, answer)",
    replace: 'output: outputOf(record, answer)',
  },
  {
    id: 'R8',
    file: 'run/effects.ts',
    find: "record.arm(timer, ms, () => record.send({ type: 'give-up' }))",
    replace: "record.arm(timer, 2 * ms, () => record.send({ type: 'give-up' }))",
  },
  // The clock does not stand still while a question is open.
  { id: 'R9', file: 'machines/run.ts', find: "          entry: { type: 'pauseTimer', params: { timer: 'deadline' } },\n", replace: '' },
  { id: 'R10', file: 'run/record.ts', find: 'if (!this.#disposal) {', replace: 'if (this.isLive || !this.#disposal) {' },
  { id: 'R11', file: 'run/release.ts', find: "record.arm('release', graceMs,", replace: "record.arm('release', 2 * graceMs," },
  // A rejection that nobody awaits ends the process.
  { id: 'R12', file: 'run/deferred.ts', find: '  promise.catch(() => {})\n', replace: '' },
  { id: 'R13', file: 'run/settle.ts', find: 'retryable: retryable === true', replace: 'retryable: false' },
  // Cut in the middle of a code point.
  { id: 'R14', file: 'run/text.ts', find: '  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--\n', replace: '' },
  // The listener stays when the last run has gone.
  { id: 'R15', file: 'run/abort-link.ts', find: '|| link.targets.size > 0) return', replace: '|| link.targets.size >= 0) return' },
  // Updates before subagent/start.
  { id: 'R16', file: 'run/updates.ts', find: '    if (this.#open) this.#flush()\n', replace: '    this.#flush()\n' },
  // A settled run keeps its slot until it is disposed.
  { id: 'R17', file: 'run/announce.ts', find: '  host.slots.release(record)\n', replace: '' },
  {
    id: 'R18',
    file: 'run/start.ts',
    find: 'if (!record.provider.signalsReady || record.signalledReady) return',
    replace: 'if (record.signalledReady) return',
  },

  { id: 'S1', file: 'registry/providers.ts', find: 'if (this.#byName.has(name))\n', replace: 'if (this.#byName.size > 1_000_000)\n' },
  // Stored after the event.
  {
    id: 'S2',
    file: 'registry/providers.ts',
    find: '    this.#byName.set(name, registration)\n',
    replace: '    queueMicrotask(() => this.#byName.set(name, registration))\n',
  },
  // A removal is told of though nobody had heard of the provider.
  { id: 'S3', file: 'registry/providers.ts', find: 'if (heard > 0) this.#relay.dispatch(', replace: 'this.#relay.dispatch(' },
  // A stale disposer removes a later registration.
  {
    id: 'S4',
    file: 'registry/providers.ts',
    find: '      if (this.#byName.get(name) === registration) this.remove(name)',
    replace: '      this.remove(name)',
  },
  {
    id: 'S5',
    file: 'registry/providers.ts',
    find: 'return [...this.#byName.keys()]',
    replace: 'return [...this.#byName.keys()].reverse()',
  },
  // Parents are released without waiting for their children.
  { id: 'S6', file: 'registry/close.ts', find: '  await Promise.race([bound, children])\n', replace: '' },
  // Removing a provider takes its runs along.
  {
    id: 'S7',
    file: 'registry/engine.ts',
    find: "else if (effect === 'unregister') this.providers.remove(detail.name)",
    replace:
      "else if (effect === 'unregister') { this.providers.remove(detail.name); for (const record of this.records.values()) if (record.providerName === detail.name) record.stop() }",
  },
  // A refused start stays a run that is validating.
  {
    id: 'S8',
    file: 'registry/run-actors.ts',
    find: "    refused.send({ type: 'reject', ...(SubagentError.is(error) && { code: error.code }) })\n",
    replace: '',
  },
  { id: 'S9', file: 'registry/door.ts', find: "`Registered: ${names.join(', ')}`", replace: '`Registered: ${names[0]}`' },
  {
    id: 'S10',
    file: 'registry/door.ts',
    find: "  ['outputSchema', 'outputSchema'],\n  ['depthLimit', 'maxDepth'],",
    replace: "  ['depthLimit', 'maxDepth'],\n  ['outputSchema', 'outputSchema'],",
  },
  { id: 'S11', file: 'run/request.ts', find: 'maxDepth < 0 || Object.is(maxDepth, -0)', replace: 'maxDepth < 0' },
  {
    id: 'S12',
    file: 'registry/engine.ts',
    find: 'const event: RunEvent = signal?.aborted\n',
    replace: 'const event: RunEvent = signal && false\n',
  },
  // The provider's error is wrapped.
  {
    id: 'S13',
    file: 'registry/engine.ts',
    find: 'throw record.startError.error',
    replace: "throw new Error('start failed', { cause: record.startError.error })",
  },
  { id: 'S14', file: 'run/announce.ts', find: '    ...(parentRunId !== undefined && { parentRunId }),\n', replace: '' },
  {
    id: 'S15',
    file: 'run/announce.ts',
    find: '  host.relay.dispatch(event)\n',
    replace: '  setTimeout(() => host.relay.dispatch(event), 0)\n',
  },
  { id: 'S16', file: 'run/announce.ts', find: 'return deepFreeze(copy(output))', replace: 'return copy(output)' },
  // The rejection of a listener reaches the process.
  {
    id: 'S17',
    file: 'run/contain.ts',
    find: 'Promise.resolve(returned).catch((thrown: unknown) => warn(logger, `${what} rejected: ${describeThrown(thrown)}`))',
    replace: 'void warn(logger, `${what} rejected`)',
  },
  // A dispatch sees listeners that were added while it runs.
  {
    id: 'S18',
    file: 'run/relay.ts',
    find: '    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), entry])\n',
    replace:
      '    const known = this.#listeners.get(type) as Listener[] | undefined\n    if (known) known.push(entry)\n    else this.#listeners.set(type, [entry])\n',
  },
  {
    id: 'S19',
    file: 'run/relay.ts',
    find: "    const typed = this.#listeners.get(event.type)\n    const any = this.#listeners.get('*')\n",
    replace: "    const typed = this.#listeners.get('*')\n    const any = this.#listeners.get(event.type)\n",
  },
  {
    id: 'S20',
    file: 'errors.ts',
    find: "if (typeof value !== 'object' || value === null || !(brand in value)) return false",
    replace: 'if (!(value instanceof SubagentError)) return false',
  },
  { id: 'S21', file: 'run/slots.ts', find: '    if (record.parentRunId !== undefined) return true\n', replace: '' },
  { id: 'S22', file: 'run/effects.ts', find: '    stopChildRuns(record, reason)\n', replace: '' },
  { id: 'S23', file: 'registry/reply.ts', find: "reply({ type: 'run.settled', ...asked,", replace: "reply({ type: 'run.settled'," },
  // Leaving the state leaves the run alive.
  { id: 'S24', file: 'embed.ts', find: '      release(scope)\n', replace: '' },
  { id: 'S25', file: 'run/logic.ts', find: "      if (name === 'forget') stopChildActors(record, scope)\n", replace: '' },
  { id: 'S26', file: 'parent.ts', find: 'depth: delegationDepth = 0 }', replace: 'depth: delegationDepth = 1 }' },
  {
    id: 'S27',
    file: 'run/relay.ts',
    find: "(event.type) ?? []), ...(this.#listeners.get('*') ?? [])]) {",
    replace: "(event.type) ?? []), ...(this.#listeners.get('*') ?? []), this.#emit]) {",
  },
  { id: 'S28', file: 'service.ts', find: '        await run.dispose().catch(() => {})\n', replace: '' },
]

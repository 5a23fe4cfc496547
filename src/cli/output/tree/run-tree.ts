/**
 * What the live tree shows of the runs of a task (C5): the state as the run machine has it, from its snapshots; times,
 * tokens and what a child does, from the lifecycle events.
 */
import type { RunSnapshot } from '../../../index.ts'
import type { SubagentEndEvent, SubagentLifecycleEvent } from '../../../types.ts'
import { textOf } from '../answer.ts'
import { activity, type Activity } from './activity.ts'
import { runStateOf, type RunState } from './run-state.ts'

/** One run as it is shown. */
export interface RunView {
  readonly runId: string
  readonly parentRunId: string | undefined
  readonly label: string
  readonly state: RunState
  /** When it was first seen, in milliseconds of the clock that the tree is given. */
  readonly since: number
  /** From the call of start to settlement; absent while it runs. */
  readonly durationMs: number | undefined
  /** Of this run alone; absent where nothing was told. */
  readonly tokens: number | undefined
  /** The last update, and after the end what came of it: one line. */
  readonly activity: () => string
}

export interface RunTree {
  snapshot(snapshot: RunSnapshot, now: number): void
  event(event: SubagentLifecycleEvent): void
  /** In the order in which they were started. */
  runs(): readonly RunView[]
}

interface Entry {
  readonly runId: string
  readonly parentRunId: string | undefined
  readonly label: string
  readonly since: number
  readonly activity: Activity
  state: RunState
  durationMs?: number
  tokens?: number | undefined
  end?: string
}

/** @param clean makes the text of a model, a file or a server fit for one line of a terminal */
export function createRunTree(clean: (text: string) => string): RunTree {
  const entries = new Map<string, Entry>()
  const ended = (entry: Entry, { durationMs, usage, failure, lastAssistantMessage }: SubagentEndEvent) => {
    entry.durationMs = durationMs
    entry.tokens = usage?.totalTokens ?? entry.tokens
    // The answer of the uppermost is shown whole.
    const said = entry.parentRunId === undefined ? '' : textOf(lastAssistantMessage ?? [])
    entry.end = clean(failure?.message ?? said.split('\n', 1)[0] ?? '')
  }
  return {
    snapshot(snapshot, now) {
      const state = runStateOf(snapshot)
      if (!state) return
      const { runId, parentRunId, label, provider } = snapshot.context
      const entry = entries.get(runId)
      if (entry) entry.state = state
      // A start that was refused is told to whoever asked for it.
      else if (!state.ended || snapshot.context.outcome)
        entries.set(runId, { runId, parentRunId, label: clean(label ?? provider), since: now, activity: activity(clean), state })
    },
    event(event) {
      const entry = 'runId' in event ? entries.get(event.runId) : undefined
      if (!entry) return
      if (event.type === 'subagent/end') ended(entry, event)
      if (event.type !== 'subagent/update') return
      if (event.update.type === 'usage') entry.tokens = event.update.usage.totalTokens
      entry.activity.add(event.update)
    },
    runs: () =>
      Array.from(entries.values(), (entry) => {
        const { runId, parentRunId, label, state, since, durationMs, tokens } = entry
        // Words are made only of those that are drawn.
        return { runId, parentRunId, label, state, since, durationMs, tokens, activity: () => entry.end ?? entry.activity.line() }
      }),
  }
}

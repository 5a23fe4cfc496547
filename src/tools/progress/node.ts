/** What is known of a run while it works: folded from its lifecycle events, in a bounded space (T15). */
import type { SubagentStopReason, SubagentUpdate, Usage } from '../../types.ts'
import { BoundedText } from './bounded-text.ts'

/** A tool call of a child, as far as it has come. */
export interface ToolCallProgress {
  /** The child's id of the call. */
  readonly toolCallId: string
  /** The tool that the child calls. */
  readonly name: string
  /** `running` until its result is reported. */
  readonly status: 'running' | 'ok' | 'error'
}

/** How far up a change is told, and how far down a snapshot looks. */
export const shownLevels = 3
const shownToolCalls = 100
const shownChildren = 100

export class RunNode {
  readonly runId: string
  readonly provider: string
  readonly label: string | undefined
  parent: RunNode | undefined
  /** How many calls look at it themselves. */
  holders = 0
  /** In the words of the run's chart, as far as its events tell. */
  state = 'validating.queued'
  stopReason: SubagentStopReason | undefined
  usage: Usage | undefined
  onChange: (() => void) | undefined
  readonly children = new Set<RunNode>()
  readonly toolCalls = new Map<string, ToolCallProgress>()
  readonly #text: BoundedText
  #messageId: string | undefined
  #hasText = false

  constructor(run: { readonly runId: string; readonly provider: string; readonly label?: string }, textLimitBytes: number) {
    this.runId = run.runId
    this.provider = run.provider
    this.label = run.label
    this.#text = new BoundedText(textLimitBytes)
  }

  get text(): string {
    return this.#text.toString()
  }

  started(isReady: boolean): void {
    this.state = isReady ? 'running.active' : 'starting'
    this.#changed()
  }

  ended(stopReason: SubagentStopReason, usage: Usage | undefined): void {
    this.state = 'settling.releasing'
    this.stopReason = stopReason
    if (usage) this.usage = usage
    this.#changed()
  }

  add(child: RunNode): void {
    child.parent = this
    this.children.add(child)
    // Those that are over make room first.
    if (this.children.size > shownChildren)
      for (const old of this.children)
        if (old.stopReason !== undefined) {
          this.children.delete(old)
          break
        }
    this.#changed()
  }

  take(update: SubagentUpdate): void {
    this.state = update.type === 'permission' ? 'running.awaitingPermission' : 'running.active'
    if (update.type === 'text') {
      // A message of its own begins on a line of its own.
      if (this.#hasText && update.messageId !== this.#messageId) this.#text.add('\n\n')
      this.#messageId = update.messageId
      this.#hasText = true
      this.#text.add(update.text)
    } else if (update.type === 'tool-call') this.#takeToolCall(update.toolCallId, update.name)
    else if (update.type === 'tool-result') {
      const call = this.toolCalls.get(update.toolCallId)
      if (call) this.toolCalls.set(update.toolCallId, { ...call, status: update.status })
    } else if (update.type === 'usage') this.usage = update.usage
    else if (update.type === 'thought' || update.type === 'raw') return
    this.#changed()
  }

  #takeToolCall(toolCallId: string, name: string): void {
    this.toolCalls.set(toolCallId, { toolCallId, name, status: 'running' })
    if (this.toolCalls.size > shownToolCalls) this.toolCalls.delete(this.toolCalls.keys().next().value!)
  }

  #changed(levels = shownLevels): void {
    this.onChange?.()
    if (levels > 0 && this.parent) this.parent.#changed(levels - 1)
  }
}

/**
 * Lifecycle events and updates as entries of a journal: what happened and how much of it, without the words, unless they are
 * asked for (I2).
 */
import type { PermissionRequest, SubagentEndEvent, SubagentFailure, SubagentLifecycleEvent, SubagentUpdate, Usage } from '../types.ts'
import type { Actors } from './actors.ts'
import type { Cleaner } from './clean.ts'
import type { EntryDraft, JournalFailure, JournalUpdate } from './entries.ts'

export interface LifecycleOptions {
  readonly actors: Actors
  readonly clean: Cleaner
  readonly content: boolean
}

/** A code or a reason that a provider made up is shown where it is one, and not where it is a sentence. */
const codeLike = /^[\w.-]{1,64}$/
/** A tool by its name; agents elsewhere may put a sentence there that has its input in it. */
const toolLike = /^[\w.:-]{1,64}$/
const planStates = ['pending', 'in_progress', 'completed']
const answerKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always']
const usageFields = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens'] as const

/** @returns undefined for what tells of a run that nobody knows */
export function lifecycleEntry(event: SubagentLifecycleEvent, options: LifecycleOptions): EntryDraft | undefined {
  const { actors, clean, content } = options
  if (event.type === 'subagent/provider-added') {
    const { outputSchema, depthLimit, toolFilter, persona } = event.provider.capabilities
    const capabilities = { outputSchema, depthLimit, toolFilter, ...(persona !== undefined && { persona }) }
    return { type: 'provider', provider: clean.name(event.name), added: true, capabilities }
  }
  if (event.type === 'subagent/provider-removed') return { type: 'provider', provider: clean.name(event.name), added: false }
  const run = actors.runById(event.runId)
  if (!run) return undefined
  const actor = run.key
  if (event.type === 'subagent/start') {
    const { id, runId, provider, label, parentRunId } = event
    const names = { runId: clean.name(runId), agent: clean.name(id), provider: clean.name(provider) }
    return { type: 'start', actor, ...names, ...actors.labelOf(label, parentRunId === undefined) }
  }
  if (event.type === 'subagent/update') return { type: 'update', actor, update: updateEntry(event.update, actor, clean, content) }
  clean.forget(actor)
  return { type: 'end', actor, ...endFields(event, clean, content) }
}

function endFields({ stopReason, durationMs, failure, usage, lastAssistantMessage }: SubagentEndEvent, clean: Cleaner, content: boolean) {
  return {
    stopReason: codeOf(stopReason, clean),
    durationMs,
    ...(failure && { failure: failureEntry(failure, clean, content) }),
    ...usageEntry(usage),
    ...(content && lastAssistantMessage && { output: clean.json(lastAssistantMessage) as never }),
  }
}

function failureEntry({ code, phase, retryable, message }: SubagentFailure, clean: Cleaner, content: boolean): JournalFailure {
  return { code: codeOf(code, clean), phase, retryable, ...(content && { message: clean.text(message) }) }
}

function codeOf(code: string, clean: Cleaner): string {
  return codeLike.test(code) ? clean.name(code) : 'other'
}

function toolOf(name: string, clean: Cleaner, content: boolean): string {
  return content || toolLike.test(name) ? clean.name(name) : 'tool'
}

function updateEntry(update: SubagentUpdate, actor: string, clean: Cleaner, content: boolean): JournalUpdate {
  const { seq, at } = update
  const type = codeOf(update.type, clean) as SubagentUpdate['type']
  return { type, seq, at, ...detailOf(update, actor, clean, content) }
}

function detailOf(update: SubagentUpdate, actor: string, clean: Cleaner, content: boolean): Partial<JournalUpdate> {
  switch (update.type) {
    case 'text':
    case 'thought':
      return { length: update.text.length, ...(content && { text: clean.piece(`${actor} ${update.type}`, update.text) }) }
    case 'tool-call':
      return {
        toolCallId: clean.name(update.toolCallId),
        name: toolOf(update.name, clean, content),
        ...(content && update.input !== undefined && { input: clean.json(update.input) }),
      }
    case 'tool-result':
      return { toolCallId: clean.name(update.toolCallId), status: update.status === 'ok' ? 'ok' : 'error' }
    case 'usage':
      return usageEntry(update.usage)
    case 'plan':
      return {
        plan: update.entries.map((entry) => ({
          status: planStates.includes(entry.status) ? entry.status : 'other',
          ...(content && { content: clean.text(entry.content) }),
        })),
      }
    case 'permission':
      return { permission: permissionEntry(update.request, clean, content) }
    case 'raw':
      return content ? { raw: clean.json(update.raw) } : {}
    default:
      return {}
  }
}

function permissionEntry({ id, title, toolName, options }: PermissionRequest, clean: Cleaner, content: boolean) {
  return {
    id: clean.name(id),
    ...(toolName !== undefined && { toolName: toolOf(toolName, clean, content) }),
    ...(content && { title: clean.text(title) }),
    options: options.map((option) => ({
      id: clean.name(option.id),
      kind: answerKinds.includes(option.kind) ? option.kind : 'other',
      ...(content && { name: clean.text(option.name) }),
    })),
  }
}

function usageEntry(usage: Usage | undefined): { usage?: Usage } {
  if (!usage) return {}
  const counts = usageFields.flatMap((field) => (Number.isFinite(usage[field]) ? [[field, usage[field]] as const] : []))
  return { usage: Object.fromEntries(counts) }
}

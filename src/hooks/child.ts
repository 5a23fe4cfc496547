/** What hooks are told of a child, known from its start on: at its end it may be gone (H2). */
import { resolve } from 'node:path'
import { contain } from '../run/contain.ts'
import type { ContentBlock, Logger, SubagentEndEvent, SubagentStartEvent } from '../types.ts'
import type { HookEvent } from './config.ts'
import type { HooksBridgeOptions } from './options.ts'

export interface HookedChild {
  readonly runId: string
  readonly provider: string
  /** The agent's own id. */
  readonly id: string
  readonly agentType: string
  readonly sessionId: string
  /** Absolute. */
  readonly cwd: string
  /** Absolute. */
  readonly projectDir: string
  /** The session of whoever delegated. */
  readonly parentSessionId: string | undefined
  /** It is an agent that context can be injected into. */
  readonly isAgent: boolean
  hasEnded: boolean
}

export const defaultAgentType = 'general-purpose'

export type ChildSources = Pick<HooksBridgeOptions, 'service' | 'agents' | 'agentType' | 'projectDir'> & { readonly logger: Logger }

export function describeChild({ provider, id, runId }: SubagentStartEvent | SubagentEndEvent, sources: ChildSources): HookedChild {
  const { service, agents, logger } = sources
  const request = service.getRequest(runId)
  let agentType: unknown
  let header: { readonly id?: string; readonly cwd?: string } | undefined
  contain(logger, 'agentType of the hooks', () => void (agentType = sources.agentType?.(provider, request)))
  contain(logger, 'agents of the hooks', () => void (header = agents?.get(id)?.session.header))
  const cwd = resolve(header?.cwd ?? request?.parent.cwd ?? sources.projectDir ?? '.')
  return {
    runId,
    provider,
    id,
    agentType: typeof agentType === 'string' && agentType !== '' ? agentType : defaultAgentType,
    // Claude Code always names a session: hooks make file names of it.
    sessionId: header?.id ?? id,
    cwd,
    projectDir: sources.projectDir ?? cwd,
    parentSessionId: request?.parent.sessionId,
    isAgent: header !== undefined,
    hasEnded: false,
  }
}

/**
 * What a hook reads on stdin: one line of JSON. Paths of transcripts are strings as in Claude Code, `''` where none is kept.
 * @param end what SubagentStop tells on top
 */
export function hookInput(event: HookEvent, child: HookedChild, { agents, logger }: ChildSources, end?: SubagentEndEvent): string {
  // Looked for now and not at the event, which does not wait for a disk.
  const pathOf = (sessionId: string | undefined): string => {
    let path: unknown
    if (sessionId !== undefined) contain(logger, 'sessionPath of the hooks', () => void (path = agents?.sessionPath?.(sessionId)))
    return typeof path === 'string' ? path : ''
  }
  const input = {
    session_id: child.sessionId,
    transcript_path: pathOf(child.parentSessionId),
    cwd: child.cwd,
    hook_event_name: event,
    agent_id: child.runId,
    agent_type: child.agentType,
    ...(end && {
      stop_hook_active: false,
      last_assistant_message: textOf(end.lastAssistantMessage ?? []),
      agent_transcript_path: pathOf(child.sessionId),
      stop_reason: end.stopReason,
    }),
  }
  return `${JSON.stringify(input)}\n`
}

const textOf = (blocks: readonly ContentBlock[]): string => blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')

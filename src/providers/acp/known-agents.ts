/**
 * Settings of agents that people use (A1, A15): `acpProvider({ ...knownAgents.opencode })`, with whatever else on top.
 *
 * `verified` says with which version, and when, the settings were last driven by this provider.
 */
import type { ToolFilter } from '../../types.ts'
import type { AgentEnforces } from './options.ts'

/** How a program is started as an ACP agent. `verified` says with which version, and when, it was run against this provider. */
export interface KnownAgent {
  /** The provider's name, unless another is given beside it. */
  readonly name: string
  /** The program, as it is found in PATH. */
  readonly command: string
  /** With which it speaks ACP on stdin and stdout. */
  readonly args: readonly string[]
  /** Absent where the agent keeps to neither personas nor tool filters. */
  readonly enforces?: AgentEnforces
  /** Version of the agent, and the day (ISO 8601). */
  readonly verified: { readonly version: string; readonly date: string } | 'unverified'
}

/** The adapters of Claude Code take its own options in `_meta`. */
const claudeEnforces: AgentEnforces = {
  persona: (systemPrompt) => ({ systemPrompt }),
  toolFilter: ({ allow, deny }: ToolFilter) => ({
    claudeCode: { options: { ...(allow && { tools: allow }), ...(deny && { disallowedTools: deny }) } },
  }),
}

/**
 * Programs that speak ACP, to be spread into the options: `acpProvider({ ...knownAgents.opencode })`. They have to be installed and
 * logged in by themselves.
 */
export const knownAgents = {
  claude: {
    name: 'claude',
    command: 'claude-agent-acp',
    args: [],
    enforces: claudeEnforces,
    verified: { version: '0.23.1', date: '2026-11-30' },
  },
  cline: { name: 'cline', command: 'cline', args: ['--acp'], verified: 'unverified' },
  codex: { name: 'codex', command: 'codex-acp', args: [], verified: 'unverified' },
  copilot: { name: 'copilot', command: 'copilot', args: ['--acp'], verified: 'unverified' },
  gemini: { name: 'gemini', command: 'gemini', args: ['--acp'], verified: 'unverified' },
  goose: { name: 'goose', command: 'goose', args: ['acp'], verified: 'unverified' },
  kimi: { name: 'kimi', command: 'kimi', args: ['acp'], verified: 'unverified' },
  opencode: { name: 'opencode', command: 'opencode', args: ['acp'], verified: { version: '1.18.33', date: '2026-11-30' } },
  qwen: { name: 'qwen', command: 'qwen', args: ['--acp'], verified: 'unverified' },
} as const satisfies { readonly [name: string]: KnownAgent }

/** The name of one of `knownAgents`. */
export type KnownAgentName = keyof typeof knownAgents

/** An agent that is a program and speaks ACP: it has its own model, tools and login. Contract: C3, A1, A13. */
import { statSync } from 'node:fs'
import type { SubagentFailure, SubagentLifecycleEvent } from '../../index.ts'
import { acpProvider } from '../../providers/acp/index.ts'
import type { CliIo } from '../io.ts'
import { safeLine } from '../output/safe-text.ts'
import type { AgentTask } from '../task-options.ts'
import { UsageError } from '../usage-error.ts'
import type { Worker } from '../worker.ts'
import type { PermissionChoice } from './permission-choice.ts'
import { readVariables } from './variables.ts'
import { permissionWaitMs, terminalDesk } from './permission-desk.ts'
import type { TerminalDesk } from './permission-desk.ts'
import { twoDesks } from './two-desks.ts'

/** How long a process may take to go, in milliseconds: shorter than the provider would, since a person waits. */
const exitGraces = { eofGraceMs: 500, termGraceMs: 500 }

const policies: Readonly<Record<PermissionChoice, string>> = {
  ask: 'what it asks to be allowed is asked here',
  allow: 'what it asks to be allowed is allowed',
  reject: 'what it asks to be allowed is rejected',
}

/** @throws UsageError */
export function agentWorker({ agent, folder, model, permission, env: names }: AgentTask, environment: CliIo['env']): Worker {
  checkFolder(folder)
  const env = readVariables(names, environment)
  let desk: TerminalDesk | undefined
  return {
    label: agent.name,
    note: `Agent: ${safeLine(agent.typed, 200)}, in ${safeLine(folder, 200)}. It has a model, tools and a login of its own; ${policies[permission]}.`,
    scripted: false,
    provider: agent.name,
    folder,
    warnings: [],
    request: model === undefined ? {} : { agentOptions: { model } },
    prepare(service, { io, output, clean, page }) {
      const terminal = terminalDesk(io, output, clean)
      const own = page ? twoDesks(terminal, page, io.after) : terminal
      desk = own
      service.registerProvider(
        acpProvider({
          ...agent.options,
          name: agent.name,
          ...exitGraces,
          env,
          permission: permission === 'ask' ? (question) => own.ask(question) : permission,
          // The desk is the one that gives up, in words.
          permissionTimeoutMs: permissionWaitMs + 10_000,
        }),
      )
      return undefined
    },
    hear: (event: SubagentLifecycleEvent) => {
      if (event.type === 'subagent/end') desk?.ended(event.runId)
    },
    hintFor: (failure) => hintFor(failure, agent.name),
  }
}

function hintFor({ code }: SubagentFailure, name: string): string | undefined {
  const doctor = name === 'acp' ? 'subagents doctor --command "…"' : `subagents doctor ${name}`
  switch (code) {
    case 'SPAWN_FAILED':
    case 'HANDSHAKE_FAILED':
      return `See what is there: ${doctor}`
    case 'AUTH_REQUIRED':
      return 'Start the agent by itself once and log in there, then run the command again. A variable with a key is passed on to it only by its name: --env NAME.'
    default:
      return undefined
  }
}

function checkFolder(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw new UsageError(`--cwd: ${folder} does not exist. Give a folder that does.`)
  if (!stats.isDirectory()) throw new UsageError(`--cwd: ${folder} is not a folder.`)
}

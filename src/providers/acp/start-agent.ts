/** How a process of an agent is started: what is the same for all of a provider, and what each has of its own. */
import { basename } from 'node:path'
import type { AnyActorRef } from 'xstate'
import { launchProcess } from '../../processes/launch.ts'
import type { LaunchedProcess, LaunchOptions } from '../../processes/launched-process.ts'
import { describeThrown } from '../../run/contain.ts'
import type { Clock, Logger } from '../../types.ts'
import { createRedactor } from '../../agents/environment-secrets.ts'
import { commandLine } from './command-line.ts'
import { AcpFailure } from './failure.ts'
import type { AcpProviderOptions } from './options.ts'
import { AcpProcess } from './process.ts'
import type { ProcessOwner } from './process.ts'

/** Where a process lives, from its start to its end. */
export interface AgentPlace {
  readonly cwd: string
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv
  readonly clock: Clock
  readonly logger: Logger
}

export type Launch = (options: LaunchOptions) => LaunchedProcess

/**
 * @param runId undefined for one that no run has yet
 * @param parent of its actor
 * @throws AcpFailure SPAWN_FAILED
 */
export function startAgent(
  options: AcpProviderOptions,
  { cwd, env, clock, logger }: AgentPlace,
  owner: ProcessOwner,
  runId: string | undefined,
  parent: AnyActorRef,
  launch: Launch = launchProcess,
): AcpProcess {
  const { command: program, args = [], eofGraceMs, termGraceMs, handshakeTimeoutMs = 60_000, onStderr } = options
  const command = commandLine(program, args)
  const safe = createRedactor(env, options.env)
  let agent: AcpProcess | undefined
  let launched: LaunchedProcess
  try {
    launched = launch({
      command: program,
      args,
      cwd,
      env,
      clock,
      logger,
      ...(eofGraceMs !== undefined && { eofGraceMs }),
      ...(termGraceMs !== undefined && { termGraceMs }),
      ...(onStderr && {
        onStderr: (chunk) => {
          if (agent?.runId !== undefined) onStderr(chunk, agent.runId)
        },
      }),
    })
  } catch (thrown) {
    throw new AcpFailure('SPAWN_FAILED', safe(`The agent ${command} could not be started: ${describeThrown(thrown)}`))
  }
  agent = new AcpProcess({ launched, command, program: basename(program), handshakeTimeoutMs, clock, logger, safe }, owner, runId, parent)
  return agent
}

/**
 * What can be said of an agent without giving it work: it is started, greeted, asked for a session, and taken down (A7, A8).
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createEmptyActor } from 'xstate'
import { childEnvironment } from '../../processes/environment.ts'
import { launchProcess } from '../../processes/launch.ts'
import { describeThrown } from '../../run/contain.ts'
import { deferred } from '../../run/deferred.ts'
import type { Clock, Logger } from '../../types.ts'
import { createRedactor } from '../../agents/environment-secrets.ts'
import { commandLine } from './command-line.ts'
import { AcpFailure, toDiagnostic } from './failure.ts'
import { initialize, openSession } from './handshake.ts'
import { AcpProcess } from './process.ts'
import type { ProcessOwner } from './process.ts'
import type { AgentFacts } from './protocol.ts'
import { startStageTimer } from './stage-timer.ts'

export interface ProbeOptions {
  readonly command: string
  readonly args: readonly string[]
  /** For both stages together, in milliseconds. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly logger: Logger
  /** Aborting it ends the probe. */
  readonly signal: AbortSignal
}

export interface Probe {
  /** What it said of itself, where it answered `initialize` with the one version that is spoken. */
  readonly facts?: AgentFacts
  /** A session could be opened; else the methods of a login may be in `facts`, and why not is in `failure`. */
  readonly opened: boolean
  readonly failure?: { readonly code: string; readonly message: string; readonly diagnostic: string }
}

const noOwner: ProcessOwner = {
  onUpdate: () => {},
  onNotification: () => {},
  onPermission: () => Promise.resolve({ outcome: 'cancelled' }),
  onClosing: () => {},
}

/** Resolves when nothing of the agent is left. It works in a folder of its own, which is removed. @throws what making that fails with */
export async function probeAgent(options: ProbeOptions): Promise<Probe> {
  const cwd = await mkdtemp(join(tmpdir(), 'subagents-doctor-'))
  try {
    return await probeIn(cwd, options)
  } finally {
    // What the agent writes while it goes is gone a moment later.
    await rm(cwd, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function probeIn(cwd: string, { command: program, args, timeoutMs, clock, logger, signal }: ProbeOptions): Promise<Probe> {
  const env = childEnvironment()
  const safe = createRedactor(env)
  const command = commandLine(program, args)
  const failed = (failure: AcpFailure): NonNullable<Probe['failure']> => ({
    code: failure.code,
    message: safe(failure.message),
    diagnostic: toDiagnostic(failure, safe),
  })
  let agent: AcpProcess
  try {
    const launched = launchProcess({ command: program, args, cwd, env, clock, logger, eofGraceMs: 500, termGraceMs: 1000 })
    const own = { launched, command, program: basename(program), handshakeTimeoutMs: timeoutMs, clock, logger, safe }
    agent = new AcpProcess(own, noOwner, 'probe', createEmptyActor())
  } catch (thrown) {
    return {
      opened: false,
      failure: failed(new AcpFailure('SPAWN_FAILED', `The agent ${command} could not be started: ${describeThrown(thrown)}`)),
    }
  }
  const over = deferred<never>()
  const timer = startStageTimer(clock, timeoutMs, () =>
    over.reject(
      new AcpFailure(
        'HANDSHAKE_FAILED',
        `The agent ${command} did not answer ${agent.facts ? 'session/new' : 'initialize'} within ${timeoutMs} ms.`,
      ),
    ),
  )
  const stop = (): void => over.reject(new AcpFailure('HANDSHAKE_FAILED', 'The probe was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const greet = async (): Promise<void> => {
    await initialize(agent)
    await openSession(agent, { cwd, mcpServers: [], meta: {}, settings: {} })
  }
  try {
    const greeting = greet()
    greeting.catch(() => {})
    await Promise.race([greeting, over.promise])
    return { ...(agent.facts && { facts: agent.facts }), opened: true }
  } catch (error) {
    if (!(error instanceof AcpFailure)) throw error
    error.details = [...error.details, ...agent.connection.facts(error.message)]
    return { ...(agent.facts && { facts: agent.facts }), opened: false, failure: failed(error) }
  } finally {
    timer.stop()
    signal.removeEventListener('abort', stop)
    await agent.close()
  }
}

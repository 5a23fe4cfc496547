/** Who does a task: agents of this process with a model, or an agent that is a program of its own. Contract: C3. */
import type { Agents } from '../agents/index.ts'
import type { PermissionDesk } from '../inspect/index.ts'
import type { SubagentFailure, SubagentLifecycleEvent, SubagentStartRequest, SubagentService } from '../index.ts'
import type { Logger } from '../types.ts'
import type { CliIo } from './io.ts'
import type { TaskOutput } from './output/task-output.ts'

export interface Worker {
  /** As results name it: `VENDOR/ID`, `scripted`, or the name of an agent. */
  readonly label: string
  /** What does the work, in words, for a person: the first line. */
  readonly note: string
  readonly scripted: boolean
  /** The provider that the task is given to. */
  readonly provider: string
  /** Absolute. */
  readonly folder: string
  /** What is to be said before the start. */
  readonly warnings: readonly string[]
  /** What the request has beside the task. */
  readonly request: Pick<SubagentStartRequest, 'agentOptions'>
  /** Names of the agents that children are chosen from; their runs are labelled with them. */
  readonly agentNames?: readonly string[]
  /** Registers the providers. @returns the agents of this process, where there are any */
  prepare(service: SubagentService, surroundings: Surroundings): Agents | undefined
  /** Hears all that happens. */
  hear?(event: SubagentLifecycleEvent): void
  /** What to do about a failure. */
  hintFor(failure: SubagentFailure): string | undefined
}

export interface Surroundings {
  readonly io: CliIo
  readonly output: TaskOutput
  readonly logger: Logger
  /** Where questions are answered beside the terminal. */
  readonly page?: PermissionDesk
  /** Takes keys out of a text. */
  readonly clean: (text: string) => string
  /** What the command waits for a cancelled run, and for its release. */
  readonly graces: { readonly cancelGraceMs: number; readonly releaseGraceMs: number }
}

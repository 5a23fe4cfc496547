/** Silence of an agent while it has a prompt (A12). */
import type { Clock } from '../../types.ts'
import type { AcpProcess } from './process.ts'
import { startStageTimer } from './stage-timer.ts'
import type { StageTimer } from './stage-timer.ts'

export interface IdleWatchOptions {
  readonly clock: Clock
  /** `undefined`: it may be silent for as long as it likes. */
  readonly idleTimeoutMs: number | undefined
  /** Whether somebody is asked for a permission: meanwhile it is not the agent who is slow. */
  isAsking(): boolean
  onSilent(agent: AcpProcess, idleTimeoutMs: number): void
}

export class IdleWatch {
  readonly #options: IdleWatchOptions
  #timer: StageTimer | undefined

  constructor(options: IdleWatchOptions) {
    this.#options = options
  }

  /** @returns what ends it */
  start(agent: AcpProcess): () => void {
    const { clock, idleTimeoutMs, isAsking, onSilent } = this.#options
    if (idleTimeoutMs === undefined) return () => {}
    const timer = startStageTimer(clock, idleTimeoutMs, () => onSilent(agent, idleTimeoutMs))
    this.#timer = timer
    const stopListening = agent.connection.onTraffic(() => {
      if (!isAsking()) timer.reset()
    })
    return () => {
      stopListening()
      timer.stop()
      this.#timer = undefined
    }
  }

  /** @param open how many questions for a permission there are */
  asked(open: number): void {
    if (open > 0) this.#timer?.pause()
    else this.#timer?.reset()
  }

  stop(): void {
    this.#timer?.stop()
  }
}

/**
 * Work spread over turns of the event loop, so that nobody else waits long for theirs (S6).
 */

/** What one timer that fell due sets off takes some ten microseconds; on a slow machine many more. */
const duesATurn = 128

/** Calls back in the next turn of the loop, after timers and input of others have had theirs. */
export function inNextTurn(callback: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(callback)
  else setTimeout(callback, 0)
}

/** Timers that fall due together: at once, until {@link spread} was called; from then on some of them a turn, in their order. */
export class Turns {
  #isSpread = false
  #inThisTurn = 0
  readonly #waiting: (() => void)[] = []

  spread(): void {
    this.#isSpread = true
  }

  run(due: () => void): void {
    if (!this.#isSpread) due()
    else if (this.#inThisTurn >= duesATurn) this.#waiting.push(due)
    else {
      if (this.#inThisTurn++ === 0) inNextTurn(() => this.#next())
      due()
    }
  }

  #next(): void {
    this.#inThisTurn = 0
    for (const due of this.#waiting.splice(0, duesATurn)) this.run(due)
  }
}

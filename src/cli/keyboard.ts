/** Lines that are typed at the terminal, read only while somebody waits for one: a program in the background is stopped where it reads. */
import { createInterface } from 'node:readline'

export interface Keyboard {
  /**
   * Drops what was typed before, calls `show`, and gives the first line after that which `take` takes; it may say what it misses.
   *
   * @returns `undefined` when the signal aborts, or when nothing more can be typed
   */
  readLine<T>(show: () => void, take: (line: string) => T | undefined, signal: AbortSignal): Promise<T | undefined>
}

/** @param stdin a terminal */
export function keyboardOf(stdin: NodeJS.ReadStream): Keyboard {
  return {
    async readLine(show, take, signal) {
      const reader = createInterface({ input: stdin, terminal: false })
      try {
        // What the terminal holds already comes a line each turn of the loop, at once.
        let dropped = true
        reader.on('line', () => (dropped = true))
        while (dropped) {
          dropped = false
          for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
        }
        reader.removeAllListeners('line')
        if (signal.aborted) return undefined
        show()
        return await new Promise((resolve) => {
          reader.on('line', (line) => {
            const taken = take(line)
            if (taken !== undefined) resolve(taken)
          })
          reader.once('close', () => resolve(undefined))
          signal.addEventListener('abort', () => resolve(undefined), { once: true })
        })
      } finally {
        reader.close()
        stdin.pause()
      }
    },
  }
}

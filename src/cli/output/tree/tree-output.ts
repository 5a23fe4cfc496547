/**
 * A live tree of runs on the terminal (C5): drawn in place on stderr while they run, and left standing as it was at the end.
 * The answer goes to stdout, as does the line that says that a script plays the model.
 */
import type { CliIo } from '../../io.ts'
import { interruptNotice, showOutcome } from '../answer.ts'
import { colorsFor } from '../colors.ts'
import { safeLine, safeText } from '../safe-text.ts'
import type { TaskOutput } from '../task-output.ts'
import { createRunTree } from './run-tree.ts'
import { createScreen } from './screen.ts'
import { treeLines } from './tree-lines.ts'

/** Least time between two drawings, and the pace at which the time goes on while nothing else does; in milliseconds. */
const framePauseMs = 100

/** True where a tree can be drawn: where progress goes, there is a terminal that obeys. */
export function showsTree({ stderr, env }: Pick<CliIo, 'stderr' | 'env'>): boolean {
  return stderr.isTTY && env['TERM'] !== 'dumb'
}

/** @param clean takes keys out of a text */
export function treeOutput(io: CliIo, clean: (text: string) => string): TaskOutput {
  const colors = colorsFor(io)
  const screen = createScreen(io.stderr)
  const tree = createRunTree((text) => clean(safeLine(text)))
  const print = (text: string) => io.stdout.write(`${clean(safeText(text))}\n`)
  const say = (text: string) => io.stderr.write(`${clean(safeText(text))}\n`)
  let ended = false
  let closed = false
  /** What came while a question was asked. */
  let held: string[] | undefined
  let drawnAt = -Infinity
  let cancelFrame: (() => void) | undefined

  const draw = () => {
    cancelFrame?.()
    cancelFrame = undefined
    if (closed || held) return
    drawnAt = io.now()
    const runs = tree.runs()
    screen.draw(treeLines(runs, drawnAt, screen.size(), colors))
    if (runs.some(({ state }) => !state.ended)) schedule()
  }
  const schedule = () => {
    cancelFrame ??= io.after(Math.max(0, drawnAt + framePauseMs - io.now()), draw)
  }
  const above = (text: string) => {
    if (held) return void held.push(text)
    // The answer stands below the tree by now.
    if (ended) return say(text)
    screen.above(`${clean(safeText(text))}\n`)
    draw()
  }
  return {
    model: (note, scripted) => (scripted ? print(`${note}\n`) : say(`${note}\n`)),
    snapshot(snapshot) {
      tree.snapshot(snapshot, io.now())
      schedule()
    },
    event(event) {
      tree.event(event)
      schedule()
    },
    warn: above,
    hold() {
      // The lines would be drawn over what is typed.
      screen.above('')
      held = []
      return {
        write: (text) => io.stderr.write(text),
        letGo() {
          const texts = held ?? []
          held = undefined
          for (const text of texts) above(text)
          draw()
        },
      }
    },
    interrupting: () => above(interruptNotice),
    end(outcome) {
      draw()
      ended = true
      cancelFrame?.()
      showOutcome(outcome, print, say)
    },
    close() {
      closed = true
      cancelFrame?.()
    },
  }
}

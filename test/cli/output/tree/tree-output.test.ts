import { describe, expect, it } from 'vitest'
import type { TaskOutcome } from '../../../../src/cli/output/task-output.ts'
import { showsTree, treeOutput } from '../../../../src/cli/output/tree/tree-output.ts'
import type { RunSnapshot } from '../../../../src/index.ts'
import { createSimulatedClock } from '../../../../src/testing/index.ts'
import { fakeIo } from '../../fake-io.ts'
import { createVirtualTerminal } from '../../terminal/virtual-terminal.ts'

const running = (runId: string) =>
  ({ value: { running: 'active' }, context: { runId, provider: 'spawn', label: runId } }) as unknown as RunSnapshot
const completed = (runId: string) =>
  ({ value: { settling: 'held' }, context: { runId, outcome: { stopReason: 'completed' } } }) as unknown as RunSnapshot
const answer: TaskOutcome = {
  result: { output: [{ type: 'text', text: 'The answer.' }], stopReason: 'completed' },
  usage: {},
  interrupted: false,
}

function shown() {
  const clock = createSimulatedClock(1000)
  const terminal = createVirtualTerminal(60, 20)
  const io = fakeIo([], { columns: 60, rows: 20, clock, env: { NO_COLOR: '1' }, onErr: (text) => terminal.print(text) })
  const drawnAt: number[] = []
  const { write } = io.stderr
  io.stderr.write = (text) => {
    drawnAt.push(clock.now())
    write(text)
  }
  return { clock, terminal, drawnAt, io, output: treeOutput(io, (text) => text.replaceAll('secret', '***')) }
}

describe('the live tree', () => {
  it('C5: is drawn at most every 100 ms, however much happens', () => {
    const { clock, drawnAt, output } = shown()
    for (let index = 0; index < 500; index++) {
      output.snapshot!(running(`run ${index}`))
      clock.advance(1)
    }
    expect(drawnAt).toEqual([1000, 1100, 1200, 1300, 1400, 1500])
  })

  it('C5: lets the time go on while nothing happens, and sets no timer once nothing runs or all is said', () => {
    const { clock, terminal, output } = shown()
    output.snapshot!(running('a'))
    clock.advance(1250)
    expect(terminal.lines()).toEqual(['a  running     1.2s'])
    output.snapshot!(completed('a'))
    clock.advance(100)
    expect(terminal.lines()).toEqual(['a  completed'])
    expect(clock.pending).toBe(0)
    output.snapshot!(running('b'))
    output.close()
    expect(clock.pending).toBe(0)
    output.snapshot!(running('c'))
    clock.advance(1000)
    expect(terminal.lines()).toEqual(['a  completed'])
  })

  it('C5: stands still at the end, in its last state, and the answer comes below it on stdout', () => {
    const { clock, terminal, io, output } = shown()
    output.model('Model: some/model.', false)
    output.snapshot!(running('a'))
    clock.advance(10)
    output.snapshot!(completed('a'))
    output.end(answer)
    output.close()
    expect(terminal.lines()).toEqual(['Model: some/model.', '', 'a  completed'])
    expect(io.out()).toBe('\nThe answer.\n')
    expect(terminal.cursorIsVisible()).toBe(true)
  })

  it('C5: has warnings and the notice of Ctrl-C above it, without keys and control characters', () => {
    const { clock, terminal, output } = shown()
    output.snapshot!(running('a secret \u001b[2Jrun'))
    clock.advance(0)
    output.warn('warning: the secret \u001b[31mthing')
    output.interrupting()
    expect(terminal.lines()).toEqual([
      'warning: the *** thing',
      'Interrupted: stopping all runs. Press Ctrl-C again to quit a',
      't once.',
      'a *** run  running     0.0s',
    ])
  })

  it('C5: is shown on a terminal that obeys, and nowhere else', () => {
    const on = (isTTY: boolean, TERM: string) => showsTree({ stderr: { isTTY, write: () => {} }, env: { TERM } })
    expect([on(true, 'xterm'), on(true, 'dumb'), on(false, 'xterm')]).toEqual([true, false, false])
  })
})

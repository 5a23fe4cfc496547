import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { honest, HonestChild } from '../honest.ts'
import type { Broken } from './broken.ts'

class LeaksAProcess extends HonestChild {
  readonly process: ChildProcess = spawn('sleep', ['60'], { stdio: 'ignore' })
  // Its parent is told, and that is all.
  protected override release(): Promise<void> {
    this.process.unref()
    return super.release()
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

export const leaksAProcess: Broken = {
  name: 'leaves the process of its child running',
  id: 'R10',
  sentence: 'dispose() after the end leaves nothing of the child',
  seen: /process \d+/,
  look: /resolves when nothing of the child is left/,
  make: honest({
    Child: LeaksAProcess,
    more: (children) => {
      const processes = (): ChildProcess[] => (children as readonly LeaksAProcess[]).map((child) => child.process)
      return {
        leftovers: () =>
          processes()
            .filter(isAlive)
            .map(({ pid }) => `process ${pid}`),
        cleanUp: () => processes().forEach((process) => void process.kill('SIGKILL')),
      }
    },
  }),
}

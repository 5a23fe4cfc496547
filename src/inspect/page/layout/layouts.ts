/**
 * Charts laid out by ELK, in a thread of its own: loading it and its work take a second, which runs must not wait for. Each chart
 * once; the thread is there from the first chart on and keeps no process alive.
 */
import { createRequire } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { ElkNode } from 'elkjs'
import type { Chart } from '../../entries.ts'
import type { ChartLayout } from '../protocol.ts'
import { graphOf, layoutOf } from './elk-graph.ts'

export interface Layouts {
  /** @returns the same promise for the same key; undefined where the chart cannot be laid out; never rejects */
  layoutOf(key: string, chart: Chart): Promise<ChartLayout | undefined>
  /** What is not done yet never will be. Idempotent. */
  close(): Promise<void>
}

/** As text, so that it runs the same from the source and from the build. */
const program = `
const { parentPort, workerData } = require('node:worker_threads')
const ELK = require(workerData)
const elk = new ELK()
parentPort.on('message', async ({ number, graph }) => {
  const placed = await elk.layout(graph).catch(() => undefined)
  parentPort.postMessage({ number, placed })
})
`

export function createLayouts(): Layouts {
  const made = new Map<string, Promise<ChartLayout | undefined>>()
  const waiting = new Map<number, (placed: ElkNode | undefined) => void>()
  let worker: Worker | undefined
  let closed = false

  const giveUp = (): void => {
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
    worker = undefined
  }
  const start = (): Worker => {
    const elk = createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js')
    const started = new Worker(program, { eval: true, workerData: elk, env: {} })
    started.unref()
    started.on('message', ({ number, placed }: { number: number; placed: ElkNode | undefined }) => {
      waiting.get(number)?.(placed)
      waiting.delete(number)
    })
    // Without its layout a chart is shown as a list of its states.
    started.on('error', giveUp)
    started.on('exit', giveUp)
    return started
  }
  const make = async (key: string, chart: Chart): Promise<ChartLayout | undefined> => {
    if (closed) return undefined
    try {
      worker ??= start()
      const number = made.size
      const placed = new Promise<ElkNode | undefined>((resolve) => waiting.set(number, resolve))
      worker.postMessage({ number, graph: graphOf(chart) }, [])
      const done = await placed
      return done && layoutOf(key, chart, done)
    } catch {
      return undefined
    }
  }
  return {
    layoutOf: (key, chart) => {
      const known = made.get(key)
      if (known) return known
      const making = make(key, chart)
      made.set(key, making)
      return making
    },
    close: async () => {
      closed = true
      const running = worker
      giveUp()
      await running?.terminate()
    },
  }
}

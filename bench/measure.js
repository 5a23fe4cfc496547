/**
 * CPU time of small pieces of work, side by side in one process. What they are set beside is run in turn with them, so that a
 * machine that speeds up or slows down does so for both; only ratios of medians are worth quoting.
 */
import { lineOf } from './shared/table.js'

/** True where figures are wanted at once and mean little: every count is cut down, no bound is judged. */
export const isQuick = process.argv.includes('--quick')

/** @returns `count`, or a few where figures are wanted at once */
export const many = (count, few = 20) => (isQuick ? Math.min(count, few) : count)

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

/** @returns CPU microseconds that `work` takes, all threads of the process counted */
export async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * @param subjects name → async (count) => …, which does its work `count` times
 * @returns name → median CPU microseconds of one
 */
export async function compare(subjects, { rounds = 401, count = 50, warmup = 3000 } = {}) {
  const samples = new Map(Object.keys(subjects).map((name) => [name, []]))
  const turns = Object.entries(subjects)
  const each = many(count, 5)
  for (const [, work] of turns) await work(many(warmup, 5))
  for (let round = 0; round < many(rounds, 3); round++) {
    // Short samples, in turns that change places: a collection of a large heap falls on few of them and on no one's side.
    turns.push(turns.shift())
    if (round % 3 === 0) turns.reverse()
    for (const [name, work] of turns) samples.get(name).push((await cpuOf(() => work(each))) / each)
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]))
}

/** Bytes of heap that one of `count` things made by `make` holds on to. Needs `--expose-gc`. */
export function bytesOf(make, count) {
  const kept = []
  for (let n = 0; n < many(1000); n++) kept.push(make())
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < count; n++) kept.push(make())
  globalThis.gc()
  const bytes = (process.memoryUsage().heapUsed - before) / count
  return { bytes, kept }
}

/**
 * Prints a figure, and the most that it may be where there is a bound; one that fails ends the process with exit code 1.
 *
 * @param figure.name what is measured
 * @param figure.value in `unit`
 * @param figure.unit '×' for a ratio
 * @param figure.bound the most it may be @default none: the figure is there to compare with
 * @param figure.reference what it is set beside @default nothing: the bound is absolute
 */
export function report({ name, value, unit = '×', bound, reference }) {
  const held = bound === undefined || isQuick ? undefined : value <= bound
  const figure = { name, value, unit, bound, reference, held }
  console.log(lineOf(figure))
  if (held === false) process.exitCode = 1
  process.send?.(figure)
}

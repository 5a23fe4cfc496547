/**
 * CPU time of small pieces of work, side by side in one process. What they are set beside is run in turn with them, so that a
 * machine that speeds up or slows down does so for both; only ratios of medians are worth quoting.
 */

/** CPU microseconds that one of `count` repetitions of `work` takes, all threads of the process counted. */
async function cpuOf(work, count) {
  const before = process.cpuUsage()
  await work(count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]

/**
 * @param subjects name → async (count) => …, which does its work `count` times
 * @returns name → median CPU microseconds of one
 */
export async function compare(subjects, { rounds = 401, count = 50, warmup = 3000 } = {}) {
  const samples = new Map(Object.keys(subjects).map((name) => [name, []]))
  const turns = Object.entries(subjects)
  for (const [, work] of turns) await work(warmup)
  for (let round = 0; round < rounds; round++) {
    // Short samples, in turns that change places: a collection of a large heap falls on few of them and on no one's side.
    turns.push(turns.shift())
    if (round % 3 === 0) turns.reverse()
    for (const [name, work] of turns) samples.get(name).push(await cpuOf(work, count))
  }
  return Object.fromEntries([...samples].map(([name, values]) => [name, median(values)]))
}

/** Bytes of heap that one of `count` things made by `make` holds on to. Needs `--expose-gc`. */
export function bytesOf(make, count) {
  const kept = []
  for (let n = 0; n < 1000; n++) kept.push(make())
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < count; n++) kept.push(make())
  globalThis.gc()
  const bytes = (process.memoryUsage().heapUsed - before) / count
  return { bytes, kept }
}

/** Prints a figure beside its bound and remembers whether it held. */
export function report(what, value, bound, unit = '') {
  const held = value <= bound
  const figure = value >= 100 ? Math.round(value) : value.toFixed(2)
  console.log(`${held ? 'holds' : 'FAILS'}  ${what}: ${figure}${unit} (at most ${bound}${unit})`)
  if (!held) process.exitCode = 1
}

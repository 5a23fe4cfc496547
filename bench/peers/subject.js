/**
 * One peer in a process of its own, which does what the process that started it asks: `node --expose-gc subject.js PEER MODE`.
 *
 * Peers disturb each other in one process: where one of them uses AsyncLocalStorage, every promise of the process gets dearer on
 * Node 20, whoever makes it.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

const [file, mode] = process.argv.slice(2)

/** CPU microseconds of all threads since `before`. */
const cpuSince = (before) => {
  const { user, system } = process.cpuUsage(before)
  return user + system
}
const heap = () => {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

const before = { heap: heap(), cpu: process.cpuUsage() }
const { name, version, delegate } = await import(`./${file}.js`)
const loaded = { cpuUs: cpuSince(before.cpu), bytes: heap() - before.heap }
const { check, child } = await import('./script.js')

async function times(count) {
  for (let n = 0; n < count; n++) check(name, await delegate(mode))
  // What a framework leaves for later is its own, not of the next sample.
  await setImmediate()
}

const tasks = {
  about: () => ({ name, version, loaded }),
  /** @returns CPU microseconds of one of `count` delegations */
  async time(count) {
    const before = process.cpuUsage()
    await times(count)
    return cpuSince(before) / count
  },
  /** @returns bytes that one of `count` delegations takes from the heap; wants a young generation that is larger than all of them */
  async allocate(count) {
    await times(20)
    const before = heap()
    await setImmediate()
    let collections = 0
    const observer = new PerformanceObserver((list) => (collections += list.getEntries().length))
    observer.observe({ entryTypes: ['gc'] })
    await times(count)
    const bytes = (process.memoryUsage().heapUsed - before) / count
    await setImmediate()
    if (collections > 0) throw new Error(`The heap was collected ${collections} times meanwhile: measure fewer than ${count} delegations.`)
    return bytes
  },
  /** @returns bytes of heap that one of `count` delegations holds whose children have been asked and do not answer */
  async hold(count) {
    await times(20)
    child.holds = true
    const held = []
    const start = async (more) => {
      const asked = child.asked + more
      for (let n = 0; n < more; n++) held.push(delegate(mode))
      while (child.asked < asked) await setImmediate()
      for (let turn = 0; turn < 20; turn++) await setImmediate()
    }
    await start(50)
    const before = heap()
    await start(count)
    return (heap() - before) / count
  },
}

const answer = async ({ task, count }) => process.send(await tasks[task](count))
// What one of them rejects with ends the process, and who asked hears of that.
process.on('message', (question) => void answer(question))

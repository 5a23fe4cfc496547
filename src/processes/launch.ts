/**
 * Starts a process and owns what belongs to it: its streams, its family, its end.
 *
 * Owns: one `ChildProcess` with its listeners; when its output is given up; the promise of its teardown.
 * Does not own: in which order the steps of a teardown come (teardown.ts), who belongs to it (the family), what goes over
 * its streams.
 *
 * 1. No failure of the system leaves here as an exception or an unhandled `error` event: it is in the exit facts (A12).
 * 2. Its end is `exit` and a short wait; `close` alone may never come, since whatever it started can hold its output (A19).
 * 3. When it has ended, by itself too, what is left of its family is taken down.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { Readable } from 'node:stream'
import type { Socket } from 'node:net'
import { contain, debug, describeThrown, warn } from '../run/contain.ts'
import { deferred } from '../run/deferred.ts'
import { ByteTail } from './byte-tail.ts'
import { guardAtExit } from './exit-guard.ts'
import { ProcessInput } from './input.ts'
import { stderrTailBytes } from './launched-process.ts'
import type { CloseReport, ExitFacts, LaunchedProcess, LaunchOptions } from './launched-process.ts'
import { createMarker, withMarker } from './marker.ts'
import { createFamily, isWindows } from './platform.ts'
import { describeSpawnError } from './spawn-error.ts'
import { tearDown } from './teardown.ts'
import { isWithin } from './wait.ts'

/** How long output is read on after the exit, where something else holds it open. */
export const drainMs = 100

/** Starts it. Never throws: what could not be started has an `error` in its exit facts. */
export function launchProcess(options: LaunchOptions): LaunchedProcess {
  const marker = createMarker()
  try {
    const child = spawn(options.command, options.args ?? [], {
      cwd: options.cwd,
      env: withMarker(options.env, marker),
      // A group and a session of its own: signals reach all of it, and a terminal's reach none of it.
      detached: !isWindows,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      windowsHide: true,
    })
    if (child.pid !== undefined) return adopt(child, child.pid, marker, options)
    const error = new Promise<unknown>((resolve) => child.once('error', resolve))
    // What was made for it before the system refused; with too many open files there are not even those.
    for (const stream of [child.stdin, child.stdout, child.stderr] as (Socket | null | undefined)[]) stream?.on('error', () => {}).destroy()
    return neverStarted(error, options)
  } catch (thrown) {
    return neverStarted(Promise.resolve(thrown), options)
  }
}

function neverStarted(thrown: Promise<unknown>, { command, cwd, clock }: LaunchOptions): LaunchedProcess {
  const exited = thrown.then((cause): ExitFacts => ({ code: null, signal: null, error: describeSpawnError(cause, command, cwd) }))
  const closed = exited.then((exit): CloseReport => ({ exit, by: 'itself', others: 0, left: [] }))
  const input = new ProcessInput(null, clock, 0)
  return {
    pid: undefined,
    stdout: Readable.from([]),
    exited,
    stderrTail: '',
    write: (bytes) => input.write(bytes),
    endInput: () => {},
    close: () => closed,
    killNow: () => {},
    unref: () => {},
    ref: () => {},
  }
}

function adopt(child: ChildProcess, pid: number, marker: string, options: LaunchOptions): LaunchedProcess {
  const { command, clock, logger, eofGraceMs = 1000, termGraceMs = 2000, writeTimeoutMs = 30_000 } = options
  const [stdin, stdout, stderr] = [child.stdin, child.stdout, child.stderr] as [Socket, Socket, Socket]
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  const family = createFamily({ pid, marker, isRunning })
  const unguard = guardAtExit(family)
  const input = new ProcessInput(stdin, clock, writeTimeoutMs)
  const tail = new ByteTail(stderrTailBytes)
  const ended = deferred<Pick<ExitFacts, 'code' | 'signal'>>()
  const streamsClosed = deferred<void>()
  let isClosed = false

  // After the start these are failures to signal it, or to read from it: its end tells the rest.
  for (const [name, emitter] of Object.entries({ process: child, stdout, stderr }))
    emitter.on('error', (error: Error) => debug(logger, `${command} (${pid}): ${name} failed: ${describeThrown(error)}`))
  stderr.on('data', (chunk: Buffer) => {
    tail.add(chunk)
    if (options.onStderr && !isClosed) contain(logger, `onStderr of ${command} (${pid})`, () => options.onStderr!(chunk))
  })
  child.once('exit', (code, signal) => {
    ended.resolve({ code, signal })
    void close()
  })
  child.once('close', () => streamsClosed.resolve())

  const exited = ended.promise.then(async (facts): Promise<ExitFacts> => {
    await isWithin(clock, drainMs, streamsClosed.promise)
    return facts
  })

  let isKeeping = true
  function keepHost(keep: boolean): void {
    if (keep === isKeeping) return
    isKeeping = keep
    for (const handle of [child, stdin, stdout, stderr])
      if (keep) handle.ref()
      else handle.unref()
  }

  async function takeDown(): Promise<CloseReport> {
    // A host that waits for the end has to live until then.
    keepHost(true)
    const { by, left } = await tearDown({
      family,
      ended: ended.promise,
      isRunning,
      endInput: () => input.end(),
      clock,
      eofGraceMs,
      termGraceMs,
    })
    const exit = isRunning() ? { code: null, signal: null } : await exited
    if (stdout.readableLength > 0) warn(logger, `${command} (${pid}): ${stdout.readableLength} bytes of its output were not read.`)
    input.destroy()
    stdout.destroy()
    stderr.destroy()
    // Still running after SIGKILL is a fault of the system; nothing here waits for it.
    if (isRunning()) child.unref()
    else await streamsClosed.promise
    isClosed = true
    unguard()
    const pids = [...(isRunning() ? [pid] : []), ...left.map((identity) => identity.pid)]
    if (pids.length > 0) warn(logger, `${command} (${pid}): could not be ended whole; still alive: ${pids.join(', ')}.`)
    return { exit, by, others: family.signalled, left: pids }
  }

  let closing: Promise<CloseReport> | undefined
  const close = (): Promise<CloseReport> => (closing ??= takeDown())

  return {
    pid,
    stdout,
    exited,
    get stderrTail() {
      return tail.toString()
    },
    write: (bytes) => input.write(bytes),
    endInput: () => input.end(),
    close,
    killNow: () => family.killNow(),
    unref: () => {
      if (!closing) keepHost(false)
    },
    ref: () => keepHost(true),
  }
}

#!/usr/bin/env node
/** `subagents`: wires the process to `runCli`. Contract: C6. */
import { exitCode } from './exit-code.ts'
import type { CliIo, CliStream } from './io.ts'
import { keyboardOf } from './keyboard.ts'
import { localServers } from './models/found/local-servers.ts'
import { runCli } from './run-cli.ts'
import { UsageError } from './usage-error.ts'

/** How long something that is left behind may keep the process after the work is done, in milliseconds. */
const lingerMs = 2000

const interrupts = new Set<() => void>()
const readers = new Set<() => void>()
let interrupted = false
let readerGone = false
let writeFailed = false

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The second one, or nothing there to be stopped in good order.
    if (interrupted || interrupts.size === 0) process.exit(exitCode.interrupted)
    interrupted = true
    for (const listener of interrupts) listener()
  })
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough, as head does, is no failure; a full disk is.
  if (error.code !== 'EPIPE' && !readerGone) {
    writeFailed = true
    process.stderr.write(`The output cannot be written (${error.code ?? error.message}).\n`)
  }
  readerGone = true
  for (const listener of readers) listener()
})
// Without stderr there is nobody to tell.
process.stderr.on('error', () => {})

const io: CliIo = {
  argv: process.argv.slice(2),
  env: process.env,
  get cwd() {
    return currentFolder()
  },
  stdout: streamOf(process.stdout, () => readerGone),
  stderr: streamOf(process.stderr, () => false),
  get keyboard() {
    return process.stdin.isTTY ? keyboardOf(process.stdin) : undefined
  },
  localServers,
  now: () => performance.now(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    return () => clearTimeout(timer)
  },
  onInterrupt: (listener) => listen(interrupts, listener),
  onReaderGone: (listener) => listen(readers, listener),
}

process.exitCode = await runCli(io)
// A failed write is told in a later turn of the loop.
process.once('beforeExit', () => {
  if (writeFailed && process.exitCode === exitCode.completed) process.exitCode = exitCode.otherOutcome
})
setTimeout(() => process.exit(), lingerMs).unref()

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new UsageError('The current folder was deleted or cannot be reached. Change to one that exists (cd) and run the command again.', {
      cause: error,
    })
  }
}

function streamOf(stream: NodeJS.WriteStream, isGone: () => boolean): CliStream {
  return {
    write: (text) => {
      if (!isGone()) stream.write(text)
    },
    get isTTY() {
      return stream.isTTY === true
    },
    get columns() {
      return stream.isTTY ? stream.columns : undefined
    },
    get rows() {
      return stream.isTTY ? stream.rows : undefined
    },
  }
}

function listen(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

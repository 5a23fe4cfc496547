/**
 * The line to one process: requests with their answers, and the one place that knows why it broke (A3, A12, A23).
 *
 * Invariants: the first cause of a break wins; a request that is open when the line breaks fails with that cause, never with
 * what the SDK says; where the process is about to end, its end is the cause, not the write or the read that noticed first.
 */
import { cleanEnd, cleanStart } from '../../agents/environment-secrets.ts'
import type { Redactor } from '../../agents/environment-secrets.ts'
import { stderrTailBytes } from '../../processes/launched-process.ts'
import { describeThrown } from '../../run/contain.ts'
import type { Deferred } from '../../run/deferred.ts'
import { deferred } from '../../run/deferred.ts'
import type { ExitFacts, LaunchedProcess } from '../../processes/launched-process.ts'
import type { Clock } from '../../types.ts'
import { AcpFailure, describeExit } from './failure.ts'
import type { Detail } from './failure.ts'
import { describeNoise, describeOpenLine, FramingError, MessageReader } from './framing.ts'
import type { FramingLimits } from './framing.ts'
import { AgentError, connectPeer } from './peer.ts'
import type { Peer, PeerHandlers } from './peer.ts'
import { waitAtMost } from './stage-timer.ts'

export interface ConnectionOptions extends Pick<PeerHandlers, 'onNotification' | 'onPermission'> {
  readonly launched: LaunchedProcess
  readonly clock: Clock
  readonly limits?: FramingLimits
  /** Command and arguments, for messages. */
  readonly command: string
}

/**
 * How long the end of a process is waited for, once its output has ended or it takes no more input: in so many turns, since
 * in a process that was busy a timer that is late comes before the news of an end that has been there for long.
 */
const exitWaits = 5
const exitWaitMs = 100
/** Of the end of stderr, in a diagnostic. */
const shownOfStderr = 1500
/** White space at its ends and half code points are taken off a tail that is full. */
const leastOfRing = 1024

export class AcpConnection {
  readonly #launched: LaunchedProcess
  readonly #clock: Clock
  readonly #command: string
  readonly #reader: MessageReader
  readonly #peer: Peer
  readonly #broken: Deferred<AcpFailure> = deferred()
  readonly #traffic = new Set<() => void>()
  #isBroken = false
  #isNoticed = false
  #exit: ExitFacts | undefined

  constructor({ launched, clock, limits, command, onNotification, onPermission }: ConnectionOptions) {
    this.#launched = launched
    this.#clock = clock
    this.#command = command
    this.#peer = connectPeer({
      onNotification,
      onPermission,
      write: (line) => launched.write(line),
      // What it could ask has no bound. One that reads nothing is found out by what it is sent.
      onFull: (isFull) => (isFull ? launched.stdout.pause() : launched.stdout.resume()),
      onClosed: () => void this.#notice('stopped reading what it is sent'),
    })
    this.#reader = new MessageReader((message) => {
      for (const heard of this.#traffic) heard()
      this.#peer.receive(message)
    }, limits)
    const { stdout } = launched
    stdout.on('data', (chunk: Buffer) => this.#read(() => this.#reader.push(chunk)))
    stdout.on('end', () => {
      this.#read(() => this.#reader.end())
      void this.#notice('closed its output and went on running')
    })
    stdout.on('error', (error) => void this.#notice(`cannot be read from: ${describeThrown(error)}`))
    void launched.exited.then((exit) => {
      this.#exit = exit
      this.#read(() => this.#reader.end())
      this.#ended(exit)
    })
  }

  /** Resolves with the first cause once the line has broken; not where it was closed from here. */
  get broken(): Promise<AcpFailure> {
    return this.#broken.promise
  }

  get exit(): ExitFacts | undefined {
    return this.#exit
  }

  /** @throws AgentError where the agent answers with an error; AcpFailure where the line broke */
  async request(method: string, params: unknown): Promise<unknown> {
    const answer = this.#peer.request(method, params)
    const outcome = await Promise.race([
      answer.then(
        (value) => ({ value }),
        (error: unknown) => (error instanceof AgentError ? { error } : undefined),
      ),
      this.#broken.promise.then((error) => ({ error })),
    ])
    // The peer has ended; why is told by what ended it.
    const known = outcome ?? { error: await this.#broken.promise }
    if ('error' in known) throw known.error
    return known.value
  }

  notify(method: string, params: unknown): void {
    if (!this.#isBroken) this.#peer.notify(method, params)
  }

  /** Calls back at each message that comes in. @returns what ends that */
  onTraffic(heard: () => void): () => void {
    this.#traffic.add(heard)
    return () => void this.#traffic.delete(heard)
  }

  /** What is known beside the message of a failure: exit, stderr, noise. */
  facts(message: string): Detail[] {
    const stderr = this.#launched.stderrTail.trim()
    const { noise, open } = this.#reader
    const exit = this.#exit && describeExit(this.#exit)
    const isCut = Buffer.byteLength(stderr) > stderrTailBytes - leastOfRing
    return [
      ...(exit !== undefined && !message.includes(exit) ? [`The process ${exit}.`] : []),
      ...(noise.first === undefined ? [] : [(safe: Redactor) => describeNoise(noise, (text, length) => cleanStart(text, length, safe))!]),
      ...(open ? [(safe: Redactor) => describeOpenLine(open, (text, length) => cleanStart(text, length, safe))!] : []),
      ...(stderr === '' ? [] : [(safe: Redactor) => `The end of its stderr:\n${cleanEnd(stderr, shownOfStderr, safe, isCut)}`]),
    ]
  }

  /** Breaks the line, unless it is broken already. */
  break(failure: AcpFailure): void {
    if (this.#isBroken) return
    this.#isBroken = true
    this.#broken.resolve(failure)
    this.#peer.close()
    this.#traffic.clear()
    this.#launched.stdout.resume()
  }

  #read(read: () => void): void {
    if (this.#isBroken) return
    try {
      read()
    } catch (error) {
      const why = error instanceof FramingError ? error.message : describeThrown(error)
      this.break(new AcpFailure('PROTOCOL', `The agent ${this.#command} broke the protocol: ${why}.`))
    }
  }

  #ended(exit: ExitFacts): void {
    const message = `The agent ${this.#command} ${describeExit(exit).replace(/\.$/, '')}.`
    this.break(exit.error ? new AcpFailure('SPAWN_FAILED', message) : new AcpFailure('CRASHED', message, { retryable: true }))
  }

  /** Something is wrong with the line: where the process ends now, that is why. */
  async #notice(what: string): Promise<void> {
    if (this.#isNoticed || this.#isBroken) return
    this.#isNoticed = true
    for (let wait = 0; wait < exitWaits && !this.#exit; wait++) await waitAtMost(this.#clock, exitWaitMs, this.#launched.exited)
    if (!this.#exit) this.break(new AcpFailure('PROTOCOL', `The agent ${this.#command} ${what}.`))
  }
}

/**
 * From bytes to JSON-RPC messages: one message a line (A3).
 *
 * Lines end at byte 0x0A and are decoded one by one, so that a code point cut between two chunks is whole again. What is no
 * message (a banner, a log line, headers or JSON over several lines of an agent that frames otherwise) is noise: skipped,
 * counted, and the first of it kept for the diagnostic. Nothing is ever written back because of it.
 */

/** A message as it came, its envelope checked and nothing else. */
export interface JsonRpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export interface Noise {
  lines: number
  bytes: number
  /** The start of its first line: more than is shown, so that no secret is half in it. */
  first: string | undefined
}

export interface FramingLimits {
  /** Bytes that one line may have. @default 32 MiB */
  readonly lineBytes?: number
  /** Bytes of noise that are skipped. @default 1 MiB */
  readonly noiseBytes?: number
}

/** What the agent wrote cannot be read on. */
export class FramingError extends Error {
  override name = 'FramingError'
}

const newline = 0x0a
const shownOfNoise = 200
/** Enough for any value of an environment in it, which may be encoded. */
const keptOfNoise = 512 * 1024

export class MessageReader {
  readonly noise: Noise = { lines: 0, bytes: 0, first: undefined }
  readonly #onMessage: (message: JsonRpcMessage) => void
  readonly #lineBytes: number
  readonly #noiseBytes: number
  readonly #decoder = new TextDecoder()
  #parts: Uint8Array[] = []
  #length = 0

  constructor(
    onMessage: (message: JsonRpcMessage) => void,
    { lineBytes = 32 * 1024 * 1024, noiseBytes = 1024 * 1024 }: FramingLimits = {},
  ) {
    this.#onMessage = onMessage
    this.#lineBytes = lineBytes
    this.#noiseBytes = noiseBytes
  }

  /** @throws FramingError over a limit; the reader takes nothing more then */
  push(chunk: Uint8Array): void {
    let start = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#add(chunk.subarray(start, end))
      this.#take()
      start = end + 1
    }
    if (start < chunk.length) this.#add(chunk.subarray(start))
  }

  /** The stream is over: a last line without its end counts where it is whole. @throws FramingError */
  end(): void {
    this.#take()
  }

  /** What has begun as a line and has not ended: how much of it, and its start, as of noise. */
  get open(): { readonly bytes: number; readonly start: string } | undefined {
    if (this.#parts.length === 0) return undefined
    const parts: Uint8Array[] = []
    let length = 0
    for (const part of this.#parts) {
      if (length > keptOfNoise) break
      parts.push(part)
      length += part.length
    }
    return { bytes: this.#length, start: this.#decoder.decode(Buffer.concat(parts).subarray(0, keptOfNoise)) }
  }

  #add(part: Uint8Array): void {
    this.#length += part.length
    if (this.#length > this.#lineBytes) {
      this.#parts = []
      throw new FramingError(`it wrote a line of more than ${this.#lineBytes} bytes`)
    }
    if (part.length > 0) this.#parts.push(part)
  }

  #take(): void {
    const bytes = this.#length
    if (bytes === 0) return
    const line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts, bytes)
    this.#parts = []
    this.#length = 0
    // The decoder takes a byte order mark off by itself; a carriage return is white space.
    const text = this.#decoder.decode(line).trim()
    if (text === '') return
    const message = readMessage(text)
    if (message) this.#onMessage(message)
    else this.#skip(text, bytes)
  }

  #skip(text: string, bytes: number): void {
    const { noise } = this
    noise.lines++
    noise.bytes += bytes
    noise.first ??= text.slice(0, keptOfNoise)
    if (noise.bytes > this.#noiseBytes) throw new FramingError(`it wrote more than ${this.#noiseBytes} bytes that are no messages`)
  }
}

const cut = (text: string): string =>
  text.length > shownOfNoise ? `${text.slice(0, shownOfNoise).replace(/[\uD800-\uDBFF]$/, '')} …` : text

/** Shows so many characters of the start of a text, or more, with no secret in them. */
export type Clean = (text: string, characters: number) => string

/** `undefined` for what is no message. Agents that leave `jsonrpc` out are understood. */
function readMessage(text: string): JsonRpcMessage | undefined {
  if (!text.startsWith('{')) return undefined
  let value: Record<string, unknown>
  try {
    value = JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
  const { id, method } = value
  const isId = id === null || typeof id === 'string' || typeof id === 'number'
  const isCall = typeof method === 'string' && (isId || !('id' in value))
  const isResponse = !('method' in value) && isId && ('result' in value || 'error' in value)
  if (!isCall && !isResponse) return undefined
  return { ...value, jsonrpc: '2.0' }
}

/** The noise in words; `undefined` where there was none. */
export function describeNoise({ lines, first }: Noise, clean: Clean): string | undefined {
  if (first === undefined) return undefined
  const count = lines === 1 ? 'one line that is no message' : `${lines} lines that are no messages`
  const hint = /^content-length:/i.test(first)
    ? ' It frames its messages by headers, as language servers do; ACP is one message a line.'
    : ''
  return `On stdout it wrote ${count}, the first: ${cut(clean(first, shownOfNoise))}${hint}`
}

/** The line that has not ended, in words. */
export function describeOpenLine(open: MessageReader['open'], clean: Clean): string | undefined {
  return open && `On stdout it wrote ${open.bytes} bytes of a line that it has not ended: ${cut(clean(open.start, shownOfNoise))}`
}

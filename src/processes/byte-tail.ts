/**
 * The last bytes of a stream, in a ring: however much comes, no more than its size is kept (A22).
 */
export class ByteTail {
  readonly #size: number
  #ring: Buffer | undefined = undefined
  /** How many bytes have come in all. */
  #total = 0

  constructor(size: number) {
    this.#size = size
  }

  add(chunk: Uint8Array): void {
    // Most processes write nothing here.
    const ring = (this.#ring ??= Buffer.alloc(this.#size))
    const last = chunk.length > this.#size ? chunk.subarray(chunk.length - this.#size) : chunk
    this.#total += chunk.length
    const end = this.#total % this.#size
    const start = (end - last.length + this.#size) % this.#size
    const first = Math.min(last.length, this.#size - start)
    ring.set(last.subarray(0, first), start)
    ring.set(last.subarray(first), 0)
  }

  /** As UTF-8, without the code points that are cut at either end. */
  toString(): string {
    if (!this.#ring) return ''
    const end = this.#total % this.#size
    const bytes =
      this.#total <= this.#size
        ? this.#ring.subarray(0, this.#total)
        : Buffer.concat([this.#ring.subarray(end), this.#ring.subarray(0, end)])
    const from = this.#total > this.#size ? firstWhole(bytes) : 0
    return bytes.subarray(from, wholeEnd(bytes)).toString('utf8')
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function firstWhole(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && isContinuation(bytes[at])) at++
  return at
}

function wholeEnd(bytes: Uint8Array): number {
  let lead = bytes.length - 1
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--
  const byte = bytes[lead]
  if (byte === undefined || byte < 0xc0) return bytes.length
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
  return lead + length > bytes.length ? lead : bytes.length
}

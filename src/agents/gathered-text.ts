/**
 * The texts of an answer on their way into the AI SDK: each delta is told at once, and handed on with the others of its block,
 * as one. A part passes a dozen streams there, which costs more than all else about an answer.
 *
 * Invariants: what is handed on comes to the same answer; blocks that begin after a tool call, or anything else that is no
 * text, are left as they are, since what is told of them must not overtake what is told of that.
 */

interface Part {
  readonly type: string
  readonly id?: unknown
  readonly delta?: unknown
  readonly providerMetadata?: unknown
}

interface Block {
  readonly kind: 'text' | 'reasoning'
  readonly id: unknown
  /** Told and not yet handed on. */
  held: string
}

/** @param block stands for the block that the delta is a part of */
export type TellDelta = (kind: Block['kind'], delta: string, block: object) => void

/** Parts that say nothing of the order. */
const neutral = new Set(['stream-start', 'response-metadata', 'raw'])

export class GatheredText {
  /** Blocks that have begun, by their names. */
  readonly #blocks = new Map<string, Block>()
  /** For each block that has begun and that the AI SDK has not told of yet: whether its deltas are told here. */
  readonly #begun: boolean[] = []
  /** Names of blocks in the AI SDK's stream, which may give them other ids. */
  readonly #told = new Set<string>()
  readonly #tell: TellDelta
  #isText = true

  constructor(tell: TellDelta) {
    this.#tell = tell
  }

  /** Whether a part of the AI SDK's stream, each of which has to come by here, has a delta that was told already. */
  isTold({ type, id }: Part): boolean {
    switch (type) {
      case 'text-start':
      case 'reasoning-start':
        if (this.#begun.shift()) this.#told.add(nameOf(type, id))
        else this.#told.delete(nameOf(type, id))
        return false
      case 'text-delta':
      case 'reasoning-delta':
        return this.#told.has(nameOf(type, id))
      default:
        return false
    }
  }

  /** @returns the parts to hand on in place of this one */
  take(part: Part): readonly Part[] {
    const { type, id } = part
    switch (type) {
      case 'text-start':
      case 'reasoning-start': {
        // One of that name may not have ended.
        const held = this.#end(nameOf(type, id))
        this.#begun.push(this.#isText)
        if (this.#isText) this.#blocks.set(nameOf(type, id), { kind: type === 'text-start' ? 'text' : 'reasoning', id, held: '' })
        return [...held, part]
      }
      case 'text-delta':
      case 'reasoning-delta':
        return this.#takeDelta(part)
      case 'text-end':
      case 'reasoning-end':
        return [...this.#end(nameOf(type, id)), part]
      default:
        if (neutral.has(type)) return [part]
        this.#isText = false
        return [...this.rest(), part]
    }
  }

  /** What is held of blocks that did not end. */
  rest(): Part[] {
    return this.#blocks.size === 0 ? [] : [...this.#blocks.values()].flatMap(release)
  }

  #end(name: string): Part[] {
    const held = release(this.#blocks.get(name))
    this.#blocks.delete(name)
    return held
  }

  #takeDelta(part: Part): readonly Part[] {
    const { type, id, delta, providerMetadata } = part
    const block = this.#blocks.get(nameOf(type, id))
    if (!block || typeof delta !== 'string') return [part]
    if (delta !== '') this.#tell(block.kind, delta, block)
    // A signature, for one: it goes as it came.
    if (providerMetadata !== undefined) return [...release(block), part]
    block.held += delta
    return []
  }
}

/** Ids of texts and of reasoning may be the same. */
const nameOf = (type: string, id: unknown): string => `${type.slice(0, type.indexOf('-'))} ${String(id)}`

function release(block: Block | undefined): Part[] {
  if (!block || block.held === '') return []
  const { kind, id, held } = block
  block.held = ''
  return [{ type: `${kind}-delta`, id, delta: held }]
}

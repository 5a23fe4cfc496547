/**
 * Rows by key that are never changed: `set` gives a table with one row more or another one in its place, at the cost of two
 * short arrays. Rows keep the order in which their keys came.
 */
const chunkSize = 128

/** From key to position. Tables that grew from one another share it; a key whose position is past a table's end is not in it. */
type Positions = Map<string, number>

/** Rows by key, in the order in which they came. It is never changed: `set` gives another one, which shares what is the same. */
export class Table<Row> implements Iterable<Row> {
  /** How many rows there are. */
  readonly size: number
  readonly #positions: Positions
  readonly #chunks: readonly (readonly Row[])[]

  private constructor(size: number, positions: Positions, chunks: readonly (readonly Row[])[]) {
    this.size = size
    this.#positions = positions
    this.#chunks = chunks
  }

  /** One without rows, to begin with. */
  static empty<Row>(): Table<Row> {
    return new Table(0, new Map(), [])
  }

  /** The row of a key; undefined where there is none. */
  get(key: string): Row | undefined {
    const position = this.#positionOf(key)
    return position === undefined ? undefined : this.#chunks[Math.floor(position / chunkSize)]![position % chunkSize]
  }

  /** A table in which the key has this row: in its old place, or as the last. */
  set(key: string, row: Row): Table<Row> {
    const known = this.#positionOf(key)
    if (known !== undefined) return new Table(this.size, this.#positions, this.#withRow(known, row))
    const positions = this.#positions.size === this.size ? this.#positions : this.#ownPositions()
    positions.set(key, this.size)
    return new Table(this.size + 1, positions, this.#withRow(this.size, row))
  }

  /** The rows, in the order in which their keys came. */
  *[Symbol.iterator](): Generator<Row, void, undefined> {
    for (const chunk of this.#chunks) yield* chunk
  }

  #positionOf(key: string): number | undefined {
    const position = this.#positions.get(key)
    return position !== undefined && position < this.size ? position : undefined
  }

  #withRow(position: number, row: Row): readonly (readonly Row[])[] {
    const chunks = this.#chunks.slice()
    const index = Math.floor(position / chunkSize)
    const chunk = chunks[index]?.slice() ?? []
    chunk[position % chunkSize] = row
    chunks[index] = chunk
    return chunks
  }

  /** Another table that grew from the same one has added a row already: from here on they go separate ways. */
  #ownPositions(): Positions {
    return new Map([...this.#positions].filter(([, position]) => position < this.size))
  }
}

/** Keys from `from` (inclusive) to `to` (exclusive; `undefined`: no end), by UTF-16 code units, as etcd orders ASCII keys. */
export interface KeyRange {
  readonly from: string
  readonly to: string | undefined
}

/** The keys of a namespace (`namespace/name`), or all keys, that come after the key `after`. */
export function keyRange(namespace: string | undefined, after?: string): KeyRange {
  // '0' follows '/' in ASCII, so `ns0` is the first string behind every `ns/…`; `key\0` is the first behind `key`.
  const start = namespace === undefined ? '' : `${namespace}/`
  const from = after === undefined || after < start ? start : `${after}\0`
  return { from, to: namespace === undefined ? undefined : `${namespace}0` }
}

const chunkSize = 256

/**
 * A set ordered by key, in sorted chunks of a few hundred entries. So an insertion moves few entries, and a page of a
 * list starts at a binary search. The entries of a range are counted without visiting them.
 */
export class OrderedEntries<E extends { readonly key: string }> {
  readonly #chunks: E[][] = []
  #changes = 0

  /** Adds an entry whose key is not yet in the set. */
  insert(entry: E): void {
    this.#changes++
    const index = Math.max(0, this.#chunkAt(entry.key))
    const chunk = this.#chunks[index]
    if (chunk === undefined) {
      this.#chunks.push([entry])
      return
    }
    chunk.splice(lowerBound(chunk, entry.key), 0, entry)
    // Ascending insertion (bulk loads) leaves full chunks behind; elsewhere halves leave space on both sides.
    if (chunk.length > chunkSize) {
      const last = index === this.#chunks.length - 1 && chunk[chunk.length - 1] === entry
      this.#chunks.splice(index + 1, 0, chunk.splice(last ? chunk.length - 1 : chunk.length >> 1))
    }
  }

  delete(key: string): void {
    const index = this.#chunkAt(key)
    const chunk = this.#chunks[index]
    if (chunk === undefined) return
    const offset = lowerBound(chunk, key)
    if (chunk[offset]?.key !== key) return
    this.#changes++
    chunk.splice(offset, 1)
    if (chunk.length === 0) this.#chunks.splice(index, 1)
  }

  /** The entries of a range in order. The set may change while they are visited: what lies ahead is seen as it is then. */
  *range({ from, to }: KeyRange): Generator<E, void, undefined> {
    let next = from
    for (;;) {
      const resume = yield* this.#run(next, to)
      if (resume === undefined) return
      next = resume
    }
  }

  /** Visits entries until the range ends (gives `undefined`) or the set has changed (gives the key to go on from). */
  *#run(from: string, to: string | undefined): Generator<E, string | undefined, undefined> {
    const changes = this.#changes
    let index = Math.max(0, this.#chunkAt(from))
    let chunk = this.#chunks[index]
    let offset = chunk === undefined ? 0 : lowerBound(chunk, from)
    while (chunk !== undefined) {
      for (; offset < chunk.length; offset++) {
        const entry = chunk[offset]
        if (entry === undefined || (to !== undefined && entry.key >= to)) return undefined
        yield entry
        if (this.#changes !== changes) return `${entry.key}\0`
      }
      chunk = this.#chunks[++index]
      offset = 0
    }
    return undefined
  }

  /** How many entries a range holds, in time proportional to the number of chunks. */
  count({ from, to }: KeyRange): number {
    if (to !== undefined && from >= to) return 0
    return (to === undefined ? this.#rank() : this.#rank(to)) - this.#rank(from)
  }

  /** How many entries come before `key`, or how many there are. */
  #rank(key?: string): number {
    const index = key === undefined ? this.#chunks.length : this.#chunkAt(key)
    let rank = 0
    for (let i = 0; i < index; i++) rank += this.#chunks[i]?.length ?? 0
    const chunk = this.#chunks[index]
    return key === undefined || chunk === undefined ? rank : rank + lowerBound(chunk, key)
  }

  /** The last chunk whose first key is not behind `key`; -1 when there is none. */
  #chunkAt(key: string): number {
    let low = 0
    let high = this.#chunks.length
    while (low < high) {
      const middle = (low + high) >> 1
      const first = this.#chunks[middle]?.[0]
      if (first !== undefined && first.key <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** The first position in a sorted chunk whose key is not before `key`. */
function lowerBound(chunk: readonly { readonly key: string }[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = chunk[middle]
    if (entry !== undefined && entry.key < key) low = middle + 1
    else high = middle
  }
  return low
}

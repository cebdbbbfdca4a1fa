import type { ServedResource } from '../resource/served-resource.ts'

type Key = Pick<ServedResource, 'group' | 'version' | 'resource'>

/** The watches that clients have open, by what they are of: they end when that is not served any more. */
export class OpenWatches {
  readonly #counts: { readonly opened: () => void; readonly closed: () => void }
  readonly #ends = new Map<string, Set<() => void>>()

  constructor(counts: { readonly opened: () => void; readonly closed: () => void }) {
    this.#counts = counts
  }

  /** Counts a watch, which `end` ends. The returned function must be called once it has ended. */
  open(of: Key, end: () => void): () => void {
    const key = keyOf(of)
    const ends = this.#ends.get(key) ?? new Set()
    this.#ends.set(key, ends.add(end))
    this.#counts.opened()
    return () => {
      ends.delete(end)
      if (ends.size === 0 && this.#ends.get(key) === ends) this.#ends.delete(key)
      this.#counts.closed()
    }
  }

  /** Asks all watches of a resource, in one version, to come to their end. */
  endAll(of: Key): void {
    for (const end of this.#ends.get(keyOf(of)) ?? []) end()
  }
}

const keyOf = ({ group, version, resource }: Key): string => `${group}/${version}/${resource}`

/** Beyond so many snapshots without a proof, two become one. */
const MOST_SNAPSHOTS = 64

/** The coverage of webhooks as of a version of the rules. */
interface Snapshot<Coverage> {
  readonly version: number
  readonly coverage: Coverage
}

/**
 * The requests that the API server is proven to send to a system's webhooks. A proof for older rules still counts for
 * requests that all later rules cover. So a change for one quota does not delay the proof for others.
 */
export class ProvenCoverage<Coverage> {
  readonly #common: (a: Coverage, b: Coverage) => Coverage
  /** Oldest first: the one that the last proof was for, and all later ones. */
  #snapshots: readonly Snapshot<Coverage>[] = []
  #proven: Coverage

  /** `common`: what both cover. */
  constructor(nothing: Coverage, common: (a: Coverage, b: Coverage) => Coverage) {
    this.#proven = nothing
    this.#common = common
  }

  /** The coverage that is proven by now. */
  get proven(): Coverage {
    return this.#proven
  }

  /** The rules of this version and later ones cover this, until the next call. */
  covers(version: number, coverage: Coverage): void {
    // An API server may go by any rules since the last proof, so what only some of them cover is not proven.
    this.#proven = this.#common(this.#proven, coverage)
    this.#snapshots = [...this.#snapshots.filter((one) => one.version !== version), { version, coverage }]
    if (this.#snapshots.length > MOST_SNAPSHOTS) this.#merge()
  }

  /** The API server goes by the rules of this version. */
  prove(version: number): void {
    const at = this.#snapshots.findLastIndex((one) => one.version <= version)
    if (at < 0) return
    this.#snapshots = this.#snapshots.slice(at)
    const [first, ...later] = this.#snapshots
    if (first !== undefined) this.#proven = later.map(({ coverage }) => coverage).reduce(this.#common, first.coverage)
  }

  /** Rules in between are forgotten: a proof for them counts for less, but never for too much. */
  #merge(): void {
    const merged: Snapshot<Coverage>[] = []
    for (let index = 0; index < this.#snapshots.length; index += 2) {
      const [first, second] = this.#snapshots.slice(index, index + 2)
      if (first === undefined) continue
      merged.push(
        second === undefined
          ? first
          : { version: second.version, coverage: this.#common(first.coverage, second.coverage) },
      )
    }
    this.#snapshots = merged
  }
}

import { isOlder } from '../../../machinery/resource-version.ts'

/** After how many objects one generation gives way to the next. */
const GENERATION = 16_384

/** The last that was seen of an object that no quota counts any more. */
export interface LastSight {
  readonly version: string
  readonly isGone: boolean
}

/**
 * Objects of a kind that were seen lately and are not counted, because they are gone or cost nothing. A waiting request
 * finds here that its object came. Older objects are forgotten: at most two generations are kept.
 */
export class SeenObjects {
  readonly #generation: number
  #young = new Map<string, LastSight>()
  #old = new Map<string, LastSight>()

  constructor(generation = GENERATION) {
    this.#generation = generation
  }

  /** Takes what was seen of an object. Its end is the last there is, even where a list of its name has shown a later version of its successor. */
  saw(uid: string, sight: LastSight): void {
    const known = this.get(uid)
    if (known?.isGone === true) return
    if (known !== undefined && !sight.isGone && isOlder(sight.version, known.version)) return
    if (this.#young.size >= this.#generation) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(uid, sight)
  }

  get(uid: string): LastSight | undefined {
    return this.#young.get(uid) ?? this.#old.get(uid)
  }

  forget(uid: string): void {
    this.#young.delete(uid)
    this.#old.delete(uid)
  }
}

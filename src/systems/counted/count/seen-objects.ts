import { isOlder } from '../../../machinery/resource-version.ts'

/** After how many objects one generation gives way to the next. */
const GENERATION = 16_384

/** The last that was seen of an object that no quota counts any more. */
export interface LastSight {
  readonly version: string
  readonly isGone: boolean
}

/**
 * The objects of a kind that were seen lately and are not counted: those that are gone and those that cost nothing. A
 * waiting request finds here that its object came. Older ones are forgotten, so that it holds two generations at most.
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

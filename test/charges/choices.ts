/** Something that may happen next. */
export interface PossibleEvent {
  readonly name: string
  readonly happen: () => void
}

/** The choices of one run: those of the script, then the first of each. */
export class Choices {
  readonly names: string[] = []
  readonly #script: readonly number[]
  readonly #taken: { readonly index: number; readonly of: number }[] = []

  constructor(script: readonly number[]) {
    this.#script = script
  }

  pick<T extends { readonly name: string }>(options: readonly T[]): T {
    const index = this.#script[this.#taken.length] ?? 0
    const option = options[index]
    if (option === undefined) throw new Error('a run is not repeatable')
    this.#taken.push({ index, of: options.length })
    this.names.push(option.name)
    return option
  }

  /** The script of the next run, depth first. */
  next(): readonly number[] | undefined {
    const last = this.#taken.findLastIndex(({ index, of }) => index + 1 < of)
    if (last < 0) return undefined
    return this.#taken.slice(0, last + 1).map(({ index }, at) => (at === last ? index + 1 : index))
  }
}

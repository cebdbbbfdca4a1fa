/** About how many objects of a kind there are in each namespace, counted or not: what a list of them would cost. */
export class ListedSizes {
  #namespaces = new Map<string, number>()
  #total = 0

  /** An object came (1) or went (-1). */
  change(namespace: string, by: 1 | -1): void {
    this.#set(namespace, Math.max(0, (this.#namespaces.get(namespace) ?? 0) + by))
  }

  /** A list of one namespace or, without one, of all has so many in each. */
  listed(sizes: ReadonlyMap<string, number>, namespace?: string): void {
    if (namespace !== undefined) return this.#set(namespace, sizes.get(namespace) ?? 0)
    this.#namespaces = new Map(sizes)
    this.#total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  /** In a namespace, or in all. */
  of(namespace: string | undefined): number {
    return namespace === undefined ? this.#total : (this.#namespaces.get(namespace) ?? 0)
  }

  #set(namespace: string, size: number): void {
    this.#total += size - (this.#namespaces.get(namespace) ?? 0)
    if (size === 0) this.#namespaces.delete(namespace)
    else this.#namespaces.set(namespace, size)
  }
}

import { Quantity } from '../../../../quantity/quantity.ts'
import { mask, quantityOf, type ResourceList, subtract } from '../../../../quantity/resource-list.ts'

/**
 * How much of what is used a claim covers: the sum, over the resources, of the smaller of both. Units are mixed, so a byte
 * counts as much as a core; that is Capsule's rule, here exact where Capsule calculates with floats.
 */
export function coverageScore(remaining: ResourceList, request: ResourceList): Quantity {
  let score = Quantity.zero
  for (const name of Object.keys(request)) {
    const left = quantityOf(remaining, name)
    const requested = quantityOf(request, name)
    if (left === undefined || requested === undefined || left.sign() <= 0 || requested.sign() <= 0) continue
    score = score.add(left.cmp(requested) < 0 ? left : requested)
  }
  return score
}

/** Returns the usage of claimed amounts by workloads: the usage of the quota, less the pool's defaults; only resources of the pool. */
export function claimedUsage(used: ResourceList, defaults: ResourceList, hard: ResourceList): ResourceList {
  const beyond = subtract(mask(used, Object.keys(hard)), mask(defaults, Object.keys(used)))
  return Object.fromEntries(Object.entries(beyond).filter(([, quantity]) => quantity.sign() > 0))
}

interface Ranked<T> {
  readonly claim: T
  readonly request: ResourceList
  readonly age: number
  readonly score: Quantity
}

/**
 * Returns the claims of a namespace that count as used (docs/concepts/resource-pools.md). It selects the claim that
 * covers most of the remaining usage, and repeats that until all usage is covered or no claim covers more. `claims`
 * come in the order of `byAge`, which decides between equals.
 */
export function selectUsedClaims<T extends { readonly request: ResourceList }>(
  claims: readonly T[],
  used: ResourceList,
): ReadonlySet<T> {
  const selected = new Set<T>()
  let remaining = used
  const heap = new BestFirst<T>(
    claims.flatMap((claim, age) => {
      const score = coverageScore(used, claim.request)
      return score.isZero() ? [] : [{ claim, request: claim.request, age, score }]
    }),
  )
  for (let best = heap.take(); best !== undefined; best = heap.take()) {
    // The remaining usage only shrinks, and so do the scores: an unchanged score is the best of all.
    const score = coverageScore(remaining, best.request)
    if (score.isZero()) continue
    if (!score.equals(best.score)) {
      heap.put({ ...best, score })
      continue
    }
    selected.add(best.claim)
    remaining = uncovered(remaining, best.request)
  }
  return selected
}

function uncovered(remaining: ResourceList, request: ResourceList): ResourceList {
  const left = Object.entries(remaining).map(([name, quantity]) => {
    const requested = quantityOf(request, name)
    return [name, requested === undefined ? quantity : quantity.sub(requested)] as const
  })
  return Object.fromEntries(left.filter(([, quantity]) => quantity.sign() > 0))
}

/** A binary heap: the highest score first, the oldest among equals. */
class BestFirst<T> {
  readonly #items: Ranked<T>[] = []

  constructor(items: readonly Ranked<T>[]) {
    for (const item of items) this.put(item)
  }

  put(item: Ranked<T>): void {
    const items = this.#items
    let at = items.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = items[above]
      if (parent === undefined || !isBefore(item, parent)) break
      items[at] = parent
      at = above
    }
    items[at] = item
  }

  take(): Ranked<T> | undefined {
    const items = this.#items
    const [top] = items
    const last = items.pop()
    if (last === undefined || items.length === 0) return top
    let at = 0
    for (;;) {
      const better = this.#betterChild(at)
      const child = better === undefined ? undefined : items[better]
      if (better === undefined || child === undefined || !isBefore(child, last)) break
      items[at] = child
      at = better
    }
    items[at] = last
    return top
  }

  #betterChild(at: number): number | undefined {
    const [left, right] = [this.#items[2 * at + 1], this.#items[2 * at + 2]]
    if (left === undefined) return undefined
    return right !== undefined && isBefore(right, left) ? 2 * at + 2 : 2 * at + 1
  }
}

function isBefore<T>(a: Ranked<T>, b: Ranked<T>): boolean {
  const order = a.score.cmp(b.score)
  return order === 0 ? a.age < b.age : order > 0
}

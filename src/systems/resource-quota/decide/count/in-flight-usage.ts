import { isOlder } from '../../../../machinery/resource-version.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { add, quantityOf, removeZeros, type ResourceList } from '../../../../quantity/resource-list.ts'

interface Charged {
  amounts: ResourceList
  readonly at: number
}

interface Stored extends Charged {
  /** The resourceVersion of the object. */
  readonly version: string
}

/**
 * The usage of one ResourceQuota that admission has charged, while the objects are not observed yet. The admission
 * plugin of an API server raises `status.used` before it stores the object. A controller that counts meanwhile must not
 * give that room away.
 *
 * The plugin does not name the object, so amounts are matched: each observed addition pays off the oldest charges. A
 * charge that is never observed lapses. Times are milliseconds of a clock that never goes back.
 */
export class InFlightUsage {
  readonly #patience: number
  #raised: Charged[] = []
  /** Objects that were observed before the write that charged them: the watches of two kinds do not keep pace. */
  #early: Stored[] = []

  /** `patience`: how long after its charge the API server can still store an object. */
  constructor(patience: number) {
    this.#patience = patience
  }

  /** Somebody else raised the usage by these amounts, in the write that gave the quota this resourceVersion. */
  raised(amounts: ResourceList, version: string, at: number): void {
    this.#lapse(at)
    let rest = removeZeros(amounts)
    for (const early of this.#early) {
      if (!isOlder(version, early.version)) continue
      const paid = smaller(rest, early.amounts)
      rest = less(rest, paid)
      early.amounts = less(early.amounts, paid)
    }
    this.#early = this.#early.filter(({ amounts }) => !isNothing(amounts))
    if (!isNothing(rest)) this.#raised.push({ amounts: rest, at })
  }

  /** An object with this resourceVersion was observed that costs these amounts, or more by them than before. */
  observed(amounts: ResourceList, version: string, at: number): void {
    this.#lapse(at)
    let rest = removeZeros(amounts)
    for (const raised of this.#raised) {
      const paid = smaller(rest, raised.amounts)
      rest = less(rest, paid)
      raised.amounts = less(raised.amounts, paid)
    }
    this.#raised = this.#raised.filter((raised) => !isNothing(raised.amounts))
    if (!isNothing(rest)) this.#early.push({ amounts: rest, version, at })
  }

  /** Returns what is in flight at a time. */
  amounts(at: number): ResourceList {
    this.#lapse(at)
    return this.#raised.reduce<ResourceList>((sum, { amounts }) => add(sum, amounts), {})
  }

  /** Returns when the next amount lapses; undefined while nothing is in flight. */
  get lapsesAt(): number | undefined {
    const [oldest] = this.#raised
    return oldest === undefined ? undefined : oldest.at + this.#patience
  }

  #lapse(at: number): void {
    const isKept = (charged: Charged): boolean => at - charged.at < this.#patience
    if (!this.#raised.every(isKept)) this.#raised = this.#raised.filter(isKept)
    if (!this.#early.every(isKept)) this.#early = this.#early.filter(isKept)
  }
}

/**
 * Returns the usage to write for a quota: the counted amounts and those in flight, but at most the usage that admission
 * has written. Counted objects that admission did not charge count in any case.
 */
export function usageToWrite(counted: ResourceList, used: ResourceList, inFlight: ResourceList): ResourceList {
  const written = Object.entries(counted).map(([name, amount]): [string, Quantity] => {
    const before = quantityOf(used, name)
    const waiting = quantityOf(inFlight, name)
    if (before === undefined || waiting === undefined || before.cmp(amount) <= 0) return [name, amount]
    const most = amount.add(waiting)
    return [name, most.cmp(before) < 0 ? most : before]
  })
  return Object.fromEntries(written)
}

/** Returns the amounts by which `current` exceeds `old`, of the names that both have. */
export function increases(old: ResourceList, current: ResourceList): ResourceList {
  return pairs(current, old, (amount, before) => amount.sub(before))
}

const smaller = (a: ResourceList, b: ResourceList): ResourceList =>
  pairs(a, b, (left, right) => (left.cmp(right) < 0 ? left : right))

const less = (amounts: ResourceList, paid: ResourceList): ResourceList =>
  Object.fromEntries(
    Object.entries(amounts)
      .map(([name, amount]): [string, Quantity] => [name, amount.sub(quantityOf(paid, name) ?? Quantity.zero)])
      .filter(([, amount]) => amount.sign() > 0),
  )

/** The positive results for the names that both have. */
function pairs(a: ResourceList, b: ResourceList, of: (left: Quantity, right: Quantity) => Quantity): ResourceList {
  const found = Object.entries(a).flatMap(([name, left]): [string, Quantity][] => {
    const right = quantityOf(b, name)
    const amount = right === undefined ? undefined : of(left, right)
    return amount !== undefined && amount.sign() > 0 ? [[name, amount]] : []
  })
  return Object.fromEntries(found)
}

const isNothing = (amounts: ResourceList): boolean => Object.keys(amounts).length === 0

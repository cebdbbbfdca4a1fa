import type { QuotaClaim } from '../api/quota-fields.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import type { SourceKind } from './source-kind.ts'
import { compareText } from '../../../machinery/text/compare.ts'

/** The most objects that the status of a quota lists: with the longest names they fill two thirds of what an API server stores. */
export const MAX_CLAIMS = 1000
/** The most bytes of one object in that list. Names of some kinds have no bound, and amounts have a thousand digits. */
export const MAX_CLAIM_BYTES = 1000

/** An object that a quota counts. */
export interface ClaimedObject {
  /** In the version that the quota's source reads. */
  readonly kind: SourceKind
  /** Empty for an object outside namespaces. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** Below 0 where it lowers the usage. */
  readonly cost: Quantity
}

/** `status.claims`, sorted by namespace, kind and name, and how many objects are left out of it. */
export interface ListedClaims {
  readonly claims: readonly QuotaClaim[]
  readonly omitted: number
}

/**
 * Gathers the objects that a quota counts, as its status lists them. Of more than `max` objects those with the largest amounts are
 * listed, whether they add or subtract. An object that takes more than `MAX_CLAIM_BYTES` is counted and not listed, so that nobody can
 * make a status too large to store. The result depends on no order.
 */
export class ClaimList {
  readonly #max: number
  readonly #kept: ClaimedObject[] = []
  #count = 0

  constructor(max: number = MAX_CLAIMS) {
    this.#max = max
  }

  add(object: ClaimedObject): void {
    const kept = this.#kept
    this.#count++
    if (kept.length < this.#max) {
      if (isTooLong(object)) return
      kept.push(object)
      siftUp(kept)
    } else if (kept[0] !== undefined && outranks(object, kept[0]) && !isTooLong(object)) {
      kept[0] = object
      siftDown(kept)
    }
  }

  get listed(): ListedClaims {
    return { claims: this.#kept.toSorted(compareKeys).map(asClaim), omitted: this.#count - this.#kept.length }
  }
}

function asClaim({ kind: { group, version, kind }, namespace, name, uid, cost }: ClaimedObject): QuotaClaim {
  const usage = cost.toString()
  const head = { group, version, kind, name, uid, usage }
  return namespace === '' ? head : { ...head, namespace }
}

const isTooLong = (object: ClaimedObject): boolean =>
  Buffer.byteLength(JSON.stringify(asClaim(object))) > MAX_CLAIM_BYTES

/** By namespace, kind and name; two kinds of the same name also by group. */
function compareKeys(a: ClaimedObject, b: ClaimedObject): number {
  return (
    compareText(a.namespace, b.namespace) ||
    compareText(a.kind.kind, b.kind.kind) ||
    compareText(a.name, b.name) ||
    compareText(a.kind.group, b.kind.group)
  )
}

/** Is `a` to be listed rather than `b`? */
function outranks(a: ClaimedObject, b: ClaimedObject): boolean {
  const order = magnitude(a).cmp(magnitude(b))
  return order === 0 ? compareKeys(a, b) < 0 : order > 0
}

const magnitude = ({ cost }: ClaimedObject): Quantity => (cost.sign() < 0 ? cost.neg() : cost)

/** The heap has the object to be replaced first at its root. */
function siftUp(heap: ClaimedObject[]): void {
  let at = heap.length - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!swapIfOutranked(heap, parent, at)) return
    at = parent
  }
}

function siftDown(heap: ClaimedObject[]): void {
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    const a = heap[left]
    const b = heap[left + 1]
    if (a === undefined) return
    const lower = b !== undefined && outranks(a, b) ? left + 1 : left
    if (!swapIfOutranked(heap, at, lower)) return
    at = lower
  }
}

/** Puts the lower-ranked of parent and child above the other. */
function swapIfOutranked(heap: ClaimedObject[], parent: number, child: number): boolean {
  const above = heap[parent]
  const below = heap[child]
  if (above === undefined || below === undefined || !outranks(above, below)) return false
  heap[parent] = below
  heap[child] = above
  return true
}

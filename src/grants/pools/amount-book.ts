import type { ResourceListJson } from '../../api/definition/collection.ts'
import type { QuantityJson } from '../../api/definition/scalar.ts'
import type { AllocatedClaim } from '../../api/resource-pool/resource-pool.ts'
import type { LabelSelector } from '../../machinery/selector/label-selector.ts'
import { compileAnyLabelSelector } from '../../machinery/selector/label-selector.ts'
import type { LabelMatcher } from '../../machinery/selector/requirement.ts'
import { jsonEqual, setOwn } from '../../machinery/json-value.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import { ClaimMemory } from './claim-memory.ts'
import { entriesOf, type Ledger } from './ledger.ts'
import { quotaHard } from './quota-hard.ts'
import { Tally } from './tally.ts'

/** Spellings of amounts that are kept at most; a cluster has few, but whoever writes claims may invent many. */
const MAX_SPELLINGS = 10_000

/** Lists that are kept by their text at most: a pool has two. */
const MAX_SHARED = 100

const NOTHING: ResourceList = Object.freeze({})

/**
 * Remembers what was read from objects, which are never changed in place: amounts, their sums, compiled selectors, and what
 * was decided about claims that only keep what they have. Only a cache: who keeps one between calls saves time, and
 * never gets another answer.
 */
export class AmountBook {
  readonly memory = new ClaimMemory()
  readonly #lists = new WeakMap<ResourceListJson, ResourceList>()
  readonly #sums = new WeakMap<readonly AllocatedClaim[], ResourceList>()
  readonly #bytes = new WeakMap<readonly AllocatedClaim[], number>()
  readonly #selectors = new WeakMap<readonly LabelSelector[], LabelMatcher>()
  readonly #shared = new Map<string, ResourceList>()
  readonly #quantities = new Map<QuantityJson, Quantity>()
  readonly #hards = new WeakMap<ResourceList, { readonly defaults: ResourceList; readonly hard: ResourceList }>()
  readonly #ledgers = new Map<string, Ledger>()
  readonly #totals = new WeakMap<Ledger, ResourceList>()

  /** The amounts of a JSON object; none where it is absent. Throws QuantityError. */
  read(json: ResourceListJson | undefined): ResourceList {
    if (json === undefined) return NOTHING
    const known = this.#lists.get(json)
    if (known !== undefined) return known
    const list: Record<string, Quantity> = {}
    for (const [name, value] of Object.entries(json)) setOwn(list, name, this.#quantity(value))
    this.#lists.set(json, list)
    return list
  }

  /** As `read`; equal objects give the very same list, for amounts that answers about many claims rest on. */
  readShared(json: ResourceListJson | undefined): ResourceList {
    if (json === undefined) return NOTHING
    const text = JSON.stringify(json)
    const known = this.#shared.get(text)
    if (known !== undefined) return known
    const list = this.read(json)
    if (this.#shared.size >= MAX_SHARED) this.#shared.clear()
    this.#shared.set(text, list)
    return list
  }

  /** What the entries of one namespace sum to. Throws QuantityError. */
  sumOf(entries: readonly AllocatedClaim[] | undefined): ResourceList {
    if (entries === undefined) return NOTHING
    const known = this.#sums.get(entries)
    if (known !== undefined) return known
    const tally = new Tally()
    for (const { claims } of entries) tally.add(this.read(claims))
    const sum = tally.list()
    this.#sums.set(entries, sum)
    return sum
  }

  /** How many bytes entries of a ledger take up as JSON. */
  bytesOf(entries: readonly AllocatedClaim[]): number {
    const known = this.#bytes.get(entries)
    if (known !== undefined) return known
    const bytes = JSON.stringify(entries).length
    this.#bytes.set(entries, bytes)
    return bytes
  }

  /**
   * The ledger of a pool, told by its uid, with the entries as they were seen before where they are the same: an object that
   * was just read from a server is then known as well as the one that was written.
   */
  known(pool: string, ledger: Ledger): Ledger {
    const before = this.#ledgers.get(pool)
    if (before === ledger) return ledger
    const result: Record<string, readonly AllocatedClaim[]> = {}
    for (const [namespace, entries] of Object.entries(ledger)) {
      const same = entriesOf(before, namespace)
      setOwn(result, namespace, same !== undefined && isSameEntries(same, entries) ? same : entries)
    }
    this.#ledgers.set(pool, result)
    return result
  }

  /** Takes the ledger that a pool has come to, so that `known` need not compare it. */
  learn(pool: string, ledger: Ledger): void {
    this.#ledgers.set(pool, ledger)
  }

  /** What all entries of a ledger sum to. Throws QuantityError. */
  totalOf(ledger: Ledger | undefined): ResourceList {
    if (ledger === undefined) return NOTHING
    const known = this.#totals.get(ledger)
    if (known !== undefined) return known
    const tally = new Tally()
    for (const namespace of Object.keys(ledger).toSorted()) tally.add(this.sumOf(entriesOf(ledger, namespace)))
    const total = tally.list()
    this.#totals.set(ledger, total)
    return total
  }

  /** `quotaHard` of a sum that `sumOf` gave. */
  hardOf(sum: ResourceList, defaults: ResourceList): ResourceList {
    const known = this.#hards.get(sum)
    if (known?.defaults === defaults) return known.hard
    const hard = quotaHard(sum, defaults)
    this.#hards.set(sum, { defaults, hard })
    return hard
  }

  /** Whether labels fit one of the selectors; one that is not well formed selects nothing. */
  matcherOf(selectors: readonly LabelSelector[]): LabelMatcher {
    const known = this.#selectors.get(selectors)
    if (known !== undefined) return known
    const matcher = compileAnyLabelSelector(selectors.filter(isSelector), { skipInvalid: true })
    this.#selectors.set(selectors, matcher)
    return matcher
  }

  #quantity(value: QuantityJson): Quantity {
    const known = this.#quantities.get(value)
    if (known !== undefined) return known
    const quantity = Quantity.fromJson(value)
    if (this.#quantities.size >= MAX_SPELLINGS) this.#quantities.clear()
    this.#quantities.set(value, quantity)
    return quantity
  }
}

function isSameEntries(a: readonly AllocatedClaim[], b: readonly AllocatedClaim[]): boolean {
  return a === b || (a.length === b.length && a.every((entry, at) => isSameEntry(entry, b[at])))
}

function isSameEntry(a: AllocatedClaim, b: AllocatedClaim | undefined): boolean {
  return b !== undefined && (a === b || (a.uid === b.uid && a.name === b.name && jsonEqual(a.claims, b.claims)))
}

/** Capsule takes an entry without any member for one that is absent, and so for one that selects nothing. */
function isSelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchLabels ?? matchExpressions ?? undefined) !== undefined
}

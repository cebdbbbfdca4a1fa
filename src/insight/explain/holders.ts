import type { KubeObject } from '../../machinery/object.ts'
import { valueAt } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { Outlook } from './budget-room.ts'
import type { SourcedBudget } from './budgets-of.ts'
import type { Holder, UnseenUse } from './explanation.ts'
import type { Facts } from './facts.ts'
import { plannedKey } from './planned-limits.ts'
import { resourceNamed } from './resource-named.ts'
import { listedShares, seenShares, type Share } from './shares.ts'

/** The most holders that are named of each limit. */
const MOST = 10
/** The most limits with named holders. Each limit costs a pass over all objects. */
export const MOST_LIMITS = 30

/** The holders of the limits that are exceeded. */
export interface Holding {
  /** The owners of the objects that use a limit, the largest of each limit first. */
  readonly holders: readonly Holder[]
  /** The use by objects that were not seen. The caller may not list them, or their quota lists no more. */
  readonly unseenHolders: readonly UnseenUse[]
  /** The number of limits without named holders, because too many limits are exceeded. */
  readonly leftOut: number
}

export const NOTHING_HELD: Holding = { holders: [], unseenHolders: [], leftOut: 0 }

/** Finds the holders of the first exceeded limits, at most `MOST_LIMITS`. */
export function holdingOf(outlooks: readonly Outlook[], budgets: readonly SourcedBudget[], facts: Facts): Holding {
  const sources = new Map(budgets.map(({ budget: { ref }, source }) => [ref, source]))
  const limits = outlooks.flatMap(({ budget, excesses }) => excesses.map((excess) => ({ budget, excess })))
  const named = limits.slice(0, MOST_LIMITS).map(({ budget, excess: { resource, used } }) => {
    const source = sources.get(budget.ref)
    const listed = source === undefined ? undefined : listedShares(source, facts)
    const shares = listed ?? seenShares(budget, resource, facts)
    const unseen =
      source !== undefined && listed !== undefined
        ? unlistedUse(source, listed, used, facts)
        : isWhole({ budget }, resource, facts)
          ? Quantity.zero
          : rest(used, shares)
    const limit = { budget: budget.ref.name, budgetKind: budget.ref.kind, resource }
    return {
      holders: largest(shares).map(({ owner, objects, amount, injected }) => ({
        owner,
        objects,
        ...limit,
        amount: amount.toString(),
        ...(injected.isZero() ? {} : { injected: injected.toString() }),
      })),
      unseenHolders: unseen.sign() <= 0 ? [] : [{ ...limit, amount: unseen.toString() }],
    }
  })
  return {
    holders: named.flatMap(({ holders }) => holders),
    unseenHolders: named.flatMap(({ unseenHolders }) => unseenHolders),
    leftOut: limits.length - named.length,
  }
}

/** Were all objects read that count towards the limit? */
const isWhole = ({ budget }: Pick<Outlook, 'budget'>, resource: string, { notSeen }: Facts): boolean =>
  !notSeen.some(({ resource: id }) => budget.rule.evaluators.of(resourceNamed(id))?.counts(resource))

const rest = (used: Quantity, shares: readonly Share[]): Quantity =>
  used.sub(shares.reduce((sum, { amount }) => sum.add(amount), Quantity.zero))

/** What a custom quota counts and does not list, or not to the reader. */
const unlistedUse = (source: KubeObject, listed: readonly Share[], used: Quantity, { unseenUse }: Facts): Quantity =>
  valueAt(source, 'status', 'omittedClaims') === undefined
    ? (unseenUse?.get(plannedKey({ kind: source.kind, name: source.metadata.name ?? '' })) ?? Quantity.zero)
    : rest(used, listed)

/** The shares of each owner together. */
function largest(shares: readonly Share[]): readonly (Share & { readonly objects: number })[] {
  const byOwner = Map.groupBy(shares, ({ owner: { kind, namespace, name } }) => `${kind}/${namespace}/${name}`)
  const sums = [...byOwner.values()].flatMap((group) => {
    const [first, ...others] = group
    if (first === undefined) return []
    const sum = (of: (one: Share) => Quantity): Quantity => others.reduce((all, one) => all.add(of(one)), of(first))
    const amount = sum((one) => one.amount)
    return [{ owner: first.owner, objects: group.length, amount, injected: sum(({ injected }) => injected) }]
  })
  return sums.toSorted((a, b) => b.amount.cmp(a.amount)).slice(0, MOST)
}

import type { Budget } from '../../charges/budget.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { textAt, valueAt } from '../../machinery/read.ts'
import { isCounted, type Outlook } from './budget-room.ts'
import { isBinding } from './bindings.ts'
import type { SourcedBudget } from './budgets-of.ts'
import { sideOf } from './costs.ts'
import type { Holder, ObjectId, UnseenUse } from './explanation.ts'
import { chainOf, type Facts, idOf } from './facts.ts'
import { amountsIn, injectedInto } from './next-pod.ts'
import { plannedKey } from './planned-limits.ts'
import { resourceNamed } from './resource-named.ts'
import { workloadKind } from './workload-kinds.ts'

interface Share {
  readonly owner: ObjectId
  readonly amount: Quantity
  readonly injected: Quantity
}

/** So many holders of each limit are named. */
const MOST = 10

/** The owners of what takes the room of the limits that are exceeded, the largest first. */
export const holdersOf = (
  outlooks: readonly Outlook[],
  budgets: readonly SourcedBudget[],
  facts: Facts,
): readonly Holder[] =>
  outlooks.flatMap(({ budget, excesses }) => {
    const source = budgets.find(({ budget: { ref } }) => ref === budget.ref)?.source
    const listed = source === undefined ? undefined : listedShares(source, facts)
    return excesses.flatMap(({ resource }) =>
      largest(listed ?? seenShares(budget, resource, facts)).map(({ owner, objects, amount, injected }) => ({
        owner,
        objects,
        budget: budget.ref.name,
        resource,
        amount: amount.toString(),
        ...(injected.isZero() ? {} : { injected: injected.toString() }),
      })),
    )
  })

/** How much of the room is held by objects that were not seen: they may not be listed, or their quota lists no more. */
export const unseenHoldersOf = (
  outlooks: readonly Outlook[],
  budgets: readonly SourcedBudget[],
  facts: Facts,
): readonly UnseenUse[] =>
  outlooks.flatMap(({ budget, excesses }) => {
    const source = budgets.find(({ budget: { ref } }) => ref === budget.ref)?.source
    return excesses.flatMap(({ resource, used }) => {
      const amount = unseenUse(budget, resource, used, source, facts)
      return amount.sign() <= 0 ? [] : [{ budget: budget.ref.name, resource, amount: amount.toString() }]
    })
  })

function unseenUse(
  budget: Budget,
  resource: string,
  used: Quantity,
  source: KubeObject | undefined,
  facts: Facts,
): Quantity {
  const listed = source === undefined ? undefined : listedShares(source, facts)
  const seen = listed ?? [...seenShares(budget, resource, facts)]
  const rest = (): Quantity => used.sub(seen.reduce((sum, { amount }) => sum.add(amount), Quantity.zero))
  if (listed !== undefined) {
    const omitted = valueAt(source, 'status', 'omittedClaims')
    return omitted === undefined ? (facts.unseenUse?.get(plannedKey(budget.ref)) ?? Quantity.zero) : rest()
  }
  const isWhole = !facts.notSeen.some(({ resource: id }) =>
    budget.rule.evaluators.of(resourceNamed(id))?.counts(resource),
  )
  return isWhole ? Quantity.zero : rest()
}

/** The shares of each owner together. */
function largest(shares: Iterable<Share>): readonly (Share & { readonly objects: number })[] {
  const byOwner = Map.groupBy(shares, ({ owner: { kind, namespace, name } }) => [kind, namespace, name].join('/'))
  const sums = [...byOwner.values()].flatMap((group) => {
    const [first, ...others] = group
    if (first === undefined) return []
    const sum = (of: (one: Share) => Quantity): Quantity => others.reduce((all, one) => all.add(of(one)), of(first))
    const amount = sum((one) => one.amount)
    return [{ owner: first.owner, objects: group.length, amount, injected: sum(({ injected }) => injected) }]
  })
  return sums.toSorted((a, b) => b.amount.cmp(a.amount)).slice(0, MOST)
}

/** What the objects take that were read. */
function* seenShares(budget: Budget, resource: string, facts: Facts): Generator<Share> {
  for (const [id, objects] of facts.objects) {
    const evaluator = budget.rule.evaluators.of(resourceNamed(id))
    if (evaluator?.counts(resource) !== true) continue
    for (const object of objects) {
      if (!isCounted(budget, object, evaluator)) continue
      const amount = quantityOf(evaluator.usage(object, { now: facts.now }), resource)
      if (amount === undefined || amount.sign() <= 0) continue
      const chain = chainOf(object, facts)
      yield { owner: ownerOf(chain[0] ?? object), amount, injected: injectedPart(object, chain, resource) }
    }
  }
}

/** A binding holds the room for the workload that it places. */
function ownerOf(top: KubeObject): ObjectId {
  if (!isBinding(top)) return idOf(top)
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(top, 'spec', 'resource', field))
  return { apiVersion: apiVersion ?? '', kind: kind ?? '', namespace: top.metadata.namespace ?? '', name: name ?? '' }
}

/** A custom quota lists itself what it counts, of whatever kinds; undefined for other quotas. */
function listedShares(source: KubeObject, facts: Facts): readonly Share[] | undefined {
  if (!['CustomQuota', 'GlobalCustomQuota'].includes(source.kind)) return undefined
  const { claims = [] } = (source as CustomQuota).status ?? {}
  return claims.flatMap(({ group, version, kind, namespace = '', name, uid, usage }) => {
    const amount = Quantity.fromJson(usage)
    if (amount.sign() <= 0) return []
    const seen = facts.byUid.get(uid)
    const [top] = seen === undefined ? [] : chainOf(seen, facts)
    const owner =
      top === undefined
        ? { apiVersion: group === '' ? version : `${group}/${version}`, kind, namespace, name }
        : idOf(top, facts.namespace)
    return [{ owner, amount, injected: Quantity.zero }]
  })
}

/** What the containers of a pod take that the template of its workload does not have. */
function injectedPart(pod: KubeObject, chain: readonly KubeObject[], name: string): Quantity {
  const maker = chain.at(-2)
  if (maker === undefined || pod.kind !== 'Pod' || workloadKind(maker) === undefined) return Quantity.zero
  const { initContainers = [], containers = [] } = injectedInto(pod, maker)
  // Init containers that end do not add to what a pod takes.
  const running = [...containers, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')]
  const { side, resource } = sideOf(name)
  return amountsIn(running, side, resource).reduce((sum, { amount }) => sum.add(amount), Quantity.zero)
}

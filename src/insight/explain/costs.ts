import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { textOf, valueAt } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { max, quantityOf, type ResourceList } from '../../quantity/resource-list.ts'
import { withClasses } from './cluster-classes.ts'
import { costliestContainers, sumOf } from './costliest-containers.ts'
import { type Demand, missingOf } from './demanded.ts'
import type { CostLine, CostSource } from './explanation.ts'
import type { Facts } from './facts.ts'
import { podLevelAmount } from './pod-level.ts'
import { containersOf, lacks, nextPod, type NextPod, sideOf } from './next-pod.ts'

/** A demand with what each of its objects costs. */
export interface Priced {
  readonly demand: Demand
  readonly missing: number
  /** As admission would see it. */
  readonly object: KubeObject
  /** Where the parts of a pod come from; undefined for objects of other kinds. */
  readonly parts: NextPod | undefined
  /** The cost of one, under every name; at least so much where containers are `unknown`. */
  readonly cost: ResourceList
  /** The containers of which nobody knows what they cost under a name: no pod was made that has them. */
  readonly unknown: (name: string) => readonly string[]
}

/** Prices what has to be made. Throws QuantityError for an amount that is none, and ApiError where LimitRanges have too many defaults. */
export function priced(demand: Demand, facts: Facts): Priced {
  const isPod = demand.resource.group === '' && demand.resource.resource === 'pods'
  const parts = isPod ? nextPod(demand, facts) : undefined
  const object = parts?.pod ?? withClasses(demand.next, demand.resource, facts).object
  const evaluator = QUOTA_EVALUATORS.of(demand.resource)
  const usage = evaluator?.usage(object, { now: facts.now }) ?? {}
  // What was refused may be what the same workload makes before its pods, such as a ReplicaSet.
  const refused = Object.entries(demand.refusal?.requested ?? {}).filter(([name]) => evaluator?.counts(name) === true)
  return {
    demand,
    missing: missingOf(demand),
    object,
    parts,
    unknown: (name) => (parts === undefined ? [] : unknownIn(parts, name, demand)),
    cost: parts === undefined || demand.refusal === undefined ? usage : max(usage, Object.fromEntries(refused)),
  }
}

const OF_CONTAINERS = /^(?:(?:requests|limits)\.)?(?:cpu|memory|ephemeral-storage)$/

function unknownIn(parts: NextPod, name: string, { refusal }: Demand): readonly string[] {
  const { side, resource } = sideOf(name)
  const isKnown =
    parts.lacking.size === 0 ||
    !OF_CONTAINERS.test(name) ||
    podLevelAmount(parts.pod, side, resource) !== undefined ||
    quantityOf(refusal?.requested ?? {}, name) !== undefined
  if (isKnown) return []
  return containersOf(parts.pod)
    .filter((one) => lacks(parts, one, side, resource) === 'unknown')
    .map((one) => textOf(one['name']))
}

/** Tells where a cost comes from, container by container, for these names. */
export const costLines = (
  { cost, parts, unknown, demand: { next } }: Priced,
  names: Iterable<string>,
): readonly CostLine[] =>
  [...new Set(names)].toSorted().flatMap((resource) => {
    const amount = quantityOf(cost, resource)
    if (amount === undefined || amount.isZero()) return []
    const sources = sourcesOf(resource, amount, parts, next)
    const unseen = unknown(resource)
    return [{ resource, amount: amount.toString(), sources, ...(unseen.length === 0 ? {} : { unknown: unseen }) }]
  })

function sourcesOf(
  name: string,
  amount: Quantity,
  parts: NextPod | undefined,
  next: KubeObject,
): readonly CostSource[] {
  const whole = [{ container: '', amount: amount.toString(), from: 'spec' as const }]
  if (parts === undefined) return whole
  const { side, resource } = sideOf(name)
  const own = podLevelAmount(parts.pod, side, resource)
  const found = costliestContainers(parts.pod, side, resource)
  const isOwn = own !== undefined && (podLevelAmount(next, side, resource) !== undefined || !own.equals(sumOf(found)))
  if (found.length === 0 && !isOwn) return whole
  const sum = isOwn ? own : sumOf(found)
  const sources = isOwn
    ? [{ container: '', amount: own.toString(), from: 'pod' as const }]
    : found.map((one) => ({
        container: one.container,
        amount: one.amount.toString(),
        from: parts.sourceOf(one.container, side, resource),
      }))
  if (sum.equals(amount)) return sources
  const overhead = Quantity.fromJson(valueAt(parts.pod, 'spec', 'overhead', resource) ?? '0')
  const more = amount.sub(sum)
  if (more.sign() <= 0 || more.cmp(overhead) < 0) return whole
  const others = [
    { amount: overhead, from: 'overhead' as const },
    // A refusal told of more than all containers have that are known.
    { amount: more.sub(overhead), from: 'injected' as const },
  ].flatMap((one) => (one.amount.isZero() ? [] : [{ ...one, container: '', amount: one.amount.toString() }]))
  return [...sources, ...others]
}

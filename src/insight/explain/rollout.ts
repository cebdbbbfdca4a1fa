import type { Deployment } from '../../builtin/apps-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, specOf, valueAt } from '../../machinery/read.ts'
import { outlook, type Outlook } from './budget-room.ts'
import type { Priced } from './costs.ts'
import { family, livePods } from './demand.ts'
import type { Facts } from './facts.ts'
import { type Replacement, unavailableIn } from './replacement.ts'
import { fitsWithout, without } from './without-pods.ts'
import { workloadKind } from './workload-kinds.ts'

/** How a Deployment replaces its pods. */
export interface Surge extends Replacement {
  readonly deployment: KubeObject
  /** The pods of all its ReplicaSets, the older ones among them. */
  readonly live: number
  /** Does a rollout wait because no pod may be missing and none can be made? */
  readonly isStuck: boolean
  /** Would it go on if it deleted a pod before it makes the next one? */
  readonly helps: boolean
  /** How many pods may be missing for that: one more than those that are missing already. */
  readonly enough: number
}

/** Returns how a Deployment's rollout stands with the budgets; undefined for other workloads, and where pods are replaced all at once. */
export function surgeOf(
  top: KubeObject,
  pods: Priced | undefined,
  outlooks: readonly Outlook[],
  facts: Facts,
): Surge | undefined {
  const isRolling = workloadKind(top)?.makes === 'ReplicaSet' && valueAt(top, 'spec', 'strategy', 'type') !== 'Recreate'
  const replicas = numberOf(specOf<Deployment>(top).replicas) ?? 1
  const unavailable = unavailableIn(top, replicas)
  if (!isRolling || pods === undefined || unavailable === undefined) return undefined
  const maker = pods.demand.maker ?? top
  const old = family(maker, facts)
    .filter((one) => one !== maker)
    .flatMap((one) => livePods(one, facts))
  const [oldest] = old
  const live = livePods(maker, facts).length + old.length
  const refused = outlooks.flatMap((one) => one.refused ?? [])
  // A ReplicaSet that cannot be made needs another remedy.
  const isStuck =
    oldest !== undefined && unavailable === 0 && refused.length > 0 && refused.every((one) => one === pods)
  return {
    deployment: top,
    replicas,
    live,
    old,
    unavailable,
    isStuck,
    helps:
      isStuck &&
      fitsWithout([oldest], pods, outlooks, facts) &&
      (pods.demand.replacement === undefined || fitInstead(old, pods, outlooks, facts)),
    enough: Math.max(0, replicas - live) + 1,
  }
}

/** Do all new pods fit in the place of the old ones? */
const fitInstead = (old: readonly KubeObject[], pods: Priced, outlooks: readonly Outlook[], facts: Facts): boolean =>
  outlooks.every(({ budget }) => outlook(without(budget, old, pods, facts), [pods]).excesses.length === 0)

/** Says that a rollout has no room for its next pod. */
export const rolloutText = ({ kind, metadata }: KubeObject, waits: 'waits' | 'would wait'): string =>
  `a rollout of ${kind} ${metadata.name ?? ''} ${waits}: it makes a pod before it deletes one (maxUnavailable is 0), and the quotas have no room for it`

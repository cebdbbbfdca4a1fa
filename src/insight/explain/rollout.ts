import type { Deployment } from '../../builtin/apps-v1.ts'
import { rolloutOf } from '../../kinds/apps/rollout.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, specOf, valueAt } from '../../machinery/read.ts'
import type { Outlook } from './budget-room.ts'
import type { Priced } from './costs.ts'
import { family, livePods } from './demand.ts'
import type { Facts } from './facts.ts'
import { fitsWithout } from './without-pods.ts'
import { workloadKind } from './workload-kinds.ts'

/** How a Deployment replaces its pods. */
export interface Surge {
  readonly deployment: KubeObject
  /** How many pods may be missing meanwhile. */
  readonly unavailable: number
  /** How many pods it is to have. */
  readonly replicas: number
  /** The pods of all its ReplicaSets, and those of the older ones among them. */
  readonly live: number
  readonly older: number
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
  if (!isRolling || pods === undefined) return undefined
  const replicas = numberOf(specOf<Deployment>(top).replicas) ?? 1
  const { maxSurge, maxUnavailable } = objectOf(valueAt(top, 'spec', 'strategy', 'rollingUpdate'))
  const { maxUnavailable: unavailable } = rolloutOf(replicas, maxSurge, maxUnavailable)
  const maker = pods.demand.maker ?? top
  const older = family(maker, facts)
    .filter((one) => one !== maker)
    .flatMap((one) => livePods(one, facts))
  const [old] = older
  const live = livePods(maker, facts).length + older.length
  const refused = outlooks.flatMap((one) => one.refused ?? [])
  // A ReplicaSet that cannot be made needs another remedy.
  const isStuck = old !== undefined && unavailable === 0 && refused.length > 0 && refused.every((one) => one === pods)
  return {
    deployment: top,
    replicas,
    live,
    older: older.length,
    unavailable,
    isStuck,
    helps: isStuck && fitsWithout([old], pods, outlooks, facts),
    enough: Math.max(0, replicas - live) + 1,
  }
}

/** Says that a rollout has no room for its next pod. */
export const rolloutText = ({ kind, metadata }: KubeObject, waits: 'waits' | 'would wait'): string =>
  `a rollout of ${kind} ${metadata.name ?? ''} ${waits}: it makes a pod before it deletes one (maxUnavailable is 0), and the quotas have no room for it`

import type { Pod } from '../../../builtin/core-v1.ts'
import type { PodDisruptionBudget } from '../../../builtin/policy-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { absent, objectOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { listed } from '../shared/condition.ts'
import { isDeleting, isReady } from '../shared/pod-facts.ts'
import { share } from '../../../kinds/apps/rollout.ts'

/** How long an evicted pod counts as gone before its deletion was seen (upstream `DeletionTimeout`). */
const DELETION_TIMEOUT_MS = 120_000
const CONDITION = 'DisruptionAllowed'

/** How many pods a budget expects, and how many of them are to stay healthy. */
export interface ExpectedPods {
  readonly expected: number
  readonly desired: number
}

export interface BudgetState {
  readonly budget: PodDisruptionBudget
  /** Those that its selector selects. */
  readonly pods: readonly Pod[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface DisruptionPlan {
  readonly status: JsonObject
  /** Pods that were evicted and are still there. */
  readonly overdue: readonly KubeObject[]
  /** Look again at this time, in milliseconds since the epoch. */
  readonly next?: number
}

/** Does the budget measure itself by the scale of what controls its pods, and not by the pods that are there? */
export const needsScale = (budget: PodDisruptionBudget): boolean => {
  const { minAvailable, maxUnavailable } = specOf(budget)
  return !absent(maxUnavailable) || typeof minAvailable === 'string'
}

/** Returns the expectation of a budget where `scale` pods are wanted and `present` are there (upstream `getExpectedPodCount`). */
export function expectationOf(budget: PodDisruptionBudget, scale: number, present: number): ExpectedPods {
  const { minAvailable, maxUnavailable } = specOf(budget)
  if (!absent(maxUnavailable))
    return { expected: scale, desired: Math.max(0, scale - share(maxUnavailable, scale, 'up')) }
  if (absent(minAvailable)) return { expected: 0, desired: 0 }
  if (typeof minAvailable === 'string') return { expected: scale, desired: share(minAvailable, scale, 'up') }
  return { expected: present, desired: share(minAvailable, present, 'up') }
}

/** The status of a budget with these pods. Pure. */
export function planDisruption(
  { budget, pods, now }: BudgetState,
  { expected, desired }: ExpectedPods,
): DisruptionPlan {
  const times = new Map(
    Object.entries(objectOf(statusOf(budget)['disruptedPods'])).map(([name, time]) => [name, Date.parse(textOf(time))]),
  )
  const evicted = pods.filter((pod) => !isDeleting(pod) && times.has(pod.metadata.name ?? ''))
  const deadline = ({ metadata }: KubeObject): number => (times.get(metadata.name ?? '') ?? 0) + DELETION_TIMEOUT_MS
  const awaited = new Set(evicted.filter((pod) => deadline(pod) > now))
  const names = new Set([...awaited].map(({ metadata }) => metadata.name))
  const healthy = pods.filter((pod) => !isDeleting(pod) && isReady(pod) && !awaited.has(pod)).length
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const disrupted = Object.entries(objectOf(statusOf(budget)['disruptedPods'])).filter(([name]) => names.has(name))
  return {
    status: {
      ...(disrupted.length === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      observedGeneration: budget.metadata.generation,
      ...listed('conditions', withAllowed(budget, allowed > 0 ? 'SufficientPods' : 'InsufficientPods', '', now)),
    },
    overdue: evicted.filter((pod) => deadline(pod) <= now),
    ...(awaited.size === 0
      ? {}
      : { next: [...awaited].reduce((next, pod) => Math.min(next, deadline(pod)), Infinity) }),
  }
}

/** The status of a budget whose pods cannot be counted: nothing may be disrupted, and it does not count as observed. */
export function failedStatus(budget: PodDisruptionBudget, why: string, now: number): JsonObject {
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...statusOf(budget),
    disruptionsAllowed: 0,
    conditions: withAllowed(budget, 'SyncFailed', why, now),
  }
}

/** The conditions with what is said of disruptions; the time is that of the last change of its status. */
function withAllowed(budget: PodDisruptionBudget, reason: string, message: string, now: number): readonly JsonObject[] {
  const conditions = objectsOf(statusOf(budget)['conditions'])
  const old = conditions.find(({ type }) => type === CONDITION)
  const status = reason === 'SufficientPods' ? 'True' : 'False'
  const made = {
    type: CONDITION,
    status,
    observedGeneration: budget.metadata.generation,
    lastTransitionTime: old?.['status'] === status ? old['lastTransitionTime'] : timestamp(now),
    reason,
    message,
  }
  return old === undefined ? [...conditions, made] : conditions.map((one) => (one === old ? made : one))
}

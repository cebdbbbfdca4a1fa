import type { Pod } from '../../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { controllerReference } from './owned-objects.ts'

export const phaseOf = (pod: Pod): string => textOf(statusOf(pod)['phase'])

export const isFinished = (pod: Pod): boolean => ['Succeeded', 'Failed'].includes(phaseOf(pod))

export const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

/** Does the pod run, or may it still? */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isDeleting(pod)

const readyCondition = (pod: Pod): JsonObject | undefined =>
  objectsOf(statusOf(pod)['conditions']).find(({ type, status }) => type === 'Ready' && status === 'True')

export const isReady = (pod: Pod): boolean => readyCondition(pod) !== undefined

/** Has the pod been ready for so many seconds? `now`: milliseconds since the epoch. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const ready = readyCondition(pod)
  if (ready === undefined) return false
  return minReadySeconds === 0 || availableAt(pod, minReadySeconds) <= now
}

/** When a ready pod counts as available, in milliseconds since the epoch. */
const availableAt = (pod: Pod, minReadySeconds: number): number =>
  Date.parse(textOf(readyCondition(pod)?.['lastTransitionTime'])) + minReadySeconds * 1000

/** When the next of the pods that are ready but do not count as available yet will do so; undefined when none will. */
export function nextAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  let next = Infinity
  for (const pod of pods) {
    const time = isReady(pod) ? availableAt(pod, minReadySeconds) : now
    if (time > now && time < next) next = time
  }
  return Number.isFinite(next) ? next : undefined
}

/** A pod made from an owner's template; `more` is laid over its metadata and spec. */
export function podFrom(
  template: unknown,
  owner: KubeObject,
  more: { readonly metadata?: JsonObject; readonly spec?: JsonObject } = {},
): KubeObject {
  const { metadata, spec } = objectOf(template)
  const { labels, annotations, finalizers } = objectOf(metadata)
  const extra = more.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: owner.metadata.namespace ?? '',
      ...extra,
      ...(labels === undefined && extra['labels'] === undefined
        ? {}
        : { labels: { ...objectOf(labels), ...objectOf(extra['labels']) } as Record<string, string> }),
      ...(annotations === undefined && extra['annotations'] === undefined
        ? {}
        : { annotations: { ...objectOf(annotations), ...objectOf(extra['annotations']) } as Record<string, string> }),
      ...(Array.isArray(finalizers) && extra['finalizers'] === undefined ? { finalizers: finalizers as string[] } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...objectOf(spec), ...more.spec },
  }
}

/**
 * The order in which pods are given up, the cheapest first (upstream `ActivePodsWithRanks`). Pods without a node come first, then pending
 * ones, then those not ready. Among equals the lower deletion cost comes first, and then the younger pod.
 */
export function cheapestFirst(pods: readonly Pod[]): readonly KubeObject[] {
  const rank = (pod: Pod): readonly number[] => [
    textOf(specOf(pod)['nodeName']) === '' ? 0 : 1,
    phaseOf(pod) === 'Pending' ? 0 : 1,
    isReady(pod) ? 1 : 0,
    Number(pod.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0) || 0,
    -Date.parse(pod.metadata.creationTimestamp ?? ''),
  ]
  const ranked = pods.map((pod) => ({ pod, rank: rank(pod) }))
  return ranked.toSorted((a, b) => compare(a.rank, b.rank)).map(({ pod }) => pod)
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at])
  return index === -1 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

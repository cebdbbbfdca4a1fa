import type { Deployment, ReplicaSet } from '../../builtin/apps-v1.ts'
import { isInt64Text } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, specOf } from '../../machinery/read.ts'
import { sameTemplate } from './same-template.ts'

/** The label that distinguishes the pods of one template from others. */
export const HASH = 'pod-template-hash'
/** The annotation with the number of the template. */
export const REVISION = 'deployment.kubernetes.io/revision'

/** Revisions are numbers of 64 bits; what is not one counts as none. */
export function revisionOf({ metadata }: KubeObject): bigint {
  const text = metadata.annotations?.[REVISION] ?? ''
  return isInt64Text(text) ? BigInt(text) : 0n
}

const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  (a.metadata.creationTimestamp ?? '') < (b.metadata.creationTimestamp ?? '') ? -1 : 1

/** The set of a Deployment's present template, if there is one, and the others, oldest first. */
export function splitSets(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
): { readonly fresh: KubeObject | undefined; readonly old: readonly KubeObject[] } {
  const sorted = sets.toSorted(byAge)
  const { template } = specOf(deployment)
  const fresh = sorted.find((set) => sameTemplate(specOf(set).template, template, HASH))
  return { fresh, old: sorted.filter((set) => set !== fresh) }
}

/** Of sets that have no pods, oldest first, those that a Deployment keeps no longer for a rollback. */
export function forgotten(deployment: Deployment, idle: readonly KubeObject[]): readonly KubeObject[] {
  const limit = numberOf(specOf(deployment).revisionHistoryLimit) ?? 10
  return idle.slice(0, Math.max(0, idle.length - limit))
}

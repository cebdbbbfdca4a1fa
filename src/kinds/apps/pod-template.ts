import type { PodTemplateSpec } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, valueAt } from '../../machinery/read.ts'

const IN_SPEC = ['spec', 'template']

/** Where the kinds that make pods, or make what makes them, have the template of these. */
export const POD_TEMPLATES: ReadonlyMap<string, readonly string[]> = new Map([
  ['Deployment', IN_SPEC],
  ['ReplicaSet', IN_SPEC],
  ['ReplicationController', IN_SPEC],
  ['StatefulSet', IN_SPEC],
  ['DaemonSet', IN_SPEC],
  ['Job', IN_SPEC],
  ['CronJob', ['spec', 'jobTemplate', ...IN_SPEC]],
])

/** The template of the pods of a workload; an empty one where it has none. */
export function podTemplateOf(workload: KubeObject): PodTemplateSpec {
  const place = POD_TEMPLATES.get(workload.kind)
  return place === undefined ? {} : objectOf(valueAt(workload, ...place))
}

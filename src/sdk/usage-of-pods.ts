import type { ReplicationController } from '../builtin/core-v1.ts'
import type { Deployment, ReplicaSet, StatefulSet } from '../builtin/apps-v1.ts'
import type { CronJob, Job, JobSpec } from '../builtin/batch-v1.ts'
import { objectsOf, objectOf, specOf } from '../machinery/read.ts'
import { POD_TEMPLATES, podTemplateOf } from '../kinds/apps/pod-template.ts'
import { wholeNumber } from '../machinery/json-value.ts'
import type { KubeObject, ObjectMeta } from '../machinery/object.ts'
import { add, type ResourceList } from '../quantity/resource-list.ts'
import { type GivenObject, readGiven } from './given-object.ts'
import { InputError } from './input-error.ts'
import { usageOf, type UsageOptions } from './usage-of.ts'

export interface PodsUsageOptions extends Omit<UsageOptions, 'resource'> {
  /** On how many nodes a DaemonSet runs; default 1. */
  readonly nodes?: number
}

const replicas = (workload: Deployment | ReplicaSet | ReplicationController | StatefulSet): bigint =>
  wholeNumber(specOf(workload).replicas) ?? 1n

/** No more than run at a time, nor than are to complete. */
function parallel({ parallelism, completions }: JobSpec): bigint {
  const most = wholeNumber(parallelism) ?? 1n
  const all = wholeNumber(completions)
  return all !== undefined && all < most ? all : most
}

const jobOf = (cronJob: CronJob): JobSpec => objectOf(objectOf(specOf(cronJob).jobTemplate).spec)

/** How many pods there are at a time of those that are not kept at a number of replicas. */
const COUNTS: Readonly<Record<string, (workload: KubeObject, nodes: number) => bigint>> = {
  DaemonSet: (_workload, nodes) => BigInt(nodes),
  Job: (job: Job) => parallel(specOf(job)),
  CronJob: (cronJob: CronJob) => parallel(jobOf(cronJob)),
}

/**
 * Returns the cost of the pods of a workload while all of them run, with the volume claims that a StatefulSet makes for each:
 * `usageOfPods(deployment)['requests.cpu']`. The workload itself costs `usageOf(workload)`. Counted are the pods of one run of
 * a CronJob, and those that a Job runs at a time; what a rollout has in addition is not. Throws InputError for an object that makes no
 * pods, and QuantityError for an invalid amount.
 */
export function usageOfPods(given: GivenObject, { nodes = 1, ...options }: PodsUsageOptions = {}): ResourceList {
  const workload = readGiven(given, 'workload')
  if (!Number.isSafeInteger(nodes) || nodes < 0)
    throw new InputError('nodes', 'must be a whole number that is not negative')
  if (!POD_TEMPLATES.has(workload.kind))
    throw new InputError(
      'workload.kind',
      `must be one of ${[...POD_TEMPLATES.keys()].join(', ')}, not ${workload.kind}`,
    )
  const namespace = workload.metadata.namespace === undefined ? {} : { namespace: workload.metadata.namespace }
  const { metadata, spec } = podTemplateOf(workload)
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadataOf(metadata), ...namespace },
    spec: objectOf(spec),
  }
  const each = [pod, ...claimsOf(workload)].map((object) => usageOf(object, options)).reduce(add)
  const count = (COUNTS[workload.kind] ?? replicas)(workload, nodes)
  return Object.fromEntries(Object.entries(each).map(([name, amount]) => [name, amount.mul(count)]))
}

function claimsOf(workload: StatefulSet): readonly KubeObject[] {
  if (workload.kind !== 'StatefulSet') return []
  return objectsOf(specOf(workload).volumeClaimTemplates).map(({ metadata, spec }) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: metadataOf(metadata),
    spec: objectOf(spec),
  }))
}

/** The metadata of a template, for the evaluators, which trust that of every object. */
const metadataOf = (sent: unknown): ObjectMeta => objectOf(sent)

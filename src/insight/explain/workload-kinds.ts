import { wholeNumber } from '../../machinery/json-value.ts'
import type { DaemonSet, ReplicaSet, StatefulSet } from '../../builtin/apps-v1.ts'
import type { CronJob, Job } from '../../builtin/batch-v1.ts'
import type { PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import { groupOf } from '../../machinery/group-version.ts'
import { podTemplateOf } from '../../kinds/apps/pod-template.ts'
import type { KubeObject } from '../../machinery/object.ts'
import {
  type Embedded,
  objectOf,
  objectsOf as listOfObjects,
  specOf,
  statusOf,
  textOf,
  valueAt,
} from '../../machinery/read.ts'

/** A kind whose objects make others. */
export interface WorkloadKind {
  readonly group: string
  readonly resource: string
  /** The kind that it makes. */
  readonly makes: 'Pod' | 'ReplicaSet' | 'Job'
  /** How many of them there are to be, as the stored object says; `fresh` for one that nobody has applied. */
  readonly wanted: (object: KubeObject, fresh: boolean) => number
}

const count = (value: unknown, missing: number): number => Number(wholeNumber(value) ?? BigInt(missing))
const replicas = (object: ReplicaSet): number => count(specOf(object).replicas, 1)

/** Pods that run at a time, and no more than are to complete. A suspended Job wants none. */
function parallel(job: Job): number {
  const { suspend, parallelism, completions } = specOf(job)
  if (suspend === true) return 0
  const most = count(parallelism, 1)
  const all = wholeNumber(completions)
  const succeeded = count(statusOf(job).succeeded, 0)
  // Without a number of completions a Job makes no more pods once one has succeeded.
  if (all === undefined) return succeeded > 0 ? count(statusOf(job).active, 0) : most
  return Math.min(most, Math.max(0, Number(all) - succeeded))
}

const isOver = (job: Job): boolean =>
  listOfObjects(statusOf(job).conditions).some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  )

/** By kind. Other groups may have kinds of the same names: `workloadKind` tells them apart. */
export const WORKLOAD_KINDS: ReadonlyMap<string, WorkloadKind> = new Map<string, WorkloadKind>([
  ['Deployment', { group: 'apps', resource: 'deployments', makes: 'ReplicaSet', wanted: () => 1 }],
  ['ReplicaSet', { group: 'apps', resource: 'replicasets', makes: 'Pod', wanted: replicas }],
  ['ReplicationController', { group: '', resource: 'replicationcontrollers', makes: 'Pod', wanted: replicas }],
  ['StatefulSet', { group: 'apps', resource: 'statefulsets', makes: 'Pod', wanted: replicas }],
  [
    'DaemonSet',
    {
      group: 'apps',
      resource: 'daemonsets',
      makes: 'Pod',
      wanted: (set: DaemonSet, fresh) => (fresh ? 1 : count(statusOf(set).desiredNumberScheduled, 0)),
    },
  ],
  [
    'Job',
    {
      group: 'batch',
      resource: 'jobs',
      makes: 'Pod',
      wanted: (job: Job) => (isOver(job) ? 0 : parallel(job)),
    },
  ],
  [
    'CronJob',
    {
      group: 'batch',
      resource: 'cronjobs',
      makes: 'Job',
      wanted: (cron: CronJob) => (specOf(cron).suspend === true ? 0 : 1),
    },
  ],
])

/** The workloads that `kubectl scale` and autoscalers scale. */
export const SCALED: ReadonlySet<string> = new Set(['deployments', 'replicasets', 'statefulsets'])

/** What an object makes, if it is a workload of Kubernetes. */
export function workloadKind({ apiVersion, kind }: KubeObject): WorkloadKind | undefined {
  const found = WORKLOAD_KINDS.get(kind)
  return found?.group === groupOf(apiVersion) ? found : undefined
}

/** The templates of the claims that a StatefulSet makes for each of its pods. */
export const claimTemplates = (object: StatefulSet): readonly Embedded<PersistentVolumeClaim>[] =>
  workloadKind(object)?.resource === 'statefulsets' ? listOfObjects(specOf(object).volumeClaimTemplates) : []

/** The object that a workload makes next, with its metadata and spec. It has no name yet. */
export function madeFrom(maker: KubeObject, { makes }: WorkloadKind, namespace: string): KubeObject {
  const { metadata, spec } = makes === 'Job' ? objectOf(valueAt(maker, 'spec', 'jobTemplate')) : podTemplateOf(maker)
  const { labels, annotations } = objectOf(metadata)
  const { name, generateName } = maker.metadata
  const own = makes === 'ReplicaSet' ? { replicas: replicas(maker), template: { metadata, spec } } : objectOf(spec)
  return {
    apiVersion: makes === 'Pod' ? 'v1' : makes === 'Job' ? 'batch/v1' : 'apps/v1',
    kind: makes,
    metadata: {
      namespace,
      // What nobody has made yet has no name.
      generateName: name === undefined ? textOf(generateName) : `${name}-`,
      labels: objectOf(labels) as Readonly<Record<string, string>>,
      annotations: objectOf(annotations) as Readonly<Record<string, string>>,
    },
    spec: own,
  }
}

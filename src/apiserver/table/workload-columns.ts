import type { PodSpec, ReplicationController } from '../../builtin/core-v1.ts'
import type { CronJob, Job, JobSpec } from '../../builtin/batch-v1.ts'
import type {
  ControllerRevision,
  DaemonSet,
  DaemonSetStatus,
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  ReplicaSetStatus,
  StatefulSet,
} from '../../builtin/apps-v1.ts'
import { int64, wholeNumber } from '../../machinery/json-value.ts'
import { groupOf } from '../../machinery/group-version.ts'
import { controllerOf, type KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { absent, countOf, listOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column, integer, wide } from './column.ts'
import { humanDuration, since } from './duration.ts'
import {
  ageColumn,
  containerColumns,
  labelsCell,
  nameColumn,
  NONE,
  selectorCell,
  selectorColumn,
  templateSpec,
} from './shared-columns.ts'

/** A count in the status of a workload. */
const inStatus =
  (field: keyof DeploymentStatus | keyof ReplicaSetStatus | keyof DaemonSetStatus) =>
  (object: KubeObject): number =>
    countOf(objectOf(object.status)[field])

const readyOfDesired = column(
  'Ready',
  'Pods that are ready, of all that are wanted.',
  (object: Deployment | StatefulSet) => {
    return `${countOf(statusOf(object).readyReplicas)}/${countOf(specOf(object).replicas)}`
  },
)

const ofTemplate = containerColumns(templateSpec)

export const deploymentColumns: readonly Column[] = [
  nameColumn,
  readyOfDesired,
  column('Up-to-date', 'Pods that have the current template.', inStatus('updatedReplicas')),
  column('Available', 'Pods that have been ready for long enough.', inStatus('availableReplicas')),
  ageColumn,
  ...ofTemplate,
  selectorColumn,
]

export const replicaSetColumns: readonly Column[] = [
  nameColumn,
  integer('Desired', 'Pods that are wanted.', (object: ReplicaSet) => countOf(specOf(object).replicas)),
  integer('Current', 'Pods that exist.', inStatus('replicas')),
  integer('Ready', 'Pods that are ready.', inStatus('readyReplicas')),
  ageColumn,
  ...ofTemplate,
  selectorColumn,
]

export const replicationControllerColumns: readonly Column[] = [
  ...replicaSetColumns.slice(0, -1),
  wide('Selector', 'Which pods belong to it.', (object: ReplicationController) => labelsCell(specOf(object).selector)),
]

export const statefulSetColumns: readonly Column[] = [nameColumn, readyOfDesired, ageColumn, ...ofTemplate]

export const daemonSetColumns: readonly Column[] = [
  nameColumn,
  integer('Desired', 'Nodes that should run its pod.', inStatus('desiredNumberScheduled')),
  integer('Current', 'Nodes that run its pod and should.', inStatus('currentNumberScheduled')),
  integer('Ready', 'Nodes on which its pod is ready.', inStatus('numberReady')),
  integer('Up-to-date', 'Nodes whose pod has the current template.', inStatus('updatedNumberScheduled')),
  integer('Available', 'Nodes whose pod has been ready for long enough.', inStatus('numberAvailable')),
  column('Node Selector', 'Labels of the nodes that it runs on.', (object: DaemonSet) =>
    labelsCell(templateSpec(object).nodeSelector),
  ),
  ageColumn,
  ...ofTemplate,
  selectorColumn,
]

/** Conditions that say what a job is doing, the first that is true wins; deletion comes after the final ones. */
const FINAL = ['Complete', 'Failed']
const PASSING = ['Suspended', 'FailureTarget']

function jobStatus(job: Job): string {
  const holding = new Set(
    objectsOf(statusOf(job).conditions)
      .filter((condition) => condition.status === 'True')
      .map((condition) => textOf(condition.type)),
  )
  const first = (list: readonly string[]): string | undefined => list.find((type) => holding.has(type))
  const deleted = job.metadata.deletionTimestamp === undefined ? undefined : 'Terminating'
  return first(FINAL) ?? deleted ?? first(PASSING) ?? 'Running'
}

function completions(job: Job): string {
  const spec = specOf(job)
  const succeeded = countOf(statusOf(job).succeeded)
  if (!absent(spec.completions)) return `${succeeded}/${countOf(spec.completions)}`
  const parallelism = countOf(spec.parallelism)
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration(job: Job, now: number): string {
  const { startTime, completionTime } = statusOf(job)
  const start = Date.parse(textOf(startTime))
  if (Number.isNaN(start)) return ''
  const end = Date.parse(textOf(completionTime))
  return humanDuration((Number.isNaN(end) ? now : end) - start)
}

export const jobColumns: readonly Column[] = [
  nameColumn,
  column('Status', 'The state of the job, in a word.', jobStatus),
  column('Completions', 'Pods that succeeded, of all that should.', completions),
  column('Duration', 'How long the job has run, or ran.', (object: Job, { now }) => jobDuration(object, now)),
  ageColumn,
  ...ofTemplate,
  selectorColumn,
]

const jobSpec = (object: CronJob): JobSpec => objectOf(objectOf(specOf(object).jobTemplate).spec)
const jobPodSpec = (object: CronJob): PodSpec => objectOf(objectOf(jobSpec(object).template).spec)

/** A switch that may not be set at all. */
const switchCell = (value: unknown): string => (typeof value === 'boolean' ? (value ? 'True' : 'False') : '<unset>')

export const cronJobColumns: readonly Column[] = [
  nameColumn,
  column('Schedule', 'When jobs start, in the form of cron.', (object: CronJob) => textOf(specOf(object).schedule)),
  column('Timezone', 'The time zone of the schedule.', (object: CronJob) => textOf(specOf(object).timeZone) || NONE),
  column(
    'Suspend',
    'Whether it starts no more jobs for now.',
    (object: CronJob) => switchCell(specOf(object).suspend),
    {
      type: 'boolean',
    },
  ),
  integer('Active', 'Jobs that are running.', (object: CronJob) => listOf(statusOf(object).active).length),
  column('Last Schedule', 'How long ago a job was last started.', (object: CronJob, { now }) => {
    const last = statusOf(object).lastScheduleTime
    return absent(last) ? NONE : since(last, now)
  }),
  ageColumn,
  ...containerColumns(jobPodSpec),
  wide('Selector', 'Which pods belong to its jobs.', (object: CronJob) => selectorCell(jobSpec(object).selector)),
]

export const controllerRevisionColumns: readonly Column[] = [
  nameColumn,
  column('Controller', 'The object whose history this is.', (object: ControllerRevision) => {
    const owner = controllerOf(object)
    if (owner === undefined) return NONE
    const { kind, name, apiVersion } = owner
    return `${qualified({ resource: kind.toLowerCase(), group: groupOf(apiVersion) })}/${name}`
  }),
  column('Revision', 'The number of the revision; higher ones are newer.', (object: ControllerRevision) =>
    int64(wholeNumber(object.revision) ?? 0n),
  ),
  ageColumn,
]

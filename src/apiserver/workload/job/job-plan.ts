import type { Job, JobSpec, JobStatus } from '../../../builtin/batch-v1.ts'
import type { Pod } from '../../../builtin/core-v1.ts'
import { OWN_FINALIZERS } from '../../../machinery/own-finalizers.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import {
  absent,
  countOf,
  numberOf,
  objectOf,
  objectsOf,
  specOf,
  statusOf,
  textOf,
  textsOf,
} from '../../../machinery/read.ts'
import { BURST } from '../shared/burst.ts'
import { conditionIn } from '../../../api/condition.ts'
import { listed, withWorkloadCondition, type WorkloadCondition } from '../shared/condition.ts'
import { type IndexRanges, lowestOutside, rangesText, readRanges, sizeOf, withIndexes } from './index-ranges.ts'
import { isDeleting, isFinished, isReady, phaseOf } from '../shared/pod-facts.ts'

export const INDEX = 'batch.kubernetes.io/job-completion-index'
/** Keeps a finished pod until it has been counted. */
export const TRACKING = OWN_FINALIZERS.jobPod

/** The next steps for a Job, and its new status. */
export interface JobPlan {
  /** The completion indexes of the pods to make now, no more than a burst; -1 for each pod of a Job without indexes. */
  readonly create: readonly number[]
  readonly remove: readonly KubeObject[]
  /** Pods that have been counted: their finalizer may go once the status is written. */
  readonly counted: readonly KubeObject[]
  readonly status: JsonObject
  /** Look again at this time, in milliseconds since the epoch. */
  readonly next?: number
}

/** `pods` are those that the Job manages; `now`: milliseconds since the epoch. Pure. */
export function planJob(job: Job, pods: readonly Pod[], now: number): JobPlan {
  const spec = specOf(job)
  const status = statusOf(job)
  if (isOver(job)) return { create: [], remove: [], counted: pods.filter(isTracked), status }
  const counts = countPods(job, pods)
  const active = pods.filter((pod) => !isFinished(pod) && !isDeleting(pod))
  const isSuspended = spec['suspend'] === true
  const started = startTime(status, isSuspended, now)
  const end = deadlineOf(spec, started)
  const failure = isSuspended ? undefined : failureOf(spec, counts, end, now)
  const isComplete = failure === undefined && completed(spec, counts, active.length)
  const areAllCounted = counts.uncounted.succeeded.length + counts.uncounted.failed.length === 0
  const stops = isSuspended || failure !== undefined || isComplete
  const wanted = stops ? 0 : wantedActive(spec, counts)
  const missing = Math.min(Math.max(0, wanted - active.length), BURST)
  const create = indexed(spec) ? openIndexes(spec, counts, active, missing) : fill(missing)
  const remove = wanted < active.length ? active.slice(wanted) : []
  const isNext = end !== undefined && !stops && Number.isFinite(end)
  return {
    create,
    remove,
    counted: counts.tracked,
    status: {
      ...statusWithout(status),
      ...(started === undefined ? {} : { startTime: started }),
      ...positive({
        active: active.length - remove.length + create.length,
        succeeded: counts.counters.succeeded,
        failed: counts.counters.failed,
        terminating: pods.filter((pod) => isDeleting(pod) && !isFinished(pod)).length,
      }),
      ready: active.filter(isReady).length,
      ...(indexed(spec) && counts.indexes.length > 0 ? { completedIndexes: rangesText(counts.indexes) } : {}),
      uncountedTerminatedPods: {
        ...listed('succeeded', counts.uncounted.succeeded),
        ...listed('failed', counts.uncounted.failed),
      },
      ...listed('conditions', conditionsOf(job, { isSuspended, isComplete, areAllCounted, failure }, now)),
      ...(isComplete && areAllCounted ? { completionTime: timestamp(now) } : {}),
    },
    ...(isNext ? { next: end } : {}),
  }
}

/** Has the Job ended, one way or the other? */
export const isOver = (job: Job): boolean =>
  ['Complete', 'Failed'].some((type) => conditionIn(job, type)?.['status'] === 'True')

/** Finished pods by how they ended. */
interface Ended<T> {
  readonly succeeded: T
  readonly failed: T
}

interface PodCounts extends Ended<number> {
  /** The counts of the status; `succeeded` and `failed` are with what it only lists. */
  readonly counters: Ended<number>
  /** The uids that the status lists: finished, and not counted while the finalizer is on their pod. */
  readonly uncounted: Ended<readonly string[]>
  /** Finished pods that carry the finalizer. */
  readonly tracked: readonly KubeObject[]
  /** Completion indexes that have succeeded. */
  readonly indexes: IndexRanges
}

interface Failure {
  readonly reason: string
  readonly message: string
}

const indexed = (spec: JobSpec): boolean => spec['completionMode'] === 'Indexed'
const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? ''
const isTracked = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(TRACKING) === true
/** -1 for a pod without an index, or with one that is not a number of the status. */
export function indexOf({ metadata }: KubeObject): number {
  const text = metadata.annotations?.[INDEX] ?? ''
  return /^\d{1,10}$/.test(text) ? Number(text) : -1
}
const fill = (count: number): readonly number[] => Array.from({ length: count }, () => -1)

/**
 * Counts each finished pod once, whatever is interrupted (upstream's job tracking with finalizers). First its uid is
 * listed in the status. Then the finalizer is removed from the pod. Then the uid goes from the list into the counter.
 */
function countPods(job: Job, pods: readonly Pod[]): PodCounts {
  const status = statusOf(job)
  const tracked = pods.filter((pod) => isTracked(pod) && (isFinished(pod) || isDeleting(pod)))
  const held = new Set(tracked.map(uidOf))
  const before = objectOf(status['uncountedTerminatedPods'])
  const follow = (
    field: 'succeeded' | 'failed',
    ended: readonly KubeObject[],
  ): readonly [number, readonly string[]] => {
    const known = textsOf(before[field])
    const waiting = new Set([...known.filter((uid) => held.has(uid)), ...ended.map(uidOf)])
    return [countOf(status[field]) + known.filter((uid) => !held.has(uid)).length, [...waiting]]
  }
  const isDone = (pod: Pod): boolean => phaseOf(pod) === 'Succeeded'
  const done = tracked.filter(isDone)
  const [succeeded, waitingDone] = follow('succeeded', done)
  const [failed, waitingFailed] = follow(
    'failed',
    tracked.filter((pod) => !isDone(pod)),
  )
  const isIndexed = indexed(specOf(job))
  const end = isIndexed ? countOf(specOf(job)['completions']) : 0
  const found = done.map(indexOf).filter((index) => index >= 0 && index < end)
  const indexes = withIndexes(readRanges(textOf(status['completedIndexes']), end), found)
  return {
    counters: { succeeded: isIndexed ? sizeOf(indexes) : succeeded, failed },
    uncounted: { succeeded: waitingDone, failed: waitingFailed },
    succeeded: isIndexed ? sizeOf(indexes) : succeeded + waitingDone.length,
    failed: failed + waitingFailed.length,
    tracked,
    indexes,
  }
}

/** How many pods may run now: no more than may run at once, nor than there are completions left. */
function wantedActive(spec: JobSpec, { succeeded }: PodCounts): number {
  const parallelism = numberOf(spec['parallelism']) ?? 1
  if (!absent(spec['completions'])) return Math.min(parallelism, countOf(spec['completions']) - succeeded)
  // A work queue: once one pod has succeeded no more are made.
  return succeeded > 0 ? 0 : parallelism
}

/** The lowest indexes that neither run nor have succeeded. */
function openIndexes(
  spec: JobSpec,
  { indexes }: PodCounts,
  active: readonly KubeObject[],
  most: number,
): readonly number[] {
  const running = active.map(indexOf).filter((index) => index >= 0)
  return lowestOutside(withIndexes(indexes, running), countOf(spec['completions']), most)
}

function completed(spec: JobSpec, { succeeded }: PodCounts, active: number): boolean {
  if (absent(spec['completions'])) return succeeded > 0 && active === 0
  return succeeded >= countOf(spec['completions'])
}

function failureOf(spec: JobSpec, { failed }: PodCounts, end: number | undefined, now: number): Failure | undefined {
  if (failed > (numberOf(spec['backoffLimit']) ?? 6))
    return { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
  if (end !== undefined && end <= now)
    return { reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' }
  return undefined
}

function startTime(status: JobStatus, isSuspended: boolean, now: number): string | undefined {
  if (isSuspended) return undefined
  return textOf(status['startTime']) || timestamp(now)
}

function deadlineOf(spec: JobSpec, started: string | undefined): number | undefined {
  const seconds = numberOf(spec['activeDeadlineSeconds'])
  return seconds === undefined || started === undefined ? undefined : Date.parse(started) + seconds * 1000
}

interface Outcome {
  /** Is every finished pod in the counters? */
  readonly areAllCounted: boolean
  readonly isSuspended: boolean
  readonly isComplete: boolean
  readonly failure: Failure | undefined
}

function conditionsOf(job: Job, outcome: Outcome, now: number): readonly JsonObject[] {
  const { isSuspended, isComplete, areAllCounted, failure } = outcome
  const probe = { lastProbeTime: timestamp(now) }
  const set = (conditions: readonly JsonObject[], condition: WorkloadCondition): readonly JsonObject[] =>
    withWorkloadCondition(conditions, condition, now, probe)
  const before = objectsOf(statusOf(job)['conditions'])
  const wasSuspended = conditionIn(job, 'Suspended')?.['status'] === 'True'
  if (isSuspended)
    return set(before, { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' })
  const awake = wasSuspended
    ? set(before, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' })
    : before
  if (failure !== undefined) {
    const doomed = set(awake, { type: 'FailureTarget', status: 'True', ...failure })
    return areAllCounted ? set(doomed, { type: 'Failed', status: 'True', ...failure }) : doomed
  }
  if (!isComplete) return awake
  const reached = {
    status: 'True',
    reason: 'CompletionsReached',
    message: 'Reached expected number of succeeded pods',
  } as const
  const sure = set(awake, { type: 'SuccessCriteriaMet', ...reached })
  return areAllCounted ? set(sure, { type: 'Complete', ...reached }) : sure
}

const COUNTED = [
  'active',
  'succeeded',
  'failed',
  'terminating',
  'ready',
  'startTime',
  'completedIndexes',
  'conditions',
  'uncountedTerminatedPods',
]

function statusWithout(status: JobStatus): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([name]) => !COUNTED.includes(name)))
}

const positive = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

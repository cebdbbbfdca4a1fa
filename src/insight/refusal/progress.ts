import type { WorkloadKind } from '../explain/workload-kinds.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, textAt, valueAt } from '../../machinery/read.ts'

/** What a workload wanted when it was refused. */
export interface AtRefusal {
  readonly wanted: number
  /** When a CronJob made its last Job. */
  readonly scheduled: string
}

/** `over`: nobody waits for it any more, whether there is room or not. */
export type Progress = 'waits' | 'goes-on' | 'over'

export const atRefusal = (object: KubeObject, kind: WorkloadKind): AtRefusal => ({
  wanted: kind.wanted(object, false),
  scheduled: textAt(object, 'status', 'lastScheduleTime'),
})

/** Has the workload as many objects as it wanted when it was refused? */
export function progress(object: KubeObject, kind: WorkloadKind, before: AtRefusal): Progress {
  if (object.metadata.deletionTimestamp !== undefined) return 'over'
  // The status is about an earlier spec.
  if (isStale(object)) return 'waits'
  const { wanted, scheduled } = atRefusal(object, kind)
  // Less is wanted, or nothing: scaled down, suspended, complete, failed.
  if (wanted === 0 || wanted < before.wanted) return 'over'
  const failed = objectsOf(valueAt(object, 'status', 'conditions')).some(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  )
  // The Jobs of a CronJob that are active may be older than the refusal.
  const isNew = kind.makes !== 'Job' || scheduled > before.scheduled
  return !failed && isNew && madeBy(object) >= wanted ? 'goes-on' : 'waits'
}

/** Jobs and CronJobs do not say which generation they have seen. */
const isStale = (object: KubeObject): boolean =>
  !UNOBSERVED.has(object.kind) &&
  (wholeNumber(valueAt(object, 'status', 'observedGeneration')) ?? 0n) < (wholeNumber(object.metadata.generation) ?? 0n)

const UNOBSERVED: ReadonlySet<string> = new Set(['Job', 'CronJob'])

const MADE: Readonly<Record<string, (object: KubeObject) => number>> = {
  DaemonSet: (set) => numberAt(set, 'currentNumberScheduled'),
  Job: (job) => numberAt(job, 'active'),
  CronJob: (cron) => objectsOf(valueAt(cron, 'status', 'active')).length,
}

const madeBy = (object: KubeObject): number => MADE[object.kind]?.(object) ?? numberAt(object, 'replicas')

const numberAt = (object: KubeObject, field: string): number =>
  Number(wholeNumber(valueAt(object, 'status', field)) ?? 0n)

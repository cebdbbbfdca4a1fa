import type { Pod } from '../../builtin/core-v1.ts'
import { lastingMs } from '../../machinery/go-seconds.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import { specOf, statusOf } from '../../machinery/read.ts'
import type { Measuring } from '../evaluator.ts'

/**
 * Reports whether the pod has a deadline, so that it will end by itself. A deadline of 0 counts, a negative one does
 * not.
 */
export function isTerminating(pod: Pod): boolean {
  const deadline = wholeNumber(specOf(pod).activeDeadlineSeconds)
  return deadline !== undefined && deadline >= 0n
}

/**
 * Reports whether the pod is charged for what it uses. A finished pod is not, and neither is one whose deletion is
 * overdue: a lost node must not block the successors of its pods. The grace period counts twice, once more than
 * deletionTimestamp contains, as upstream does.
 */
export function isActive(pod: Pod, { now }: Measuring): boolean {
  const phase = statusOf(pod).phase
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const overdue = overdueAt(pod)
  return overdue === undefined || now <= overdue
}

/**
 * Returns the time at which the deletion of the pod becomes overdue, in milliseconds since the epoch; undefined while
 * it is not being deleted.
 */
export function overdueAt(pod: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (typeof deletionTimestamp !== 'string') return undefined
  if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === null) return undefined
  return Date.parse(deletionTimestamp) + lastingMs(deletionGracePeriodSeconds)
}

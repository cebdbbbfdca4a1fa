import { lastingMs } from '../../machinery/go-seconds.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Measuring } from '../evaluator.ts'
import { objectAt, textAt } from './read-field.ts'

/**
 * Reports whether the pod has a deadline, so that it will end by itself. A deadline of 0 counts, a negative one does
 * not.
 */
export function isTerminating(pod: KubeObject): boolean {
  const deadline = wholeNumber(objectAt(pod, 'spec')?.['activeDeadlineSeconds'])
  return deadline !== undefined && deadline >= 0n
}

/**
 * Reports whether the pod is charged for what it uses. A finished pod is not, and neither is one whose deletion is
 * overdue: a lost node must not block the successors of its pods. The grace period counts twice, once more than
 * deletionTimestamp contains, as upstream does.
 */
export function isActive(pod: KubeObject, { now }: Measuring): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const overdue = overdueAt(pod)
  return overdue === undefined || now <= overdue
}

/**
 * Returns the time at which the deletion of the pod becomes overdue, in milliseconds since the epoch; undefined while
 * it is not being deleted.
 */
export function overdueAt(pod: KubeObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (typeof deletionTimestamp !== 'string') return undefined
  if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === null) return undefined
  return Date.parse(deletionTimestamp) + lastingMs(deletionGracePeriodSeconds)
}

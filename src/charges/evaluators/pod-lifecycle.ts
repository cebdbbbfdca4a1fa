import { lastingMs } from '../../machinery/go-seconds.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Measuring } from '../evaluator.ts'
import { objectAt, textAt } from './read-field.ts'

/** Has the pod a deadline, so that it will end by itself? Zero counts, negative values do not. */
export function isTerminating(pod: KubeObject): boolean {
  const deadline = wholeNumber(objectAt(pod, 'spec')?.['activeDeadlineSeconds'])
  return deadline !== undefined && deadline >= 0n
}

/**
 * Is the pod charged for what it uses? Not once it has finished, nor when its deletion is overdue: a node that is lost must
 * not block its pods' successors. The grace is counted twice, once more than deletionTimestamp contains, as upstream does.
 */
export function isActive(pod: KubeObject, { now }: Measuring): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase')
  if (phase === 'Failed' || phase === 'Succeeded') return false
  const overdue = overdueAt(pod)
  return overdue === undefined || now <= overdue
}

/** From when on the pod's deletion is overdue, in milliseconds since the epoch; undefined while it is not being deleted. */
export function overdueAt(pod: KubeObject): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = pod.metadata
  if (typeof deletionTimestamp !== 'string') return undefined
  if (deletionGracePeriodSeconds === undefined || deletionGracePeriodSeconds === null) return undefined
  return Date.parse(deletionTimestamp) + lastingMs(deletionGracePeriodSeconds)
}

import { type FieldError, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { nonNegative } from './number.ts'
import { countOf, objectOf } from '../../machinery/read.ts'

interface Bound {
  readonly low: string
  readonly high: string
  readonly text: string
}

/** One number of a status may not exceed another. */
const atMost =
  (high: string, called = high) =>
  (low: string): Bound => ({ low, high, text: `cannot be greater than ${called}` })

const ofReplicas = atMost('replicas', 'status.replicas')

export interface StatusCounts {
  readonly numbers: readonly string[]
  readonly bounds: readonly Bound[]
}

/** The counts in the statuses of workloads, and the pairs in which the first must not exceed the second. */
export const DEPLOYMENT_COUNTS: StatusCounts = {
  numbers: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  bounds: [
    ...['updatedReplicas', 'readyReplicas', 'availableReplicas'].map(ofReplicas),
    atMost('readyReplicas')('availableReplicas'),
  ],
}
export const REPLICA_SET_COUNTS: StatusCounts = {
  numbers: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'terminatingReplicas',
    'observedGeneration',
  ],
  bounds: [
    ...['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'].map(ofReplicas),
    atMost('readyReplicas')('availableReplicas'),
  ],
}
export const STATEFUL_SET_COUNTS: StatusCounts = {
  numbers: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  bounds: [
    ...['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'].map(ofReplicas),
    atMost('readyReplicas', 'status.readyReplicas')('availableReplicas'),
  ],
}
export const DAEMON_SET_COUNTS: StatusCounts = {
  numbers: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  bounds: [],
}
export const JOB_COUNTS: StatusCounts = { numbers: ['active', 'succeeded', 'failed', 'ready'], bounds: [] }

/** Checks the numbers of a status: none is negative, none is more than it can be. */
export const validateCounts =
  ({ numbers, bounds }: StatusCounts) =>
  (object: KubeObject): readonly FieldError[] => {
    const status = objectOf(object.status)
    return [
      ...numbers.flatMap((name) => nonNegative(status[name], `status.${name}`)),
      ...bounds.flatMap(({ low, high, text }) =>
        countOf(status[low]) > countOf(status[high]) ? [invalid(`status.${low}`, countOf(status[low]), text)] : [],
      ),
    ]
  }

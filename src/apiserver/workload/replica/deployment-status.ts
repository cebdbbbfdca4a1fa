import type { Deployment, ReplicaSet, ReplicaSetStatus } from '../../../builtin/apps-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { countOf, numberOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { conditionIn } from '../../../api/condition.ts'
import { listed, withWorkloadCondition, withoutWorkloadCondition, type WorkloadCondition } from '../shared/condition.ts'
import { counts } from './replica-set-controller.ts'

export interface DeploymentState {
  readonly deployment: Deployment
  /** The ReplicaSet of the present template. */
  readonly fresh: ReplicaSet | undefined
  readonly old: readonly ReplicaSet[]
  /** Why the set of the present template could not be made. */
  readonly refusal: string | undefined
  readonly maxUnavailable: number
  /** Milliseconds since the epoch. */
  readonly now: number
}

const sum = (sets: readonly ReplicaSet[], field: keyof ReplicaSetStatus): number =>
  sets.reduce((total, set) => total + countOf(statusOf(set)[field]), 0)

/** Returns the status of a Deployment's rollout: counts, and whether it is available, gets on, and is kept from it. */
export function deploymentStatus(state: DeploymentState): JsonObject {
  const { deployment, fresh, old, now } = state
  const sets = fresh === undefined ? old : [...old, fresh]
  const spec = specOf(deployment)
  const { conditions: before, ...status } = statusOf(deployment)
  const wanted = countOf(spec['replicas'])
  const available = sum(sets, 'availableReplicas')
  const figures = {
    replicas: sum(sets, 'replicas'),
    updatedReplicas: fresh === undefined ? 0 : sum([fresh], 'replicas'),
    readyReplicas: sum(sets, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(
      0,
      sets.reduce((total, set) => total + countOf(specOf(set)['replicas']), 0) - available,
    ),
  }
  const complete =
    figures.updatedReplicas === wanted &&
    figures.replicas === wanted &&
    available === wanted &&
    figures.unavailableReplicas === 0
  let conditions = objectsOf(before)
  conditions = withWorkloadCondition(
    conditions,
    availability(available >= wanted - state.maxUnavailable),
    now,
    stamp(now),
  )
  conditions = withProgress(conditions, state, complete, figures)
  conditions = withFailure(conditions, state)
  // A condition has the time at which it was last found changed.
  return {
    ...withoutZeroReplicas(counts(status, figures)),
    observedGeneration: deployment.metadata.generation,
    ...listed('conditions', conditions),
  }
}

const stamp = (now: number): JsonObject => ({ lastUpdateTime: timestamp(now) })

function withoutZeroReplicas({ replicas, ...status }: JsonObject): JsonObject {
  return replicas === 0 ? status : { ...status, replicas }
}

const availability = (enough: boolean): WorkloadCondition =>
  enough
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }

/**
 * When a rollout that does not move counts as stuck, in milliseconds since the epoch: behind this time. Undefined where it is
 * through, has not begun, or is said to be stuck already.
 */
export function progressDeadline(deployment: Deployment): number | undefined {
  const known = conditionIn(deployment, 'Progressing')
  if (known?.['status'] !== 'True' || known['reason'] === 'NewReplicaSetAvailable') return undefined
  const seconds = numberOf(specOf(deployment)['progressDeadlineSeconds']) ?? 600
  return Date.parse(textOf(known['lastUpdateTime'])) + seconds * 1000
}

/** Whether the rollout gets on: it is through, has moved, or has not moved for longer than it may. */
function withProgress(
  conditions: readonly JsonObject[],
  { deployment, fresh, refusal, now }: DeploymentState,
  complete: boolean,
  figures: Readonly<Record<string, number>>,
): readonly JsonObject[] {
  const spec = specOf(deployment)
  const progressing = (status: 'True' | 'False', reason: string, message: string): readonly JsonObject[] =>
    withWorkloadCondition(conditions, { type: 'Progressing', status, reason, message }, now, stamp(now))
  const set = `ReplicaSet ${JSON.stringify(fresh?.metadata.name ?? '')}`
  if (refusal !== undefined && fresh === undefined) return progressing('False', 'ReplicaSetCreateError', refusal)
  const known = conditionIn(deployment, 'Progressing')
  if (spec['paused'] === true && known?.['reason'] !== 'DeploymentPaused')
    return withWorkloadCondition(
      conditions,
      { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' },
      now,
      stamp(now),
    )
  if (fresh === undefined || spec['paused'] === true) return conditions
  if (complete) return progressing('True', 'NewReplicaSetAvailable', `${set} has successfully progressed.`)
  const old = statusOf(deployment)
  const moved = (['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const).some(
    (field) => (figures[field] ?? 0) > countOf(old[field]),
  )
  const fell =
    (figures['replicas'] ?? 0) - (figures['updatedReplicas'] ?? 0) <
    countOf(old['replicas']) - countOf(old['updatedReplicas'])
  if (known === undefined)
    return progressing(
      'True',
      'NewReplicaSetCreated',
      `Created new replica set ${JSON.stringify(fresh.metadata.name ?? '')}`,
    )
  if (moved || fell) return progressing('True', 'ReplicaSetUpdated', `${set} is progressing.`)
  const due = progressDeadline(deployment)
  if (due !== undefined && due < now)
    return progressing('False', 'ProgressDeadlineExceeded', `${set} has timed out progressing.`)
  if (known['reason'] === 'NewReplicaSetAvailable')
    return progressing('True', 'ReplicaSetUpdated', `${set} is progressing.`)
  return conditions
}

/** The failure of a set to make its pods is the Deployment's too. */
function withFailure(
  conditions: readonly JsonObject[],
  { fresh, old, refusal, now }: DeploymentState,
): readonly JsonObject[] {
  const failing = [...(fresh === undefined ? [] : [fresh]), ...old]
    .map((set) => conditionIn(set, 'ReplicaFailure'))
    .find((condition) => condition?.['status'] === 'True')
  const reason = failing === undefined ? 'FailedCreate' : textOf(failing['reason'])
  const message = failing === undefined ? refusal : textOf(failing['message'])
  if (message === undefined) return withoutWorkloadCondition(conditions, 'ReplicaFailure')
  return withWorkloadCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason, message }, now, stamp(now))
}

import { fitsOf } from './budget-room.ts'
import type { Remedy } from './explanation.ts'
import { defaultValues } from './remedy/default-values.ts'
import { lowerAmounts } from './remedy/lower-amounts.ts'
import { moreRoom } from './remedy/more-room.ts'
import { patchCommand, rightToPatch, type Situation } from './remedy/situation.ts'

/** What solves it, the owner's own means first. */
export const remediesOf = (situation: Situation): readonly Remedy[] => [
  ...rollouts(situation),
  ...lowerAmounts(situation),
  ...scaled(situation),
  ...defaultValues(situation),
  ...moreRoom(situation),
]

function rollouts({ surge, top, facts, isStored }: Situation): readonly Remedy[] {
  if (surge?.helps !== true || !isStored) return []
  const patch = { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: surge.enough } } } }
  return [
    {
      type: 'rollout',
      text: `let the rollout delete a pod before it makes the next one: maxSurge 0, maxUnavailable ${surge.enough}`,
      command: patchCommand(top, facts.namespace, patch),
      needs: rightToPatch(top),
    },
  ]
}

function scaled({ top, pods, outlooks, facts, isStored }: Situation): readonly Remedy[] {
  if (pods === undefined || !isStored || !['Deployment', 'ReplicaSet', 'StatefulSet'].includes(top.kind)) return []
  const fits = fitsOf(outlooks)
  const replicas = pods.demand.existing + (fits ?? pods.missing)
  if (fits === undefined || fits >= pods.missing || replicas === 0) return []
  return [
    {
      type: 'scale',
      text: `run fewer pods: ${replicas} fit`,
      command: `kubectl -n ${facts.namespace} scale ${top.kind.toLowerCase()} ${top.metadata.name ?? ''} --replicas=${replicas}`,
      needs: { ...rightToPatch(top), resource: `${rightToPatch(top).resource}/scale` },
    },
  ]
}

import { shellWord } from '../../machinery/text/shell-word.ts'
import { scales } from './autoscaler.ts'
import { fitsOf } from './budget-room.ts'
import type { Remedy } from './explanation.ts'
import { defaultValues } from './remedy/default-values.ts'
import { freeRoom } from './remedy/free-room.ts'
import { lowerAmounts } from './remedy/lower-amounts.ts'
import { moreRoom } from './remedy/more-room.ts'
import { patchCommand, rightToPatch, type Situation } from './remedy/situation.ts'
import { widerRanges } from './remedy/wider-ranges.ts'
import { withinRanges } from './remedy/within-ranges.ts'
import { SCALED, workloadKind } from './workload-kinds.ts'

/** What solves it, the owner's own means first. */
export function remediesOf(situation: Situation): readonly Remedy[] {
  // Fewer or smaller pods help only where nothing but room is lacking.
  const isRoom = situation.isCertain && situation.causes.every(({ type }) => type === 'exceeded')
  return [
    ...(isRoom ? [...rollouts(situation), ...lowerAmounts(situation), ...scaled(situation)] : []),
    ...withinRanges(situation),
    ...defaultValues(situation),
    ...widerRanges(situation),
    ...moreRoom(situation),
    ...freeRoom(situation),
  ]
}

function rollouts({ surge, top, facts, isEdited }: Situation): readonly Remedy[] {
  if (surge?.helps !== true || !isEdited) return []
  const patch = { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: surge.enough } } } }
  return [
    {
      type: 'rollout',
      text: `let the rollout delete a pod before it makes the next one: maxSurge 0, maxUnavailable ${surge.enough}`,
      command: patchCommand(top, facts, patch),
      needs: rightToPatch(top),
    },
  ]
}

/** In the midst of a rollout the newest pods are not all that there are. */
function scaled({ top, pods, outlooks, facts, isEdited, surge }: Situation): readonly Remedy[] {
  if (pods === undefined || !isEdited || (surge?.older ?? 0) > 0) return []
  if (!SCALED.has(workloadKind(top)?.resource ?? '')) return []
  // An autoscaler would scale it back.
  if (facts.autoscalers.some((one) => scales(one, top))) return []
  const fits = fitsOf(outlooks)
  const replicas = pods.demand.existing + (fits ?? pods.missing)
  if (fits === undefined || fits >= pods.missing || replicas === 0) return []
  return [
    {
      type: 'scale',
      text: `run fewer pods: ${replicas} fit`,
      command: `${facts.kubectl} scale ${shellWord(`${top.kind.toLowerCase()}/${top.metadata.name ?? ''}`)} --replicas=${replicas}`,
      needs: { ...rightToPatch(top), resource: `${rightToPatch(top).resource}/scale` },
    },
  ]
}

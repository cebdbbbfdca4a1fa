import { controllerOf } from '../../machinery/object.ts'
import { fitsOf } from './budget-room.ts'
import type { Remedy } from './explanation.ts'
import { defaultValues } from './remedy/default-values.ts'
import { freeRoom } from './remedy/free-room.ts'
import { lowerAmounts } from './remedy/lower-amounts.ts'
import { missingAccount } from './remedy/missing-account.ts'
import { moreRoom } from './remedy/more-room.ts'
import { deleteOldSets } from './remedy/old-sets.ts'
import { patchCommand, rightToPatch, type Situation } from './remedy/situation.ts'
import { isScalable, scaleTo } from './remedy/scale-command.ts'
import { smallerBinding } from './remedy/smaller-binding.ts'
import { widerRanges } from './remedy/wider-ranges.ts'
import { allowedPods, withinRanges } from './remedy/within-ranges.ts'

/** What helps, and what is left out of it. */
export interface Help {
  readonly remedies: readonly Remedy[]
  readonly leftOut: readonly string[]
}

/** What solves it, the owner's own means first. */
export function remediesOf(situation: Situation): Help {
  // Fewer or smaller pods help only where nothing but room is lacking.
  const isRoom = situation.isCertain && situation.causes.every(({ type }) => type === 'exceeded')
  // The API server named all that refuses it, and the reader may not read some of that.
  const isUnseenRoom =
    situation.unseenFull.length > 0 &&
    situation.causes.every(({ type }) => type === 'reported') &&
    situation.pods?.demand.refusal?.isByQuota === true
  const offers = [
    ...(isRoom
      ? [
          ...rollouts(situation),
          ...lowerAmounts(situation),
          ...scaled(situation, fitsOf(situation.outlooks)),
          ...smallerBinding(situation),
        ]
      : []),
    // As many as there are fit, and one more was refused.
    ...(isUnseenRoom ? scaled(situation, 0) : []),
    ...missingAccount(situation),
    ...withinRanges(situation),
    ...defaultValues(situation),
    ...widerRanges(situation),
    ...moreRoom(situation, allowedPods(situation)?.made),
    ...deleteOldSets(situation),
    ...freeRoom(situation),
  ]
  return {
    remedies: offers.filter((one) => 'type' in one),
    leftOut: offers.flatMap((one) => ('leftOut' in one ? [one.leftOut] : [])),
  }
}

function rollouts({ surge, top, facts, isEdited }: Situation): readonly Remedy[] {
  if (surge?.helps !== true || controllerOf(top) !== undefined) return []
  const patch = { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: surge.enough } } } }
  return [
    {
      type: 'rollout',
      text: `let the rollout delete a pod before it makes the next one: maxSurge 0, maxUnavailable ${surge.enough}`,
      ...(isEdited ? { command: patchCommand(top, facts, patch) } : {}),
      needs: rightToPatch(top),
    },
  ]
}

/** In the midst of a rollout the newest pods are not all that there are. */
function scaled(situation: Situation, fits: number | undefined): readonly Remedy[] {
  const { pods, surge } = situation
  if (pods === undefined || !isScalable(situation) || (surge?.old.length ?? 0) > 0) return []
  const replicas = pods.demand.existing + (fits ?? pods.missing)
  return fits === undefined || fits >= pods.missing || replicas === 0 ? [] : [scaleTo(replicas, situation)]
}

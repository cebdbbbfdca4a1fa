import type { ResourcePoolClaim } from '../api/claim.ts'
import { isOverdue, nextMoment } from '../decide/end/claim.ts'
import { stallsAt } from '../decide/waiting/never-fits.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import { clockStepsOf } from '../../../runtime/time/clock-steps.ts'
import { WallAlarms } from '../../../runtime/time/wall-alarms.ts'
import type { ControllerSource, ReconcileRequest } from '../../../operator/shell/controller.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'

/** The moments at which claims end, stall, or their owners are warned. `ofClaim`: what to reconcile then. Without such claims no clock is looked at. */
export const claimAlarms = (
  claims: Pick<CacheView<ResourcePoolClaim>, 'get' | 'onChange'>,
  clock: Pick<Clock, 'now'>,
  ofClaim: (claim: ResourcePoolClaim) => readonly ReconcileRequest[],
): ControllerSource => ({
  follow: (_, enqueue) => {
    let alarms: WallAlarms | undefined
    const onDue = (key: string): void => {
      const [namespace = '', name = ''] = key.split('/')
      const claim = claims.get(namespace, name)
      if (claim === undefined) return
      for (const request of ofClaim(claim)) enqueue(request)
      look(key, claim)
    }
    const look = (key: string, claim: ResourcePoolClaim): void => {
      const now = clock.now()
      const [moment] = [nextMoment(claim, now), stallsAt(claim)]
        .filter((one) => one !== undefined && one > now)
        .toSorted((a = 0, b = 0) => a - b)
      // An earlier moment may not be one any more.
      alarms?.delete(key)
      if (moment === undefined) return
      alarms ??= new WallAlarms({ now: clock.now, steps: clockStepsOf(clock.now), onDue })
      alarms.set(key, moment - 1)
    }
    const end = claims.onChange((_old, claim, { namespace, name }) => {
      if (claim === undefined) return alarms?.delete(`${namespace}/${name}`)
      // Its end may have come before its first use was written, and a write may be seen late.
      const now = clock.now()
      if (isOverdue(claim, now) || (stallsAt(claim) ?? Infinity) <= now)
        for (const request of ofClaim(claim)) enqueue(request)
      look(`${namespace}/${name}`, claim)
    })
    return () => {
      end()
      alarms?.stop()
    }
  },
})

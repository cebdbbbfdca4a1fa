import { refusalError } from '../../charges/refusal-text.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import { type AdmissionDecision, allowed, denied, deniedAs, retryLater } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { QuotaCharging } from './adapter.ts'
import { type ChargesOfSystem, withReservationId, type FindCharges } from './peers/charged-together.ts'
import type { Foresight } from './peers/foreseen-request.ts'
import { Charging } from './replica/charging.ts'
import { takenNameText } from './replica/taken-name.ts'
import { RETRY_SECONDS } from './protocol/ledger-errors.ts'

export interface QuotaHandlerOptions {
  readonly client: Pick<KubeClient, 'list'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly charging: QuotaCharging
  /** Tells whether the ResourceQuotas of the namespace refuse a request; left out: nobody is asked. */
  readonly foresight?: Foresight
  /** The charges of a request to quotas of other systems; left out: there are none. */
  readonly others?: FindCharges
}

const CONFLICT = 409
const NOTHING: ChargesOfSystem = { charges: [] }

/** Decides on requests for all quotas of a system that count their objects. Every replica answers, whether it leads or not. */
export function quotaHandler({ client, clock, charging, foresight, others: othersOf }: QuotaHandlerOptions) {
  const charger = new Charging(clock)
  return async (request: AdmissionRequest, signal: AbortSignal, withinMs: number): Promise<AdmissionDecision> => {
    const deadline = clock.monotonic() + withinMs
    const leftMs = (): number => Math.max(0, deadline - clock.monotonic())
    const costs = await charging.costsOf(request, signal)
    if (costs.decided !== undefined) return costs.decided
    const others = (await othersOf?.(request, signal)) ?? NOTHING
    const taken = await takenNameText(client, costs.target, costs.reviewed, { signal })
    const foreseen = taken === undefined ? await foresight?.of(request, { signal, withinMs: leftMs() }) : undefined
    const refused = foreseen?.type === 'refused' ? foreseen : undefined
    const undecided = foreseen?.type === 'later' ? foreseen : undefined
    let isOnItsWay = false
    try {
      // A request that goes no further holds no room.
      const isStopped = [taken, refused, undecided, others.decided].some((one) => one !== undefined)
      const dryRun = request.dryRun || isStopped
      const id = charger.newId()
      const all = withReservationId([...costs.charges, ...(others.decided === undefined ? others.charges : [])], id)
      const outcome = await charger.charge(all, id, { dryRun, withinMs: leftMs(), signal })
      isOnItsWay = outcome.type === 'admitted' && !dryRun
      if (outcome.type === 'denied') return costs.refused(outcome.refusals, refused?.decision)
      if (refused !== undefined) return deniedAs(refusalError(refused.attributes, refused.decision, 'all'))
      // What is final comes before what may be tried again.
      if (taken !== undefined) return denied(taken, CONFLICT, 'AlreadyExists')
      if (others.decided !== undefined) return others.decided
      if (undecided !== undefined) return retryLater(undecided.message, RETRY_SECONDS)
      return outcome.type === 'later' ? retryLater(outcome.message, RETRY_SECONDS) : allowed(costs.warnings?.(dryRun))
    } finally {
      if (foreseen?.type === 'open') foreseen.end(isOnItsWay)
    }
  }
}

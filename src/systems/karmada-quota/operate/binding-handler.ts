import { RESOURCE_BINDINGS } from '../api/karmada-quota-names.ts'
import { bindingCharges } from '../decide/binding-charges.ts'
import type { LedgerCharge } from '../../counted/protocol/admit-all.ts'
import { isFree } from '../../counted/protocol/reserve.ts'
import { jointRefusal } from '../../../insight/joint-refusal.ts'
import { refusalError } from '../../../charges/refusal-text.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  retryLater,
} from '../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/admission-request.ts'
import { type ChargesOfSystem, claimedBy } from '../../counted/foresight/charged-together.ts'
import type { NativeRefusals } from '../../counted/foresight/native-refusals.ts'
import { Charging } from '../../counted/replica/charging.ts'
import { type ReviewedObject, reviewedObject } from '../../counted/replica/reviewed-object.ts'
import { takenNameText } from '../../counted/replica/taken-name.ts'
import { writesObject } from '../../counted/replica/writing-subresources.ts'
import type { CountedTarget } from '../../counted/counted-quota.ts'
import type { QuotaLedgers } from '../../counted/quota-ledgers.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface BindingHandlerOptions {
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly ledgers: QuotaLedgers<TrackedKarmadaQuota>
  /** Tells whether the ResourceQuotas of the namespace refuse a request. */
  readonly native: Pick<NativeRefusals, 'of'>
  /** The charges of a request to quotas of other systems. */
  readonly others: (request: AdmissionRequest, signal: AbortSignal) => Promise<ChargesOfSystem>
}

type Costs =
  | { readonly decided: AdmissionDecision }
  | {
      readonly decided?: undefined
      readonly reviewed: ReviewedObject
      readonly watched: CountedTarget
      readonly charges: readonly LedgerCharge[]
    }

const FORBIDDEN = 403
const CONFLICT = 409
/** How soon a client may try again what could not be decided. */
const RETRY_SECONDS = 1

/** Finds what a request costs the KarmadaQuotas of its namespace; or the answer, where that cannot be charged or need not be. */
export async function bindingCosts(
  request: AdmissionRequest,
  signal: AbortSignal,
  { client, tracker, ledgers }: Pick<BindingHandlerOptions, 'client' | 'tracker' | 'ledgers'>,
): Promise<Costs> {
  if (!isOfBindings(request) || !writesObject(request.subResource)) return NOTHING
  // A quota without limits counts nothing.
  const quotas = tracker
    .in(request.namespace)
    .filter(({ limits, problems }) => limits.length > 0 || problems.length > 0)
  if (quotas.length === 0 || request.object === undefined) return NOTHING
  const broken = quotas.find(({ compiled }) => compiled === undefined)
  if (broken !== undefined)
    return later(`KarmadaQuota ${JSON.stringify(broken.ref.name)} is invalid: ${broken.problems.join('; ')}`)
  const watched = quotas.map((tracked) => tracked.target(RESOURCE_BINDINGS)).find((target) => target !== undefined)
  if (watched === undefined) return later('the ResourceBindings are being counted')
  const crd = (name: string) => tracker.finder.crd(name)
  const reviewed = await reviewedObject(request, watched.resource, { client, crd }, { signal })
  if (reviewed === undefined) return NOTHING
  const charges = chargesFor(quotas, reviewed, ledgers)
  if (charges instanceof QuantityError)
    return { decided: denied(`the requests of the ResourceBinding are invalid: ${charges.message}`) }
  return charges.every((one) => one.charges.every(isFree)) ? NOTHING : { reviewed, watched, charges }
}

const NOTHING: Costs = { decided: allowed() }
const later = (message: string): Costs => ({ decided: retryLater(message, RETRY_SECONDS) })

const isOfBindings = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === RESOURCE_BINDINGS.group && resource === RESOURCE_BINDINGS.resource

/** Decides on ResourceBindings for all KarmadaQuotas of their namespaces. Every replica answers, whether it leads or not. */
export function bindingHandler(options: BindingHandlerOptions) {
  const { client, clock, native } = options
  const charging = new Charging(clock)
  return async (request: AdmissionRequest, signal: AbortSignal, withinMs: number): Promise<AdmissionDecision> => {
    const costs = await bindingCosts(request, signal, options)
    if (costs.decided !== undefined) return costs.decided
    const { reviewed, watched, charges } = costs
    const others = await options.others(request, signal)
    const taken = await takenNameText(client, watched, reviewed, { signal })
    const began = clock.monotonic()
    const foreseen = taken === undefined ? await native.of(request, { signal, withinMs }) : undefined
    const refused = foreseen?.type === 'refused' ? foreseen : undefined
    let isOnItsWay = false
    try {
      // A request that goes no further holds no room.
      const isStopped = taken !== undefined || refused !== undefined || others.decided !== undefined
      const dryRun = request.dryRun || isStopped
      const left = withinMs - (clock.monotonic() - began)
      const claim = charging.claim()
      const all = claimedBy([...charges, ...(others.decided === undefined ? others.charges : [])], claim)
      const outcome = await charging.charge(all, claim, { dryRun, withinMs: left, signal })
      isOnItsWay = outcome.type === 'admitted' && !dryRun
      if (outcome.type === 'denied') {
        const { message, reason } = jointRefusal(reviewed.operation, outcome.refusals, refused?.decision)
        return denied(message, FORBIDDEN, reason)
      }
      if (refused !== undefined) return deniedAs(refusalError(refused.attributes, refused.decision, 'all'))
      if (outcome.type === 'later') return retryLater(outcome.message, RETRY_SECONDS)
      return taken === undefined ? (others.decided ?? allowed()) : denied(taken, CONFLICT, 'AlreadyExists')
    } finally {
      if (foreseen?.type === 'open') foreseen.settle(isOnItsWay)
    }
  }
}

/** One amount for each limit of each quota; the claim is left open. Old and new state are measured for each quota on their own. */
function chargesFor(
  quotas: readonly TrackedKarmadaQuota[],
  { operation, namespace, name, uid, base, object, oldObject }: ReviewedObject,
  ledgers: QuotaLedgers<TrackedKarmadaQuota>,
): readonly LedgerCharge[] | QuantityError {
  try {
    return quotas.flatMap((tracked) => {
      const { compiled } = tracked
      if (compiled === undefined) return []
      const charges = bindingCharges(compiled, object, oldObject).map(({ limit: kind, ...costs }) => {
        return { operation, kind, namespace, name, uid, base, ...costs, claim: '' }
      })
      return [{ ledger: ledgers.of(tracked).admission, charges }]
    })
  } catch (error) {
    if (error instanceof QuantityError) return error
    throw error
  }
}

import { bindingCharges } from '../../charges/karmada-quota/binding-charges.ts'
import type { LedgerCharge } from '../../charges/ledger/admit-all.ts'
import type { LedgerRefusal } from '../../charges/ledger/ledger-errors.ts'
import { isFree } from '../../charges/ledger/reserve.ts'
import type { Denied } from '../../charges/decide.ts'
import { exceededText, refusalError, refusalSentences } from '../../charges/refusal-text.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  retryLater,
} from '../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/admission-request.ts'
import type { NativeRefusals } from '../foresight/native-refusals.ts'
import { Charging } from '../ledger/charging.ts'
import { type ReviewedObject, reviewedObject } from '../ledger/reviewed-object.ts'
import { takenNameText } from '../ledger/taken-name.ts'
import { writesObject } from '../ledger/writing-subresources.ts'
import type { KarmadaQuotaLedgers } from './karmada-quota-ledgers.ts'
import type { KarmadaQuotaTracker } from './karmada-quota-tracker.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'
import { QUOTA_EXCEEDED } from './waiting-bindings.ts'

export interface BindingHandlerOptions {
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly tracker: KarmadaQuotaTracker
  readonly ledgers: KarmadaQuotaLedgers
  /** Tells whether the ResourceQuotas of the namespace refuse a request. */
  readonly native: Pick<NativeRefusals, 'of'>
}

const FORBIDDEN = 403
const CONFLICT = 409
/** How soon a client may try again what could not be decided. */
const RETRY_SECONDS = 1

/** Decides on ResourceBindings for all KarmadaQuotas of their namespaces. Every replica answers, whether it leads or not. */
export function bindingHandler({ client, clock, tracker, ledgers, native }: BindingHandlerOptions) {
  const charging = new Charging(clock)
  const crd = (name: string) => tracker.bindings.crds.get('', name)
  return async (request: AdmissionRequest, signal: AbortSignal, withinMs: number): Promise<AdmissionDecision> => {
    if (!writesObject(request.subResource)) return allowed()
    const quotas = tracker.in(request.namespace)
    if (quotas.length === 0) return allowed()
    const { watched } = tracker.bindings
    if (watched === undefined) return retryLater('the ResourceBindings are being counted', RETRY_SECONDS)
    const reviewed = await reviewedObject(request, watched.resource, { client, crd }, { signal })
    if (reviewed === undefined) return allowed()
    const broken = quotas.find(({ compiled }) => compiled === undefined)
    if (broken !== undefined)
      return retryLater(
        `KarmadaQuota ${JSON.stringify(broken.ref.name)} is invalid: ${broken.problems.join('; ')}`,
        RETRY_SECONDS,
      )
    const claim = charging.claim()
    const charges = chargesFor(quotas, reviewed, claim, ledgers)
    if (charges instanceof QuantityError)
      return denied(`the requests of the ResourceBinding are invalid: ${charges.message}`)
    if (charges.every((one) => one.charges.every(isFree))) return allowed()
    const taken = await takenNameText(client, watched, reviewed, { signal })
    const began = clock.monotonic()
    const foreseen = taken === undefined ? await native.of(request, { signal, withinMs }) : undefined
    const refused = foreseen?.type === 'refused' ? foreseen : undefined
    let isOnItsWay = false
    try {
      // A request that goes no further holds no room.
      const dryRun = request.dryRun || taken !== undefined || refused !== undefined
      const left = withinMs - (clock.monotonic() - began)
      const outcome = await charging.charge(charges, claim, { dryRun, withinMs: left, signal })
      isOnItsWay = outcome.type === 'admitted' && !dryRun
      if (outcome.type === 'denied')
        return denied(refusalText(outcome.refusals, refused?.decision), FORBIDDEN, QUOTA_EXCEEDED)
      if (refused !== undefined) return deniedAs(refusalError(refused.attributes, refused.decision, 'all'))
      if (outcome.type === 'later') return retryLater(outcome.message, RETRY_SECONDS)
      return taken === undefined ? allowed() : denied(taken, CONFLICT, 'AlreadyExists')
    } finally {
      if (foreseen?.type === 'open') foreseen.settle(isOnItsWay)
    }
  }
}

/** One amount for each limit of each quota, all with the same claim. Old and new state are measured for each quota on their own. */
function chargesFor(
  quotas: readonly TrackedKarmadaQuota[],
  { operation, namespace, name, uid, base, object, oldObject }: ReviewedObject,
  claim: string,
  ledgers: KarmadaQuotaLedgers,
): readonly LedgerCharge[] | QuantityError {
  try {
    return quotas.flatMap((tracked) => {
      const { compiled } = tracked
      if (compiled === undefined) return []
      const charges = bindingCharges(compiled, object, oldObject).map(({ limit: kind, ...costs }) => {
        return { operation, kind, namespace, name, uid, base, ...costs, claim }
      })
      return [{ ledger: ledgers.of(tracked).admission, charges }]
    })
  } catch (error) {
    if (error instanceof QuantityError) return error
    throw error
  }
}

/** In the words of Kubernetes' admission plugin ResourceQuota, all quotas that refuse. */
const refusalText = (refusals: readonly LedgerRefusal[], foreseen?: Denied): string =>
  [
    ...refusals.map(({ budget, excesses }) => exceededText(budget.name, excesses)),
    ...(foreseen === undefined ? [] : refusalSentences(foreseen)),
  ].join('; ')

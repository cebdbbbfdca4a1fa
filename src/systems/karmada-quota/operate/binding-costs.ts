import { RESOURCE_BINDINGS } from '../api/names.ts'
import { bindingCharges } from '../decide/binding-charges.ts'
import type { LedgerCharge } from '../../counted/protocol/admit-all.ts'
import { limitWarning, type ShownUsage } from '../../../charges/usage-warnings.ts'
import { isFree } from '../../counted/protocol/reserve.ts'
import { jointRefusal } from '../../../insight/joint-refusal.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import { denied } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { costsLater, type FoundCosts, NO_COSTS } from '../../counted/adapter.ts'
import type { QuotaLedgers } from '../../counted/quota-ledgers.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import { type ReviewedObject, reviewedObject } from '../../counted/replica/reviewed-object.ts'
import { writesObject } from '../../counted/replica/writing-subresources.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

export interface BindingCostsOptions {
  readonly client: Pick<KubeClient, 'get'>
  readonly tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly ledgers: QuotaLedgers<TrackedKarmadaQuota>
  readonly warnAt?: readonly number[] | undefined
}

const FORBIDDEN = 403

/** Finds what requests for ResourceBindings cost the KarmadaQuotas of their namespaces. */
export function bindingCosts({ client, tracker, ledgers, warnAt = [] }: BindingCostsOptions) {
  return async (request: AdmissionRequest, signal: AbortSignal): Promise<FoundCosts> => {
    if (!isOfBindings(request) || !writesObject(request.subResource) || request.object === undefined) return NO_COSTS
    // A quota without limits counts nothing.
    const quotas = tracker
      .in(request.namespace)
      .filter(({ limits, problems }) => limits.length > 0 || problems.length > 0)
    if (quotas.length === 0) return NO_COSTS
    const broken = quotas.find(({ compiled }) => compiled === undefined)
    if (broken !== undefined)
      return costsLater(`KarmadaQuota ${JSON.stringify(broken.ref.name)} is invalid: ${broken.problems.join('; ')}`)
    const target = quotas.map((tracked) => tracked.target(RESOURCE_BINDINGS)).find((one) => one !== undefined)
    if (target === undefined) return costsLater('the ResourceBindings are being counted')
    const crd = (name: string) => tracker.finder.crd(name)
    const reviewed = await reviewedObject(request, target.resource, { client, crd }, { signal })
    if (reviewed === undefined) return NO_COSTS
    const charges = chargesFor(quotas, reviewed, ledgers)
    if (charges instanceof QuantityError)
      return { decided: denied(`the requests of the ResourceBinding are invalid: ${charges.message}`) }
    if (charges.every((one) => one.charges.every(isFree))) return NO_COSTS
    // The usage may differ when the request is charged. For a warning it is near enough.
    const warnings = charges.flatMap(({ quota, rises }) => limitWarning(quota, rises, warnAt) ?? [])
    return {
      reviewed,
      target,
      charges,
      warnings: () => warnings,
      refused: (refusals, foreseen) => {
        const { message, reason } = jointRefusal(reviewed.operation, refusals, foreseen)
        return denied(message, FORBIDDEN, reason)
      },
    }
  }
}

const isOfBindings = ({ resource: { group, resource } }: AdmissionRequest): boolean =>
  group === RESOURCE_BINDINGS.group && resource === RESOURCE_BINDINGS.resource

/** A charge, with what its warnings are made of. */
interface WarnedCharge extends LedgerCharge {
  readonly quota: ShownUsage
  readonly rises: ReturnType<typeof bindingCharges>
}

/** One amount for each limit of each quota; the id is left open. Old and new state are measured for each quota on their own. */
function chargesFor(
  quotas: readonly TrackedKarmadaQuota[],
  { operation, namespace, name, uid, base, object, oldObject }: ReviewedObject,
  ledgers: QuotaLedgers<TrackedKarmadaQuota>,
): readonly WarnedCharge[] | QuantityError {
  try {
    return quotas.flatMap((tracked) => {
      const { compiled } = tracked
      if (compiled === undefined) return []
      const rises = bindingCharges(compiled, object, oldObject)
      const charges = rises.map(({ limit: kind, ...costs }) => {
        return { operation, kind, namespace, name, uid, base, ...costs, id: '' }
      })
      const quota = { ref: tracked.ref, hard: compiled.hard, used: tracked.quota.status?.used }
      return [{ ledger: ledgers.of(tracked).admission, charges, quota, rises }]
    })
  } catch (error) {
    if (error instanceof QuantityError) return error
    throw error
  }
}

import type { LedgerCharge } from '../../../counted/protocol/admit-all.ts'
import type { Attributes } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { refusalError } from '../../../../charges/refusal-text.ts'
import { limitWarning } from '../../../../charges/usage-warnings.ts'
import { partOf } from '../../decide/ledger-amounts.ts'
import { type ChargePlan, type PlannedCharge, planCharges } from '../../decide/plan-charges.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import { deniedAs } from '../../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import { costsLater, type FoundCosts, NO_COSTS, type QuotaCharging } from '../../../counted/adapter.ts'
import { withReservationId } from '../../../counted/peers/charged-together.ts'
import type { AwaitedReview, ForeseenRequest } from '../../../counted/peers/foreseen-request.ts'
import { reviewedAttributes, type WriteAttributes } from '../foresight/reviewed-attributes.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import type { QuotaTracker } from '../../../counted/quota-tracker.ts'
import { Charging } from '../../../counted/replica/charging.ts'
import type { ResourceQuotaTracking } from './tracking.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'

export interface ResourceQuotaCostsOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly tracker: QuotaTracker<TrackedResourceQuota>
  readonly tracking: Pick<ResourceQuotaTracking, 'measuring'>
  readonly ledgers: QuotaLedgers<TrackedResourceQuota>
  readonly warnAt?: readonly number[] | undefined
}

const NO_CHARGES = { type: 'charges', charges: [] } as const

/** The costs of requests to the ResourceQuotas of their namespaces, as the admission plugin finds them. */
export class ResourceQuotaCosts implements QuotaCharging {
  readonly #options: ResourceQuotaCostsOptions
  readonly #charging: Charging

  constructor(options: ResourceQuotaCostsOptions) {
    this.#options = options
    this.#charging = new Charging(options.clock)
  }

  costsOf(request: AdmissionRequest): FoundCosts {
    const attributes = reviewedAttributes(request)
    if (attributes === undefined) return NO_COSTS
    const plan = this.#plan(attributes)
    if (plan.type === 'refused') return { decided: deniedAs(refusalError(attributes, plan.decision, 'first')) }
    const { charges } = plan
    if (charges.length === 0) return NO_COSTS
    const [target] = charges.map(({ quota }) => quota.target(attributes))
    const uncounted = charges.find(({ quota }) => quota.target(attributes) === undefined)
    if (target === undefined || uncounted !== undefined) return this.#notServed(attributes, uncounted?.quota)
    const { operation, namespace, object } = attributes
    const { name = '', uid = '' } = object.metadata
    const { warnAt = [] } = this.#options
    const warnings = charges.flatMap(
      ({ quota: { ref, hard, quota }, charges: rises }) =>
        limitWarning({ ref, hard, used: quota.status?.used }, rises, warnAt) ?? [],
    )
    return {
      reviewed: { operation, namespace, name, uid },
      target,
      charges: charges.map((charge) => this.#ledgerCharge(attributes, charge)),
      warnings: () => warnings,
      // In the words of the plugin, which names the first quota that refuses.
      refused: (refusals) => deniedAs(refusalError(attributes, { verdict: 'denied', refusals }, 'first')),
    }
  }

  /**
   * Reserves what a request costs ahead of the other quotas that are asked about it. The review of this request reserves it as well, which
   * counts once: it is the same object. Undefined where nothing is to be reserved.
   */
  reserve(attributes: WriteAttributes, review: AwaitedReview): Promise<ForeseenRequest | undefined> | undefined {
    const plan = this.#plan(attributes)
    if (plan.type === 'refused') return Promise.resolve({ type: 'refused', decision: plan.decision, attributes })
    const { charges } = plan
    if (charges.length === 0) return undefined
    const isCounted = charges.every(({ quota }) => quota.target(attributes) !== undefined)
    return isCounted
      ? this.#reserve(attributes, charges, review)
      : Promise.resolve({ type: 'later', message: uncountedText(attributes) })
  }

  async #reserve(
    attributes: WriteAttributes,
    charges: readonly PlannedCharge<TrackedResourceQuota>[],
    review: AwaitedReview,
  ): Promise<ForeseenRequest> {
    const { dryRun } = attributes
    const id = this.#charging.newId()
    const asked = withReservationId(
      charges.map((charge) => this.#ledgerCharge(attributes, charge)),
      id,
    )
    const outcome = await this.#charging.charge(asked, id, { ...review, dryRun })
    if (outcome.type === 'later') return outcome
    if (outcome.type === 'denied')
      return { type: 'refused', decision: { verdict: 'denied', refusals: outcome.refusals }, attributes }
    const end = (goesOn: boolean): void => {
      if (!goesOn && !dryRun) for (const { ledger } of asked) ledger.release(id)
    }
    return { type: 'open', end }
  }

  #plan(attributes: WriteAttributes): ChargePlan<TrackedResourceQuota> {
    const { tracker, tracking } = this.#options
    const evaluator = QUOTA_EVALUATORS.of(attributes)
    if (evaluator?.handles(attributes) !== true) return NO_CHARGES
    const quotas = tracker.in(attributes.namespace).filter(({ rule }) => rule.countedBy(evaluator).length > 0)
    return planCharges(quotas, attributes, tracking.measuring())
  }

  /** Its kind was defined a moment ago, and nobody has counted its objects yet. */
  #notServed(attributes: Attributes, quota: TrackedResourceQuota | undefined): FoundCosts {
    if (quota !== undefined) this.#options.tracker.lookAgain(quota)
    return costsLater(uncountedText(attributes))
  }

  /** The id is left open. */
  #ledgerCharge(attributes: Attributes, { quota, charges }: PlannedCharge<TrackedResourceQuota>): LedgerCharge {
    const { operation, namespace, object, oldObject } = attributes
    const { name = attributes.name, uid = '' } = object.metadata
    const base = oldObject?.metadata.resourceVersion ?? ''
    const one = {
      // An update may create the object.
      operation: operation === 'UPDATE' && base !== '' ? operation : ('CREATE' as const),
      namespace,
      name,
      uid,
      base,
      id: '',
    }
    return {
      ledger: this.#options.ledgers.of(quota).admission,
      charges: charges.map(({ limit, cost, oldCost }) => ({ ...one, kind: partOf(attributes, limit), cost, oldCost })),
    }
  }
}

const uncountedText = ({ resource }: Attributes): string => `the ${resource} of the namespace are being counted`

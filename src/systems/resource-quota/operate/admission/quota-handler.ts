import type { LedgerCharge } from '../../../counted/protocol/admit-all.ts'
import type { Attributes } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/evaluator-table.ts'
import { refusalError } from '../../../../charges/refusal-text.ts'
import { partOf } from '../../decide/ledger-amounts.ts'
import { type ChargePlan, type PlannedCharge, planCharges } from '../../decide/plan-charges.ts'
import type { KubeClient } from '../../../../kube/client/kube-client.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  retryLater,
} from '../../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/admission-request.ts'
import type { AwaitedReview, ForeseenRequest } from '../../../counted/foresight/foreseen-request.ts'
import { reviewedAttributes, type WriteAttributes } from '../../../counted/foresight/reviewed-attributes.ts'
import { Charging } from '../../../counted/replica/charging.ts'
import { takenNameText } from '../../../counted/replica/taken-name.ts'
import type { QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import type { CountedTarget } from '../../../counted/counted-quota.ts'
import type { QuotaTracker } from '../../../counted/quota-tracker.ts'
import type { ResourceQuotaTracking } from './resource-quota-tracking.ts'
import type { TrackedResourceQuota } from './tracked-resource-quota.ts'

export interface ResourceQuotaHandlerOptions {
  readonly client: Pick<KubeClient, 'list'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly tracker: QuotaTracker<TrackedResourceQuota>
  readonly tracking: Pick<ResourceQuotaTracking, 'measuring'>
  readonly ledgers: QuotaLedgers<TrackedResourceQuota>
}

const CONFLICT = 409
/** How soon a client may try again a request that could not be decided. */
const RETRY_SECONDS = 1

type Charge = PlannedCharge<TrackedResourceQuota>
const NO_CHARGES = { type: 'charges', charges: [] } as const

/** A request that raises what its object uses of some quotas. */
interface Charged {
  readonly attributes: Attributes
  readonly charges: readonly Charge[]
  /** Is nothing reserved? */
  readonly dryRun: boolean
}

/** Decides on objects as the admission plugin ResourceQuota does, for all quotas of their namespaces. Every replica answers. */
export class ResourceQuotaHandler {
  readonly #options: ResourceQuotaHandlerOptions
  readonly #charging: Charging

  constructor(options: ResourceQuotaHandlerOptions) {
    this.#options = options
    this.#charging = new Charging(options.clock)
  }

  readonly handle = async (
    request: AdmissionRequest,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<AdmissionDecision> => {
    const attributes = reviewedAttributes(request)
    if (attributes === undefined) return allowed()
    const plan = this.#plan(attributes)
    if (plan.type === 'refused') return deniedAs(refusalError(attributes, plan.decision, 'first'))
    const { charges } = plan
    const [target] = charges.map(({ quota }) => quota.target(attributes))
    if (charges.length === 0) return allowed()
    const uncounted = charges.find(({ quota }) => quota.target(attributes) === undefined)
    if (target === undefined || uncounted !== undefined) return this.#notServed(attributes, uncounted?.quota)
    const taken = await this.#takenName(attributes, target, signal, this.#options.client)
    const dryRun = request.dryRun || taken !== undefined
    const decision = await this.#charge({ attributes, charges, dryRun }, signal, withinMs)
    return taken === undefined || decision.verdict !== 'allowed' ? decision : denied(taken, CONFLICT, 'AlreadyExists')
  }

  /**
   * Reserves what a request costs ahead of the other quotas that are asked about it. The review of this request reserves it as well, which
   * counts once: it is the same object. Undefined where nothing is to be reserved, or that review decides.
   */
  reserve(attributes: WriteAttributes, review: AwaitedReview): Promise<ForeseenRequest | undefined> | undefined {
    const plan = this.#plan(attributes)
    if (plan.type === 'refused') return Promise.resolve({ type: 'refused', decision: plan.decision, attributes })
    const { charges } = plan
    const isCounted = charges.every(({ quota }) => quota.target(attributes) !== undefined)
    return charges.length === 0 || !isCounted ? undefined : this.#reserve(attributes, charges, review)
  }

  async #reserve(
    attributes: WriteAttributes,
    charges: readonly Charge[],
    review: AwaitedReview,
  ): Promise<ForeseenRequest | undefined> {
    const { dryRun } = attributes
    const claim = this.#charging.claim()
    const asked = charges.map((charge) => this.#ledgerCharge(attributes, charge, claim))
    const outcome = await this.#charging.charge(asked, claim, { ...review, dryRun })
    if (outcome.type === 'later') return undefined
    if (outcome.type === 'denied')
      return { type: 'refused', decision: { verdict: 'denied', refusals: outcome.refusals }, attributes }
    const settle = (goesOn: boolean): void => {
      if (!goesOn && !dryRun) for (const { ledger } of asked) ledger.release(claim)
    }
    return { type: 'open', settle }
  }

  #plan(attributes: WriteAttributes): ChargePlan<TrackedResourceQuota> {
    const { tracker, tracking } = this.#options
    const evaluator = QUOTA_EVALUATORS.of(attributes)
    if (evaluator?.handles(attributes) !== true) return NO_CHARGES
    const quotas = tracker.in(attributes.namespace).filter(({ rule }) => rule.countedBy(evaluator).length > 0)
    return planCharges(quotas, attributes, tracking.measuring())
  }

  /** Its kind was defined a moment ago, and nobody has counted its objects yet. */
  #notServed({ resource }: Attributes, quota: TrackedResourceQuota | undefined): AdmissionDecision {
    if (quota !== undefined) this.#options.tracker.lookAgain(quota)
    return retryLater(`the ${resource} of the namespace are being counted`, RETRY_SECONDS)
  }

  #takenName(
    { operation, namespace, object }: WriteAttributes,
    target: CountedTarget,
    signal: AbortSignal,
    client: ResourceQuotaHandlerOptions['client'],
  ): Promise<string | undefined> {
    const { name = '', uid = '' } = object.metadata
    return takenNameText(client, target, { operation, namespace, name, uid }, { signal })
  }

  async #charge(
    { attributes, charges, dryRun }: Charged,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<AdmissionDecision> {
    const claim = this.#charging.claim()
    const asked = charges.map((charge) => this.#ledgerCharge(attributes, charge, claim))
    const outcome = await this.#charging.charge(asked, claim, { dryRun, withinMs, signal })
    if (outcome.type === 'later') return retryLater(outcome.message, RETRY_SECONDS)
    if (outcome.type === 'admitted') return allowed()
    // In the words of the plugin, which names the first quota that refuses.
    return deniedAs(refusalError(attributes, { verdict: 'denied', refusals: outcome.refusals }, 'first'))
  }

  #ledgerCharge(attributes: Attributes, { quota, charges }: Charge, claim: string): LedgerCharge {
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
      claim,
    }
    return {
      ledger: this.#options.ledgers.of(quota).admission,
      charges: charges.map(({ limit, cost, oldCost }) => ({ ...one, kind: partOf(attributes, limit), cost, oldCost })),
    }
  }
}

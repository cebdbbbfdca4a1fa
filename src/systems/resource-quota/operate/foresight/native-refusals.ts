import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { Denied } from '../../../../charges/decide.ts'
import type { Attributes, Measuring } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { resourceClaimEvaluator } from '../../../../charges/evaluators/resource-claim.ts'
import { foresee } from '../../decide/foresight/foresee.ts'
import { refusalBy, SeenQuotas } from '../../decide/foresight/seen-quotas.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import { pause } from '../../../../kube/time/clock.ts'
import { linkedAbort } from '../../../../kube/time/linked-abort.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import { within } from '../../../counted/count/catch-up.ts'
import { keepLimits, RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import type { AwaitedReview, ForeseenRequest, Foresight } from '../../../counted/peers/foreseen-request.ts'
import { JoinedReads } from './joined-reads.ts'
import type { QuotaReservations } from './quota-reservations.ts'
import { reviewedAttributes, type WriteAttributes } from './reviewed-attributes.ts'
import { WaitingLines } from './waiting-lines.ts'

/** How long after its answer a request is expected to be charged by the API server: the other webhooks may take as long. */
const EXPECTED_MS = 3_000
/** How long a request waits at most until it is seen what those ahead of it got. */
const MOST_WAIT_MS = 2_000
const DECIDED = new Error('the request has been decided')
/** How long the quotas of a namespace may take to be read; the API server decides alone where they take longer. */
const READ_MS = 2_000
/** Namespaces with more ResourceQuotas are left to the API server: each request costs a look at all of them, and each refusal a list. */
const MOST_QUOTAS = 100
/** No more of the time to answer is used than one part in so many. */
const PART = 4

/**
 * Predicts whether the ResourceQuotas of a namespace will refuse a request, before room of other quotas is reserved for
 * it. Each replica has one of these, which sees all ResourceQuotas through a watch. A namespace without ResourceQuotas
 * costs one look into a map.
 */
export class NativeRefusals implements Foresight {
  readonly #context: Pick<OperatorContext, 'client' | 'clock' | 'logger'>
  readonly #quotas: CacheView<ResourceQuota>
  readonly #own: QuotaReservations
  readonly #namespaces = new Map<string, SeenQuotas>()
  readonly #lines = new WaitingLines()
  readonly #reads: JoinedReads<readonly ResourceQuota[]>

  constructor(context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'caches'>, own: QuotaReservations) {
    const { client, clock, logger, caches } = context
    this.#context = { client, clock, logger }
    this.#own = own
    this.#quotas = caches.view({ kind: RESOURCE_QUOTAS, keep: keepLimits })
    this.#quotas.onChange((old, current, { namespace, name }) => this.#see(namespace, name, old, current))
    this.#reads = new JoinedReads((namespace) => this.#read(namespace))
  }

  /** Undefined where no ResourceQuota concerns the request. Does not reject because quotas cannot be read: the API server decides in any case. */
  of(request: AdmissionRequest, review: AwaitedReview): Promise<ForeseenRequest | undefined> | undefined {
    const seen = this.#namespaces.get(request.namespace)
    const attributes = seen === undefined ? undefined : reviewedAttributes(request)
    if (seen === undefined || attributes === undefined) return undefined
    if (this.#own.areEnforced) return this.#own.reserve(attributes, review)
    if (seen.count > MOST_QUOTAS) return undefined
    const evaluator = QUOTA_EVALUATORS.of(attributes)
    if (evaluator?.handles(attributes) !== true) return undefined
    // The cost of a claim that was made for a pod depends on the pod, which is not known here.
    if (isClaim(attributes) && resourceClaimEvaluator.entangled?.(attributes.object) === true) return undefined
    return this.#foresee(seen, attributes, review)
  }

  async #foresee(seen: SeenQuotas, attributes: WriteAttributes, review: AwaitedReview): Promise<ForeseenRequest> {
    const { clock } = this.#context
    const { namespace, dryRun } = attributes
    const measuring: Measuring = { now: clock.now() }
    // Most requests fit at once: a wait is dearer than their decision.
    using waits = new DisposableStack()
    let over: Promise<void> | undefined
    const foreseen = await foresee({
      forecast: () => {
        const forecast = seen.forecast(attributes, measuring, clock.monotonic())
        // It had its turn in the line.
        if (over !== undefined && forecast.type !== 'too early') this.#lines.next(namespace)
        return forecast
      },
      // The time begins anew with the answer.
      expect: (charges) => seen.expect(dryRun ? [] : charges, clock.monotonic() + review.withinMs),
      confirm: () => this.#confirm(attributes, measuring, review),
      change: async () => {
        if (dryRun) return false
        const isFirst = over !== undefined
        over ??= this.#wait(review, waits)
        const isTurn = await this.#lines.turn(namespace, isFirst, over)
        if (!isTurn) this.#lines.next(namespace)
        return isTurn
      },
    })
    if (foreseen.type === 'refused') return { ...foreseen, attributes }
    const end = (goesOn: boolean): void => {
      foreseen.expectations(goesOn ? clock.monotonic() : undefined)
      if (!goesOn) this.#lines.next(namespace)
    }
    return { type: 'open', end }
  }

  /** Resolves when a request is not to wait any longer, at the latest when the stack is disposed of. */
  #wait({ signal, withinMs }: AwaitedReview, waits: DisposableStack): Promise<void> {
    const { controller } = waits.use(linkedAbort(signal))
    waits.defer(() => controller.abort(DECIDED))
    return pause(this.#context.clock, Math.min(MOST_WAIT_MS, withinMs / PART), controller.signal)
  }

  async #confirm(
    attributes: Attributes,
    measuring: Measuring,
    { signal, withinMs }: AwaitedReview,
  ): Promise<Denied | undefined> {
    const { namespace } = attributes
    const inTime = AbortSignal.timeout(Math.min(READ_MS, withinMs / PART))
    try {
      const quotas = await within(this.#reads.of(namespace), AbortSignal.any([signal, inTime]))
      return refusalBy(quotas, QUOTA_EVALUATORS, attributes, measuring)
    } catch (error) {
      this.#context.logger.debug({ namespace, error }, 'the ResourceQuotas of a namespace could not be read')
      return undefined
    }
  }

  /** A consistent list. */
  async #read(namespace: string): Promise<readonly ResourceQuota[]> {
    const signal = AbortSignal.timeout(READ_MS)
    const { items } = await this.#context.client.list<ResourceQuota>(RESOURCE_QUOTAS, { namespace, signal })
    for (const item of items) this.#quotas.observed(item)
    return items
  }

  #see(namespace: string, name: string, old: ResourceQuota | undefined, current: ResourceQuota | undefined): void {
    const seen = this.#namespaces.get(namespace) ?? new SeenQuotas(QUOTA_EVALUATORS, EXPECTED_MS)
    if (current === undefined) seen.remove(name)
    else seen.set(current)
    if (seen.count === 0) this.#namespaces.delete(namespace)
    else if (old === undefined) this.#namespaces.set(namespace, seen)
    this.#lines.next(namespace)
  }
}

const isClaim = (of: GroupResource): boolean => qualified(of) === qualified(resourceClaimEvaluator)

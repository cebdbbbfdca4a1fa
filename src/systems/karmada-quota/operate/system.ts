import { karmadaQuota } from '../api/karmada-quota.ts'
import { type LimitReading, limitReadings } from '../../../insight/history/limit-reading.ts'
import { KARMADA_QUOTA_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { EnforcedQuotas } from '../../counted/enforced-quotas.ts'
import type { QuotaPeers } from '../../counted/peers/quota-peers.ts'
import { QuotaController } from '../../counted/quota-controller.ts'
import { QuotaTracker } from '../../counted/quota-tracker.ts'
import { limitGauges, limitSamples } from '../../generated-quota/decide/limit-metrics.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { RunningSystem } from '../../../operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../operator/system.ts'
import { BINDING_ASKING } from './binding-asking.ts'
import { bindingCosts } from './binding-costs.ts'
import type { KarmadaQuotaOptions } from './options.ts'
import { IdleLimitKeeper } from '../../generated-quota/operate/idle-limit-keeper.ts'
import { countLimits, karmadaQuotaHooks } from './hooks.ts'
import { KARMADA_QUOTA_LEDGERING, QuotaStatusLedger } from './ledgering.ts'
import { KarmadaQuotaReporting } from './reporting.ts'
import { KarmadaQuotaTracking } from './tracking.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'

const SYSTEM = 'karmada-quotas'
/** The controller that says of limits that they limit nothing, as logs, metrics and the marks of its writes have it. */
const IDLE_KARMADA_QUOTAS = 'idle-karmada-quotas'

/**
 * How the metrics of KarmadaQuotas are called.
 *
 * @public for the reference of metrics
 */
export const KARMADA_QUOTA_METRICS = { prefix: 'allot_karmadaquota', label: 'karmada_quota', kind: karmadaQuota.kind }

/** KarmadaQuotas: limits for the ResourceBindings of a namespace. Without KarmadaQuotas nothing is watched or asked about. */
export function karmadaQuotaSystem(options: KarmadaQuotaOptions, peers: QuotaPeers): OperatorSystem {
  return {
    name: SYSTEM,
    crds: [karmadaQuota.crd] as unknown as readonly KubeObject[],
    needs: KARMADA_QUOTA_NEEDS,
    start: (context) => new RunningKarmadaQuotas(context, options, peers),
  }
}

class RunningKarmadaQuotas implements RunningSystem {
  readonly #context: OperatorContext
  readonly #options: KarmadaQuotaOptions
  readonly #tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly #tracking: KarmadaQuotaTracking
  readonly #enforced: EnforcedQuotas<TrackedKarmadaQuota>
  readonly #limits: LimitCheck

  constructor(context: OperatorContext, options: KarmadaQuotaOptions, { foresight, together }: QuotaPeers) {
    const { client, clock, webhooks, ownName } = context
    const tracking = new KarmadaQuotaTracking(context)
    const tracker = new QuotaTracker<TrackedKarmadaQuota>({ context, tracking, areCrdsNeeded: true })
    this.#context = context
    this.#options = options
    this.#tracker = tracker
    this.#tracking = tracking
    this.#enforced = new EnforcedQuotas({
      context,
      tracker,
      ledgering: KARMADA_QUOTA_LEDGERING,
      storeOf: (tracked) => new QuotaStatusLedger(client, tracker, tracking.view, tracked),
      // Every limit counts the bindings of the namespace.
      shareObjects: () => true,
      asking: BINDING_ASKING,
      chargingOf: (ledgers) => {
        const costsOf = bindingCosts({ client, tracker, ledgers, warnAt: options.warnAt })
        together.provide(SYSTEM, costsOf)
        return { costsOf }
      },
      foresight: foresight(context),
      others: (request, signal) => together.others(SYSTEM, request, signal),
      requestTimeoutMs: options.requestTimeoutMs,
    })
    tracker.begin()
    showGauges(context.registry, limitGauges(KARMADA_QUOTA_METRICS), () =>
      limitSamples(KARMADA_QUOTA_METRICS, tracking.view.list()),
    )
    const limits = new LimitCheck({ client, clock })
    this.#limits = limits
    const guard = (): void => webhooks.set(...karmadaQuotaHooks(ownName, limits))
    guard()
    // The name of the operator is heard with the first proof.
    webhooks.onLive(guard)
  }

  controllers(): readonly Controller[] {
    const [context, tracker, tracking] = [this.#context, this.#tracker, this.#tracking]
    return [
      new QuotaController({
        context,
        tracker,
        places: undefined,
        enforcement: this.#enforced,
        reporting: new KarmadaQuotaReporting({ context, tracker, tracking }),
        workers: this.#options.workers,
      }),
      new IdleLimitKeeper({
        name: IDLE_KARMADA_QUOTAS,
        context,
        kind: karmadaQuota,
        objects: tracking.view,
        limits: this.#limits,
        limitsOf: countLimits,
      }),
    ]
  }

  *readings(): Generator<LimitReading> {
    for (const { metadata, status } of this.#tracking.view.list())
      yield* limitReadings(karmadaQuota.kind, metadata, status?.hard, status?.used)
  }

  pendingRules(): string | undefined {
    return this.#enforced.rules.pending()
  }

  async stop(): Promise<void> {
    await Promise.all([this.#enforced.stop(), this.#tracker.end()])
  }
}

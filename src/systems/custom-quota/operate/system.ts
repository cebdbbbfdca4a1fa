import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { quantityLedger } from '../../counted/api/quantity-ledger.ts'
import { LIMIT } from '../../../insight/budgets/custom-quota.ts'
import { type LimitReading, limitReadings } from '../../../insight/history/limit-reading.ts'
import { CUSTOM_QUOTA_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { allowed } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { isGeneratedWrite } from '../../generated-quota/operate/generated-write.ts'
import { EnforcedQuotas } from '../../counted/enforced-quotas.ts'
import type { QuotaPeers } from '../../counted/peers/quota-peers.ts'
import { LedgerPlaces } from '../../counted/ledger-places.ts'
import { QuotaController } from '../../counted/quota-controller.ts'
import { LedgerCache } from '../../counted/replica/ledger-cache.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { RunningSystem } from '../../../operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../operator/system.ts'
import type { CustomQuotaOptions } from './options.ts'
import { raisedCosts } from './admission/calculation-costs.ts'
import { calculationAsking } from './admission/calculation-asking.ts'
import { CALCULATIONS_PATH } from './admission/calculation-rules.ts'
import { customQuotaLedgering, hasAllowed, kindOf } from './admission/ledgering.ts'
import { limitLowerer } from './admission/lowered-limit.ts'
import { isAbandoned } from './quota-of-ledger.ts'
import { ledgerGuardHooks } from './ledger-guard.ts'
import { CustomQuotaReporting } from './reporting.ts'
import { QuotaBound } from './quota-bound.ts'
import { quotaHooks, type QuotaHooksOptions } from './hooks.ts'
import { CustomQuotaTracker } from './tracking/quota-tracker.ts'
import type { TrackedQuota, AnyQuota } from './tracking/tracked-quota.ts'
import type { Registry } from '@prometheus-io/client'
import { itemSeries } from '../decide/item-series.ts'
import { CUSTOM_QUOTA_METRICS, customQuotaMetrics, type QuotaSample } from '../decide/quota-metrics.ts'
import { QuantityError } from '../../../quantity/quantity.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'

const SYSTEM = 'custom-quotas'

/** CustomQuotas and GlobalCustomQuotas, with their QuantityLedgers. */
export function customQuotaSystem(options: CustomQuotaOptions, peers: QuotaPeers): OperatorSystem {
  return {
    name: SYSTEM,
    crds: [customQuota.crd, globalCustomQuota.crd, quantityLedger.crd] as unknown as readonly KubeObject[],
    needs: CUSTOM_QUOTA_NEEDS,
    start: (context) => new RunningCustomQuotas(context, options, peers),
  }
}

interface RunningEnforcement {
  readonly quotas: EnforcedQuotas<TrackedQuota>
  readonly lower: QuotaHooksOptions['lower']
}

class RunningCustomQuotas implements RunningSystem {
  readonly #context: OperatorContext
  readonly #options: CustomQuotaOptions
  readonly #tracker: CustomQuotaTracker
  readonly #ledgers: LedgerCache
  /** Nothing is refused there: the cluster must go on working whatever a quota says. */
  readonly #exempt: ReadonlySet<string>
  readonly #enforcement: RunningEnforcement | undefined

  constructor(context: OperatorContext, options: CustomQuotaOptions, peers: QuotaPeers) {
    const { client, registry, webhooks, ownName } = context
    const { strictPaths, bounds, quotasPerNamespace } = options
    const compile = { strictPaths, bounds }
    this.#context = context
    this.#options = options
    this.#tracker = new CustomQuotaTracker(context, compile)
    this.#ledgers = new LedgerCache(context)
    this.#exempt = context.exempt
    showQuotaMetrics(registry, () => [...this.#tracker.all].map(({ quota }) => quota))
    this.#enforcement = endedBy(options) === undefined ? this.#enforce(peers) : undefined
    if (this.#enforcement === undefined)
      webhooks.answerAlways({ path: CALCULATIONS_PATH, handle: () => Promise.resolve(allowed()) })
    webhooks.set(
      ...quotaHooks({
        client,
        served: this.#tracker.finder.served,
        compile,
        quotasPerNamespace,
        ownName,
        lower: this.#enforcement?.lower,
      }),
    )
    const places = { tracker: this.#tracker, ledgers: this.#ledgers }
    const guard = (): void =>
      webhooks.set(...ledgerGuardHooks(ownName, (ledger, signal) => isAbandoned(places, client, ledger, signal)))
    guard()
    // The name of the operator is heard with the first proof.
    webhooks.onLive(guard)
  }

  #enforce({ foresight, together }: QuotaPeers): RunningEnforcement {
    const { client, clock, ownName } = this.#context
    const { requestTimeoutMs, untilReady, warnAt, configuredRules: configured } = this.#options
    const [context, tracker, exempt] = [this.#context, this.#tracker, this.#exempt]
    const isGenerated = (request: AdmissionRequest): boolean => isGeneratedWrite(request, ownName())
    const quotas = new EnforcedQuotas<TrackedQuota>({
      context,
      tracker,
      cache: this.#ledgers,
      ledgering: customQuotaLedgering(tracker.namespaces),
      hasAllowed,
      asking: calculationAsking({ tracker, exempt, configured }),
      chargingOf: (ledgers) => {
        const calculation = { client, clock, tracker, ledgers, exempt, isGenerated, untilReady, warnAt }
        const costsOf = (request: AdmissionRequest, signal: AbortSignal) => raisedCosts(request, signal, calculation)
        // By configured rules nobody knows which requests the webhook is asked about.
        if (configured === undefined) together.provide(SYSTEM, costsOf)
        return { costsOf }
      },
      foresight: foresight(context),
      others: (request, signal) => together.others(SYSTEM, request, signal),
      requestTimeoutMs,
    })
    return { quotas, lower: limitLowerer({ tracker, ledgers: quotas.ledgers, clock }) }
  }

  controllers(): readonly Controller[] {
    const [context, tracker, ledgers] = [this.#context, this.#tracker, this.#ledgers]
    const { quotasPerNamespace, configuredRules: configured, workers } = this.#options
    const enforcement = this.#enforcement?.quotas
    const { client, logger } = context
    return [
      new QuotaController({
        context,
        tracker,
        places: new LedgerPlaces<TrackedQuota>({ client, logger, ledgers, kindOf }),
        enforcement,
        workers,
        reporting: new CustomQuotaReporting({
          context,
          tracker,
          ledgers,
          enforcement,
          bound: new QuotaBound(quotasPerNamespace, (namespace) => tracker.customQuotas.list(namespace)),
          scope: {
            endedBy: endedBy(this.#options),
            exempt: this.#exempt,
            configured,
            namespaces: () => tracker.namespaces.list(),
            unserved: (tracked) => tracker.unserved.of(tracked),
          },
        }),
      }),
    ]
  }

  *readings(): Generator<LimitReading> {
    for (const { quota } of this.#tracker.all) {
      const { kind, metadata, spec, status } = quota
      const used = status?.usage?.used
      yield* limitReadings(kind, metadata, { [LIMIT]: spec.limit }, used === undefined ? {} : { [LIMIT]: used })
    }
  }

  pendingRules(): string | undefined {
    return this.#enforcement?.quotas.rules.pending()
  }

  async stop(): Promise<void> {
    await this.#enforcement?.quotas.stop()
    await this.#tracker.end()
  }
}

/** The setting by which quotas refuse nothing; undefined where they refuse. */
function endedBy({ enforce, configuredRules }: CustomQuotaOptions): string | undefined {
  if (enforce === 'off') return '--enforce=off'
  return configuredRules?.enabled === false ? 'webhooks.hooks.calculations.enabled=false' : undefined
}

/** Shows Prometheus what custom quotas are like. `quotas` gives all of both kinds. */
function showQuotaMetrics(registry: Registry, quotas: () => readonly AnyQuota[]): void {
  showGauges(registry, CUSTOM_QUOTA_METRICS, () => samplesOf(quotas()))
}

function* samplesOf(quotas: readonly AnyQuota[]): Iterable<QuotaSample> {
  const series = itemSeries(quotas)
  for (const quota of quotas)
    try {
      yield* customQuotaMetrics(quota, series(quota))
    } catch (error) {
      // A quota whose limit is not an amount has no figures.
      if (!(error instanceof QuantityError)) throw error
    }
}

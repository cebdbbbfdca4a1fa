import { customQuota } from '../api/custom-quota.ts'
import { globalCustomQuota } from '../api/global-custom-quota.ts'
import { quantityLedger } from '../../counted/api/quantity-ledger.ts'
import { CUSTOM_QUOTA_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { allowed } from '../../../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/admission-request.ts'
import { isGeneratedWrite } from '../../generated-quota/operate/generated-write.ts'
import type { QuotaPeers } from '../../counted/foresight/quota-peers.ts'
import type { FindCharges } from '../../counted/foresight/charged-together.ts'
import { NativeRefusals } from '../../counted/foresight/native-refusals.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { OperatorContext, OperatorSystem, RunningSystem } from '../../../operator/system.ts'
import type { CustomQuotaOptions } from './custom-quota-options.ts'
import {
  type ChargedRequest,
  type ChargeOutcome,
  calculationHandler,
  raisedCosts,
} from './admission/calculation-handler.ts'
import { CALCULATIONS_PATH } from './admission/calculation-rules.ts'
import { QuotaCharges } from './admission/charge-quotas.ts'
import { hasAllowed } from './admission/has-allowed.ts'
import { LedgerKeeper } from '../../counted/replica/ledger-keeper.ts'
import { patienceOf } from '../../counted/replica/patience.ts'
import { limitLowerer } from './admission/lowered-limit.ts'
import { FormerLedgers } from '../../counted/replica/former-ledgers.ts'
import { QuotaLedgers } from '../../counted/quota-ledgers.ts'
import { KeptLedger } from '../../counted/replica/kept-ledger.ts'
import { customQuotaLedgering } from './admission/custom-quota-ledgering.ts'
import { RuleKeeper } from './admission/rule-keeper.ts'
import { LedgerCache } from '../../counted/replica/ledger-cache.ts'
import { isAbandoned } from './abandoned-ledger.ts'
import { ledgerGuardHooks } from './ledger-guard.ts'
import { type CustomQuotaEnforcement, QuotaController } from './custom-quota-controller.ts'
import { QuotaBound } from './quota-bound.ts'
import { quotaHooks, type QuotaHooksOptions } from './custom-quota-hooks.ts'
import { showQuotaMetrics } from './quota-metrics-page.ts'
import { CustomQuotaTracker } from './tracking/custom-quota-tracker.ts'
import { LostLedgers } from '../../counted/replica/lost-ledgers.ts'
import type { TrackedQuota } from './tracking/tracked-custom-quota.ts'

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

interface RunningEnforcement extends CustomQuotaEnforcement {
  readonly rules: RuleKeeper
  readonly keeper: LedgerKeeper<TrackedQuota>
  readonly admissions: QuotaLedgers<TrackedQuota>
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

  #enforce({ reservations, together }: QuotaPeers): RunningEnforcement {
    const { client, webhooks, clock, logger, ownName } = this.#context
    const { requestTimeoutMs, untilReady, warnAt, configuredRules: configured } = this.#options
    const tracker = this.#tracker
    const ledgers = this.#ledgers
    const admissions = new QuotaLedgers({
      context: this.#context,
      tracker,
      ledgering: customQuotaLedgering(tracker.namespaces),
      storeOf: (_, owner) => new KeptLedger(ledgers, owner, clock),
      requestTimeoutMs,
    })
    const former = new FormerLedgers({ ledgers, clock, patience: patienceOf(requestTimeoutMs) })
    const lost = new LostLedgers(this.#context)
    const charges = new QuotaCharges(admissions, clock)
    const exempt = this.#exempt
    const charge = (request: ChargedRequest): Promise<ChargeOutcome> => charges.charge(request)
    const native = new NativeRefusals(this.#context, reservations)
    const isGenerated = (request: AdmissionRequest): boolean => isGeneratedWrite(request, ownName())
    const finding = { client, clock, tracker, exempt, isGenerated, untilReady }
    const others: FindCharges = (request, signal) => together.others(SYSTEM, request, signal)
    const handle = calculationHandler({ ...finding, charge, warnAt, native, others })
    // By configured rules nobody knows which requests the webhook is asked about.
    if (configured === undefined)
      together.provide(SYSTEM, async (request, signal) => {
        const costs = await raisedCosts(request, signal, finding)
        return costs.decided === undefined ? { charges: charges.chargesOf(costs) } : costs
      })
    return {
      rules: new RuleKeeper({ tracker, webhooks, clock, handle, exempt, configured }),
      keeper: new LedgerKeeper({
        logger,
        tracker,
        ledgers,
        admissions,
        hasAllowed: (tracked) =>
          hasAllowed(tracked) ||
          former.mayStillStore(ledgers.placeKey(tracked.quota), admissions.of(tracked).views.current()),
        onLost: ({ quota }, leftMs) => lost.report(quota, leftMs),
      }),
      admissions,
      lower: limitLowerer({ tracker, ledgers: admissions, clock }),
    }
  }

  controllers(): readonly Controller[] {
    return [
      new QuotaController({
        context: this.#context,
        tracker: this.#tracker,
        ledgers: this.#ledgers,
        enforcement: this.#enforcement,
        bound: new QuotaBound(this.#options.quotasPerNamespace, (namespace) =>
          this.#tracker.customQuotas.list(namespace),
        ),
        scope: {
          endedBy: endedBy(this.#options),
          exempt: this.#exempt,
          configured: this.#options.configuredRules,
          namespaces: () => this.#tracker.namespaces.list(),
          unserved: (tracked) => this.#tracker.unserved.of(tracked),
        },
        workers: this.#options.workers,
      }),
    ]
  }

  pendingRules(): string | undefined {
    return this.#enforcement?.rules.pending()
  }

  async stop(): Promise<void> {
    this.#enforcement?.rules.stop()
    await this.#enforcement?.keeper.stop()
    await this.#enforcement?.admissions.end()
    await this.#tracker.end()
  }
}

/** The setting by which quotas refuse nothing; undefined where they refuse. */
function endedBy({ enforce, configuredRules }: CustomQuotaOptions): string | undefined {
  if (enforce === 'off') return '--enforce=off'
  return configuredRules?.enabled === false ? 'webhooks.hooks.calculations.enabled=false' : undefined
}

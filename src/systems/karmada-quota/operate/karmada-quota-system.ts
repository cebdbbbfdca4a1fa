import { karmadaQuota } from '../api/karmada-quota.ts'
import { KARMADA_QUOTA_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { FindCharges } from '../../counted/foresight/charged-together.ts'
import { NativeRefusals } from '../../counted/foresight/native-refusals.ts'
import type { QuotaPeers } from '../../counted/foresight/quota-peers.ts'
import { FormerLedgers } from '../../counted/replica/former-ledgers.ts'
import { LedgerKeeper } from '../../counted/replica/ledger-keeper.ts'
import { LostLedgers } from '../../counted/replica/lost-ledgers.ts'
import { patienceOf } from '../../counted/replica/patience.ts'
import { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { OperatorContext, OperatorSystem, RunningSystem } from '../../../operator/system.ts'
import { bindingCosts, bindingHandler } from './binding-handler.ts'
import { BindingRules } from './binding-rules.ts'
import type { KarmadaQuotaOptions } from './karmada-quota-options.ts'
import { KarmadaQuotaController } from './karmada-quota-controller.ts'
import { IdleLimitKeeper } from '../../generated-quota/operate/idle-limit-keeper.ts'
import { IDLE_KARMADA_QUOTAS } from './karmada-quota-controllers.ts'
import { countLimits, karmadaQuotaHooks } from './karmada-quota-hooks.ts'
import { QuotaLedgers } from '../../counted/quota-ledgers.ts'
import { QuotaTracker } from '../../counted/quota-tracker.ts'
import { KARMADA_QUOTA_LEDGERING, QuotaStatusLedger } from './karmada-quota-ledgering.ts'
import { KarmadaQuotaTracking } from './karmada-quota-tracking.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

const SYSTEM = 'karmada-quotas'

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
  readonly #keeper: LedgerKeeper<TrackedKarmadaQuota>
  readonly #rules: BindingRules
  readonly #limits: LimitCheck

  constructor(context: OperatorContext, options: KarmadaQuotaOptions, { reservations, together }: QuotaPeers) {
    const { client, clock, logger, webhooks, ownName } = context
    const tracking = new KarmadaQuotaTracking(context)
    const tracker = new QuotaTracker<TrackedKarmadaQuota>({ context, tracking, areCrdsNeeded: true })
    const ledgers = new QuotaLedgers({
      context,
      tracker,
      ledgering: KARMADA_QUOTA_LEDGERING,
      storeOf: (tracked) => new QuotaStatusLedger(client, tracker, tracking.quotas, tracked),
      requestTimeoutMs: options.requestTimeoutMs,
    })
    const former = new FormerLedgers({
      ledgers: { onGone: (handler) => tracker.onGone(({ key, quota }) => handler(key, quota.status)) },
      clock,
      patience: patienceOf(options.requestTimeoutMs),
      // Every limit counts the bindings of the namespace.
      shareObjects: () => true,
    })
    this.#context = context
    this.#options = options
    this.#tracker = tracker
    this.#tracking = tracking
    tracker.begin()
    const lost = new LostLedgers(context)
    this.#keeper = new LedgerKeeper({
      logger,
      tracker,
      admissions: ledgers,
      hasAllowed: (tracked) =>
        tracked.hasHadLedger || former.mayStillStore(tracked.key, ledgers.of(tracked).views.current()),
      onLost: ({ quota }, leftMs) => lost.report(quota, leftMs),
    })
    const native = new NativeRefusals(context, reservations)
    const finding = { client, tracker, ledgers }
    const others: FindCharges = (request, signal) => together.others(SYSTEM, request, signal)
    together.provide(SYSTEM, (request, signal) => bindingCosts(request, signal, finding))
    this.#rules = new BindingRules({
      tracker,
      webhooks,
      clock,
      handle: bindingHandler({ ...finding, clock, native, others }),
      exempt: context.exempt,
    })
    const limits = new LimitCheck({ client, clock })
    this.#limits = limits
    const guard = (): void => webhooks.set(...karmadaQuotaHooks(ownName, limits))
    guard()
    // The name of the operator is heard with the first proof.
    webhooks.onLive(guard)
  }

  controllers(): readonly Controller[] {
    return [
      new KarmadaQuotaController({
        context: this.#context,
        tracker: this.#tracker,
        tracking: this.#tracking,
        rules: this.#rules,
        keeper: this.#keeper,
        workers: this.#options.workers,
      }),
      new IdleLimitKeeper({
        name: IDLE_KARMADA_QUOTAS,
        context: this.#context,
        kind: karmadaQuota,
        objects: this.#tracking.quotas,
        limits: this.#limits,
        limitsOf: countLimits,
      }),
    ]
  }

  pendingRules(): string | undefined {
    return this.#rules.pending()
  }

  async stop(): Promise<void> {
    this.#rules.stop()
    await Promise.all([this.#keeper.stop(), this.#tracker.end()])
  }
}

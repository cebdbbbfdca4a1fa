import { exceededText } from '../../../src/charges/refusal-text.ts'
import { slimObject } from '../../../src/kube/cache/trim-object.ts'
import { jsonEqual, wholeNumber } from '../../../src/machinery/json-value.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { RunningSystem } from '../../../src/operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../src/operator/system.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { allowed, denied, retryLater } from '../../../src/runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../src/runtime/admission/request.ts'
import type {
  FoundCosts,
  QuotaAsking,
  QuotaLedgering,
  QuotaReporting,
  QuotaTracking,
} from '../../../src/systems/counted/adapter.ts'
import { CountedQuota } from '../../../src/systems/counted/counted-quota.ts'
import { EnforcedQuotas } from '../../../src/systems/counted/enforced-quotas.ts'
import type { NamedKind } from '../../../src/systems/counted/kind-finder.ts'
import { LedgerPlaces } from '../../../src/systems/counted/ledger-places.ts'
import { isFree } from '../../../src/systems/counted/protocol/reserve.ts'
import { LEDGER_AMOUNT } from '../../../src/systems/counted/protocol/ledger-budget.ts'
import { ledgerStatus, showsAmounts } from '../../../src/systems/counted/protocol/ledger-status.ts'
import { LOOK_AGAIN_MS, QuotaController, REST_MS } from '../../../src/systems/counted/quota-controller.ts'
import type { QuotaLedgers } from '../../../src/systems/counted/quota-ledgers.ts'
import { QuotaTracker } from '../../../src/systems/counted/quota-tracker.ts'
import { LedgerCache, targetKey } from '../../../src/systems/counted/replica/ledger-cache.ts'
import { reviewedObject } from '../../../src/systems/counted/replica/reviewed-object.ts'
import { type LabelQuota, labelQuota } from './label-quota.ts'

const NAME = 'label-quotas'
const PATH = '/label-quotas'
const REQUEST_TIMEOUT_MS = 60_000
const ONE = Quantity.of(1)

class TrackedLabelQuota extends CountedQuota<LabelQuota> {
  constructor(quota: LabelQuota) {
    super(quota, labelQuota)
  }

  get kinds(): readonly NamedKind[] {
    return [{ group: '', version: 'v1', kind: this.quota.spec.kind }]
  }

  costOf(object: KubeObject | undefined): Quantity {
    return object?.metadata.labels?.[this.quota.spec.label] === undefined ? Quantity.zero : ONE
  }
}

const trackingOf = ({ caches }: OperatorContext): QuotaTracking<TrackedLabelQuota> => {
  const quotas = caches.view<LabelQuota>({
    kind: labelQuota,
    keep: (object, share) => labelQuota.read(slimObject(object, share)),
  })
  return {
    quotas: new Map([[labelQuota.kind, quotas]]),
    compile: (quota) => new TrackedLabelQuota(quota),
    update: () => undefined,
    countsAlike: ({ spec: old }, { spec }) => jsonEqual({ ...old, most: 0 }, { ...spec, most: 0 }),
    problemOf: (_, { kind }) => `there is no ${kind.kind}`,
    partsOf: (_, { kind }) => [{ name: `/v1/${kind}`, amount: LEDGER_AMOUNT }],
    measure: (object) => (tracked) => ({ amounts: { [LEDGER_AMOUNT]: tracked.costOf(object) } }),
  }
}

const LEDGERING: QuotaLedgering<TrackedLabelQuota> = {
  kindOf: () => labelQuota,
  limitsOf: ({ quota }) => ({ [LEDGER_AMOUNT]: Quantity.of(wholeNumber(quota.spec.most) ?? 0n) }),
  options: {},
  statusOf: ({ key, state, now, expiresAt }, old) => ledgerStatus(state, old, { quotaKey: key, now, expiresAt }),
  shows: (status, { state }) => showsAmounts(status, state),
  viewsOf: ({ generation, widenedAt }) => ({ generation, widenedAt, selection: '' }),
}

const ASKING: QuotaAsking<TrackedLabelQuota> = {
  plural: 'LabelQuotas',
  hookOf: (handle) => ({ phase: 'validating', name: 'labelquotas.counted.allot.dev', path: PATH, handle }),
  asked: (quotas) => {
    const byResource = Map.groupBy(quotas, (tracked) => tracked.resolution?.targets[0]?.resource.resource ?? '')
    return [...byResource].flatMap(([resource, all]) => {
      if (resource === '') return []
      const operations = ['CREATE', 'UPDATE'] as const
      const rule = { groups: [''], versions: ['v1'], resources: [resource], operations, scope: 'Namespaced' as const }
      return [{ key: resource, rules: [rule], namespaces: new Set(all.map(({ namespace }) => namespace)) }]
    })
  },
  askedFor: ({ resolution, namespace }) =>
    resolution?.targets.map(({ resource }) => [resource.resource, new Set([namespace])] as const),
}

const costsOf =
  ({ client }: OperatorContext, tracker: QuotaTracker<TrackedLabelQuota>, ledgers: QuotaLedgers<TrackedLabelQuota>) =>
  async (request: AdmissionRequest, signal: AbortSignal): Promise<FoundCosts> => {
    const quotas = tracker.in(request.namespace).filter(({ quota }) => quota.spec.kind === request.kind.kind)
    const target = quotas[0]?.target(request.resource)
    if (quotas.length === 0) return { decided: allowed() }
    if (target === undefined) return { decided: retryLater('the objects are being counted', 1) }
    const crd = (name: string) => tracker.finder.crd(name)
    const reviewed = await reviewedObject(request, target.resource, { client, crd }, { signal })
    if (reviewed === undefined) return { decided: allowed() }
    const { object, oldObject, ...one } = reviewed
    const charges = quotas.map((tracked) => {
      const costs = { cost: tracked.costOf(object), oldCost: tracked.costOf(oldObject) }
      return { ledger: ledgers.of(tracked).admission, charges: [{ ...one, ...costs, kind: target.part, id: '' }] }
    })
    if (charges.every((charge) => charge.charges.every(isFree))) return { decided: allowed() }
    return {
      reviewed,
      target,
      charges,
      refused: ([{ budget, excesses }]) => denied(exceededText(budget.name, excesses)),
    }
  }

const reportingOf = (
  { client }: OperatorContext,
  tracker: QuotaTracker<TrackedLabelQuota>,
): QuotaReporting<TrackedLabelQuota> => ({
  name: NAME,
  concerned: (old, current) => {
    const ledger = current ?? old
    return ledger === undefined ? undefined : tracker.get(targetKey(ledger))?.key
  },
  waits: async () => ({ requeueAfter: LOOK_AGAIN_MS }),
  broughtUp: async (tracked, { again = LOOK_AGAIN_MS }, signal) => {
    const { quota, resolution } = tracked
    const { namespace, name } = tracked.ref
    const used = resolution?.targets[0]?.count.total.toString()
    if (used !== quota.status?.used)
      await client.patch(
        labelQuota,
        { namespace, name },
        { type: 'merge', body: { status: { used } } },
        { subresource: 'status', signal },
      )
    return { restFor: REST_MS, requeueAfter: again }
  },
})

/** A quota that counts the objects of one kind by one label, on the engine of counted quotas. */
export const labelQuotaSystem: OperatorSystem = {
  name: NAME,
  crds: [labelQuota.crd as unknown as KubeObject],
  needs: [
    { group: labelQuota.group, resource: labelQuota.resource, verbs: ['get', 'list', 'watch'] },
    { group: labelQuota.group, resource: labelQuota.resource, subresource: 'status', verbs: ['patch'] },
  ],
  start: (context): RunningSystem => {
    const { client, logger } = context
    const tracker = new QuotaTracker({ context, tracking: trackingOf(context), areCrdsNeeded: true })
    const cache = new LedgerCache(context)
    const enforcement = new EnforcedQuotas({
      context,
      tracker,
      cache,
      ledgering: LEDGERING,
      asking: ASKING,
      chargingOf: (ledgers) => ({ costsOf: costsOf(context, tracker, ledgers) }),
      requestTimeoutMs: REQUEST_TIMEOUT_MS,
    })
    tracker.begin()
    const places = new LedgerPlaces<TrackedLabelQuota>({ client, logger, ledgers: cache, kindOf: LEDGERING.kindOf })
    return {
      controllers: () => [
        new QuotaController({
          context,
          tracker,
          places,
          enforcement,
          reporting: reportingOf(context, tracker),
          workers: 1,
        }),
      ],
      pendingRules: () => enforcement.rules.pending(),
      stop: async () => void (await Promise.all([enforcement.stop(), tracker.end()])),
    }
  },
}

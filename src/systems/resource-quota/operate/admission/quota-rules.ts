import type { Clock } from '../../../../kube/time/clock.ts'
import type { Evaluator } from '../../../../charges/evaluator.ts'
import { podEvaluator } from '../../../../charges/evaluators/pod.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import type { AdmissionWebhook } from '../../../../runtime/admission/admission-server.ts'
import { AskedRules } from '../../../../operator/shell/asked-rules.ts'
import type { WebhookRules } from '../../../../operator/shell/registered-webhooks.ts'
import type { AskedResource, OperatorHookRule } from '../../../../operator/webhook/webhook-configuration.ts'
import type { QuotaTracker } from '../../../counted/quota-tracker.ts'
import type { TrackedResourceQuota } from './tracked-resource-quota.ts'

export interface ResourceQuotaRulesOptions {
  readonly tracker: QuotaTracker<TrackedResourceQuota>
  readonly webhooks: WebhookRules
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
  /** Namespaces that are not asked about unless they have quotas. */
  readonly exempt: ReadonlySet<string>
}

const HOOK = { phase: 'validating', name: 'resourcequota.validating.allot.dev' } as const
/** Where API servers ask about objects that ResourceQuotas count. */
export const ENFORCEMENT_PATH = '/resourcequotas/enforcement/validating'
const PODS = qualified(podEvaluator)

/** Derives the webhook from the quotas, and knows for which quotas the API server goes by it. */
export class ResourceQuotaRules {
  readonly #tracker: QuotaTracker<TrackedResourceQuota>
  readonly #asked: AskedRules
  /** The versions in which resources were counted last: quotas that come and go change no rules. */
  readonly #versions = new Map<string, string>()

  constructor({ tracker, webhooks, clock, handle, exempt }: ResourceQuotaRulesOptions) {
    this.#tracker = tracker
    const hook = { ...HOOK, path: ENFORCEMENT_PATH, exempt, sideEffects: 'NoneOnDryRun', handle } as const
    this.#asked = new AskedRules({ webhooks, clock, hook })
    tracker.onChange(() => this.#derive())
  }

  /** Is it proven that the API server asks about all that the quota counts? */
  isLiveFor(tracked: TrackedResourceQuota): boolean {
    const namespaces = new Set([tracked.ref.namespace])
    return tracked.evaluators.every((evaluator) => this.#asked.isLiveFor(qualified(evaluator), namespaces))
  }

  /** Returns why the rules may lack some that quotas need, if they may. */
  pending(): string | undefined {
    const { hasBegun, isSynced, isReported } = this.#tracker
    if (!hasBegun || (isSynced && isReported && this.#asked.areComplete)) return undefined
    return 'rules for ResourceQuotas are being made'
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    return this.#asked.onLive(handler)
  }

  stop(): void {
    this.#asked.stop()
  }

  #derive(): void {
    const evaluators = new Map<string, { readonly evaluator: Evaluator; readonly namespaces: Set<string> }>()
    // Whatever a quota counts, served or not: a kind that is defined later is asked about from its first object on.
    for (const tracked of this.#tracker.all)
      for (const evaluator of tracked.evaluators) {
        const key = qualified(evaluator)
        const known = evaluators.get(key) ?? { evaluator, namespaces: new Set() }
        known.namespaces.add(tracked.ref.namespace)
        evaluators.set(key, known)
        const version = tracked.target(evaluator)?.resource.version
        if (version !== undefined) this.#versions.set(key, version)
      }
    const needed = [...evaluators].map(([key, { evaluator, namespaces }]): AskedResource => {
      return { key, rules: rulesOf(evaluator, this.#versions.get(key)), namespaces }
    })
    this.#asked.need(needed.toSorted((a, b) => (a.key < b.key ? -1 : 1)))
  }
}

function rulesOf(evaluator: Evaluator, version: string | undefined): readonly OperatorHookRule[] {
  const { group, resource, isUniform } = evaluator
  const of = (...resources: string[]): Omit<OperatorHookRule, 'operations'> => ({
    groups: [group],
    resources,
    scope: 'Namespaced',
  })
  if (isUniform === true) return [{ ...of(resource), operations: ['CREATE'] }]
  // The cost of an object is read from it in the version that is counted.
  const read = version === undefined ? {} : { versions: [version] }
  return [
    { ...of(resource), ...read, operations: ['CREATE', 'UPDATE'] },
    ...(isPod(evaluator) ? [{ ...of(`${resource}/resize`), ...read, operations: ['UPDATE'] as const }] : []),
  ]
}

const isPod = (of: GroupResource): boolean => qualified(of) === PODS

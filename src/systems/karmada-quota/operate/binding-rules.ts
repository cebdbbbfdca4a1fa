import { RESOURCE_BINDINGS } from '../api/karmada-quota-names.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { AdmissionWebhook } from '../../../runtime/admission/admission-server.ts'
import { AskedRules } from '../../../operator/shell/asked-rules.ts'
import type { WebhookRules } from '../../../operator/shell/registered-webhooks.ts'
import type { OperatorHookRule } from '../../../operator/webhook/webhook-configuration.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface BindingRulesOptions {
  readonly tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly webhooks: WebhookRules
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
  /** Namespaces that are not asked about unless they have quotas. */
  readonly exempt: ReadonlySet<string>
}

/** Name and path are those of Karmada's pull request 1056. */
const HOOK = { phase: 'validating', name: 'quota.karmada.io', path: '/validate-karmadaquota' } as const
const { group, version, resource } = RESOURCE_BINDINGS
const RULE: OperatorHookRule = {
  groups: [group],
  versions: [version],
  resources: [resource, `${resource}/scale`],
  operations: ['CREATE', 'UPDATE'],
  scope: 'Namespaced',
}

/** Has the API server ask about the bindings of namespaces with KarmadaQuotas, and knows for which quotas it does. */
export class BindingRules {
  readonly #tracker: QuotaTracker<TrackedKarmadaQuota>
  readonly #asked: AskedRules
  #derivedAt = -1

  constructor({ tracker, webhooks, clock, handle, exempt }: BindingRulesOptions) {
    this.#tracker = tracker
    this.#asked = new AskedRules({ webhooks, clock, hook: { ...HOOK, exempt, sideEffects: 'NoneOnDryRun', handle } })
    webhooks.answerAlways({ path: HOOK.path, handle })
    tracker.onChange(() => this.#derive())
  }

  /** Is it proven that the API server asks about the bindings of the quota? */
  isLiveFor({ ref: { namespace } }: Pick<TrackedKarmadaQuota, 'ref'>): boolean {
    return this.#asked.isLiveFor(resource, new Set([namespace]))
  }

  /** Returns why the rules may lack some that quotas need, if they may. */
  pending(): string | undefined {
    return this.#tracker.isReported && this.#asked.areComplete ? undefined : 'rules for KarmadaQuotas are being made'
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    return this.#asked.onLive(handler)
  }

  stop(): void {
    this.#asked.stop()
  }

  #derive(): void {
    const { changes, all } = this.#tracker
    if (changes === this.#derivedAt) return
    this.#derivedAt = changes
    const namespaces = new Set([...all].map(({ ref }) => ref.namespace))
    this.#asked.need([{ key: resource, rules: [RULE], namespaces }])
  }
}

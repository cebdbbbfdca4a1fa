import { RESOURCE_BINDINGS } from '../../api/karmada-quota/karmada-quota-names.ts'
import type { AdmissionWebhook } from '../../runtime/admission/admission-server.ts'
import { ProvenCoverage } from '../shell/proven-coverage.ts'
import type { WebhookRules } from '../shell/registered-webhooks.ts'
import type { KarmadaQuotaTracker } from './karmada-quota-tracker.ts'
import type { TrackedKarmadaQuota } from './tracked-karmada-quota.ts'

export interface BindingRulesOptions {
  readonly tracker: KarmadaQuotaTracker
  readonly webhooks: WebhookRules
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
}

/** Name and path are those of Karmada's pull request 1056. */
const HOOK = { phase: 'validating', name: 'quota.karmada.io', path: '/validate-karmadaquota' } as const
/** A selector that lists more namespaces is longer than what it saves. */
const MOST_NAMESPACES = 100

/** Has the API server ask about the bindings of namespaces with KarmadaQuotas, and knows for which quotas it does. */
export class BindingRules {
  readonly #options: BindingRulesOptions
  readonly #liveHandlers = new Set<() => void>()
  #rendered = ''
  #derivedAt = -1
  /** The quotas that the API server is proven to ask for. */
  readonly #covered = new ProvenCoverage<ReadonlySet<string>>(new Set(), (a, b) => a.intersection(b))

  constructor(options: BindingRulesOptions) {
    this.#options = options
    options.webhooks.answerAlways({ path: HOOK.path, handle: options.handle })
    options.tracker.onChange(() => this.#derive())
    options.webhooks.onLive((version) => this.#becameLive(version))
  }

  /** Is it proven that the API server asks about the bindings of the quota? */
  isLiveFor({ key }: Pick<TrackedKarmadaQuota, 'key'>): boolean {
    return this.#covered.proven.has(key)
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    this.#liveHandlers.add(handler)
    return () => void this.#liveHandlers.delete(handler)
  }

  #derive(): void {
    const { tracker, webhooks } = this.#options
    if (tracker.changes === this.#derivedAt) return
    this.#derivedAt = tracker.changes
    const only = [...new Set([...tracker.all].map(({ ref }) => ref.namespace))].toSorted()
    const rendered = JSON.stringify(only)
    if (rendered !== this.#rendered) {
      this.#rendered = rendered
      this.#register(only)
    }
    this.#covered.covers(webhooks.version, new Set([...tracker.all].map(({ key }) => key)))
    if (webhooks.isLive) this.#becameLive(webhooks.version)
  }

  #register(only: readonly string[]): void {
    const { webhooks, handle } = this.#options
    if (only.length === 0) return webhooks.remove(HOOK)
    const { group, version, resource } = RESOURCE_BINDINGS
    webhooks.set({
      ...HOOK,
      rules: [
        {
          groups: [group],
          versions: [version],
          resources: [resource, `${resource}/scale`],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      ...(only.length > MOST_NAMESPACES ? {} : { namespaces: { only } }),
      sideEffects: 'NoneOnDryRun',
      handle,
    })
  }

  #becameLive(version: number): void {
    this.#covered.prove(version)
    for (const handler of this.#liveHandlers) handler()
  }
}

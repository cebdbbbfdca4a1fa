import type { Clock } from '../../../../kube/time/clock.ts'
import type { AdmissionWebhook } from '../../../../runtime/admission/admission-server.ts'
import { AskedRules } from '../../../../operator/shell/asked-rules.ts'
import type { AnsweredHook, WebhookRules } from '../../../../operator/shell/registered-webhooks.ts'
import {
  askedNamespaces,
  CALCULATIONS_NAME,
  CALCULATIONS_PATH,
  calculationRules,
  type CalculatedResource,
  resourceKey,
} from './calculation-rules.ts'
import type { ConfiguredRules } from './configured-rules.ts'
import { withConditions } from './skipped-requests.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'

export interface RuleKeeperOptions {
  readonly tracker: CustomQuotaTracker
  readonly webhooks: WebhookRules
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
  /** Namespaces that are never asked about. */
  readonly exempt: ReadonlySet<string>
  /** The writes that an administrator sends to the webhook; undefined: all that quotas count. */
  readonly configured: ConfiguredRules | undefined
}

/** Derives the webhooks that decide on user objects from the quotas, and knows for which quotas the API server goes by them. */
export class RuleKeeper {
  readonly #options: RuleKeeperOptions
  readonly #asked: AskedRules
  #derivedAt = 0

  constructor(options: RuleKeeperOptions) {
    this.#options = options
    const { tracker, webhooks, clock, handle, exempt, configured } = options
    this.#asked = new AskedRules({ webhooks, clock, hook: { ...hookOf(handle, configured), exempt } })
    webhooks.answerAlways({ path: CALCULATIONS_PATH, handle })
    tracker.onChange(() => this.#derive())
  }

  /** Is it proven that the API server asks about all that the quota counts? */
  isLiveFor({ resolution, asks: namespaces }: TrackedQuota): boolean {
    const { exempt, configured } = this.#options
    return (
      resolution?.targets.every(({ resource }) =>
        this.#asked.isLiveFor(resourceKey(resource), askedNamespaces({ resource, namespaces }, exempt, configured)),
      ) ?? false
    )
  }

  /** Returns why the rules may lack some that quotas need, if they may. */
  pending(): string | undefined {
    const { tracker } = this.#options
    const [unresolved] = tracker.unresolved
    if (unresolved !== undefined) return `the kinds of ${unresolved.key} are being found out`
    return tracker.isReported && this.#asked.areComplete ? undefined : 'rules for custom quotas are being made'
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    return this.#asked.onLive(handler)
  }

  stop(): void {
    this.#asked.stop()
  }

  #derive(): void {
    const { tracker, exempt, configured } = this.#options
    if (tracker.changes === this.#derivedAt) return
    this.#derivedAt = tracker.changes
    const counted = [...tracker.kinds.all].map(({ resource, inNamespace, everywhere }): CalculatedResource => ({
      resource,
      namespaces: new Set([...inNamespace.keys(), ...[...everywhere.keys()].flatMap(({ asks }) => [...asks])]),
    }))
    const closed = [...tracker.unserved.all()].map(([resource, { asks }]): CalculatedResource => ({
      resource,
      namespaces: asks,
    }))
    this.#asked.need(calculationRules([...counted, ...merged(closed)], exempt, configured))
  }
}

function hookOf(handle: AdmissionWebhook['handle'], configured: ConfiguredRules | undefined) {
  const hook = {
    phase: 'validating',
    name: CALCULATIONS_NAME,
    path: CALCULATIONS_PATH,
    sideEffects: 'NoneOnDryRun',
    handle,
  } as const
  if (configured === undefined) return hook
  const { namespaceSelector, matchConditions: conditions } = configured
  const selecting: Omit<AnsweredHook, 'rules'> = namespaceSelector === undefined ? hook : { ...hook, namespaceSelector }
  if (conditions.length === 0) return selecting
  return { ...selecting, conditions, withoutConditions: [{ handle: withConditions(handle, conditions) }] }
}

/** Each resource once, with all namespaces that it is named in. */
function merged(resources: readonly CalculatedResource[]): readonly CalculatedResource[] {
  const byKey = Map.groupBy(resources, ({ resource }) => resourceKey(resource))
  return [...byKey.values()].flatMap((same) => {
    const [first] = same
    return first === undefined
      ? []
      : [{ ...first, namespaces: new Set(same.flatMap(({ namespaces }) => [...namespaces])) }]
  })
}

import type { ServerResource } from '../../../kube/client/server-resources.ts'
import type { AdmissionWebhook } from '../../../runtime/admission/admission-server.ts'
import { ProvenCoverage } from '../../shell/proven-coverage.ts'
import type { AnsweredHook, WebhookRules } from '../../shell/registered-webhooks.ts'
import { CALCULATIONS_PATH, calculationRules, type CalculatedResource } from './calculation-rules.ts'
import type { ConfiguredRules } from './configured-rules.ts'
import { withConditions } from './skipped-requests.ts'
import type { CustomQuotaTracker } from '../tracking/custom-quota-tracker.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'

export interface RuleKeeperOptions {
  readonly tracker: CustomQuotaTracker
  readonly webhooks: WebhookRules
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
  /** Namespaces that are never asked about. */
  readonly exempt: ReadonlySet<string>
  /** The writes that an administrator sends to the webhook; undefined: all that quotas count. */
  readonly configured: ConfiguredRules | undefined
}

/** The namespaces that each resource is asked about in; undefined: all of them. */
type Coverage = ReadonlyMap<string, ReadonlySet<string> | undefined>

/** Derives the webhooks that decide on user objects from the quotas, and knows for which quotas the API server goes by them. */
export class RuleKeeper {
  readonly #options: RuleKeeperOptions
  /** The differing fields on API servers without `matchConditions`. */
  readonly #withoutConditions: NonNullable<AnsweredHook['withoutConditions']>
  #names: readonly string[] = []
  #rendered = ''
  #derivedAt = 0
  /** The coverage that the API server is proven to send. */
  readonly #covered = new ProvenCoverage<Coverage>(new Map(), intersection)
  readonly #liveHandlers = new Set<() => void>()

  constructor(options: RuleKeeperOptions) {
    this.#options = options
    const { handle, configured } = options
    this.#withoutConditions = [
      configured === undefined ? {} : { handle: withConditions(handle, configured.matchConditions) },
    ]
    options.webhooks.answerAlways({ path: CALCULATIONS_PATH, handle })
    options.tracker.onChange(() => this.#derive())
    options.webhooks.onLive((version) => this.#becameLive(version))
  }

  /** Is it proven that the API server asks about all that the quota counts? */
  isLiveFor({ resolution, isGlobal, namespace }: TrackedQuota): boolean {
    const { proven } = this.#covered
    return (
      resolution?.targets.every(({ resource }) => {
        const key = keyOf(resource)
        if (!proven.has(key)) return false
        const namespaces = proven.get(key)
        return namespaces === undefined || (!isGlobal && namespaces.has(namespace))
      }) ?? false
    )
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    this.#liveHandlers.add(handler)
    return () => void this.#liveHandlers.delete(handler)
  }

  #derive(): void {
    const { tracker, webhooks, handle, exempt, configured } = this.#options
    if (tracker.kinds.changes === this.#derivedAt) return
    this.#derivedAt = tracker.kinds.changes
    const counted = [...tracker.kinds.all].map(({ resource, inNamespace, everywhere }): CalculatedResource => ({
      resource,
      namespaces: everywhere.size > 0 ? undefined : new Set(inNamespace.keys()),
    }))
    const closed = [...tracker.unserved.all()].map(([resource, { isGlobal, namespace }]): CalculatedResource => ({
      resource,
      namespaces: isGlobal ? undefined : new Set([namespace]),
    }))
    const rules = calculationRules([...counted, ...merged(closed)], exempt, configured)
    const rendered = JSON.stringify(rules)
    if (rendered !== this.#rendered) {
      this.#rendered = rendered
      const names = rules.map(({ name }) => name)
      for (const name of this.#names) if (!names.includes(name)) webhooks.remove({ phase: 'validating', name })
      this.#names = names
      webhooks.set(
        ...rules.map((rule) => ({
          ...rule,
          phase: 'validating' as const,
          sideEffects: 'NoneOnDryRun' as const,
          handle,
          ...(rule.conditions === undefined ? {} : { withoutConditions: this.#withoutConditions }),
        })),
      )
    }
    this.#covered.covers(
      webhooks.version,
      new Map(counted.map(({ resource, namespaces }) => [keyOf(resource), namespaces])),
    )
    // The rules may be wider than what quotas name just now.
    if (webhooks.isLive) this.#becameLive(webhooks.version)
  }

  #becameLive(version: number): void {
    this.#covered.prove(version)
    for (const handler of this.#liveHandlers) handler()
  }
}

/** Each resource once, with all namespaces that it is named in. */
function merged(resources: readonly CalculatedResource[]): readonly CalculatedResource[] {
  const byKey = Map.groupBy(resources, ({ resource }) => keyOf(resource))
  return [...byKey.values()].flatMap((same) => {
    const [first] = same
    if (first === undefined) return []
    const namespaces = same.map((one) => one.namespaces)
    const isEverywhere = namespaces.includes(undefined)
    return [{ ...first, namespaces: isEverywhere ? undefined : new Set(namespaces.flatMap((one) => [...(one ?? [])])) }]
  })
}

/** Returns the common coverage. Rules in between may have left out parts that only one of them covers. */
function intersection(a: Coverage, b: Coverage): Coverage {
  const both = new Map<string, ReadonlySet<string> | undefined>()
  for (const [key, namespaces] of a) {
    if (!b.has(key)) continue
    const others = b.get(key)
    both.set(
      key,
      namespaces === undefined ? others : others === undefined ? namespaces : namespaces.intersection(others),
    )
  }
  return both
}

const keyOf = ({ group, version, resource }: Pick<ServerResource, 'group' | 'version' | 'resource'>): string =>
  `${group}/${version}/${resource}`

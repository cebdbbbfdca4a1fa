import type { Evaluator } from '../../../charges/evaluator.ts'
import { podEvaluator } from '../../../charges/evaluators/pod.ts'
import { type GroupResource, qualified } from '../../../machinery/status.ts'
import type { AdmissionWebhook } from '../../../runtime/admission/admission-server.ts'
import { ProvenCoverage } from '../../shell/proven-coverage.ts'
import type { WebhookRules } from '../../shell/registered-webhooks.ts'
import type { OperatorHook, OperatorHookRule } from '../../webhook-configuration.ts'
import type { ResourceQuotaTracker } from './resource-quota-tracker.ts'
import type { TrackedResourceQuota } from './tracked-resource-quota.ts'

export interface ResourceQuotaRulesOptions {
  readonly tracker: ResourceQuotaTracker
  readonly webhooks: WebhookRules
  /** Decides on the requests. */
  readonly handle: AdmissionWebhook['handle']
}

const HOOK = { phase: 'validating', name: 'resourcequota.validating.allot.dev' } as const
/** Where API servers ask about objects that ResourceQuotas count. */
export const ENFORCEMENT_PATH = '/resourcequotas/enforcement/validating'
/** A selector that lists more namespaces is longer than what it saves. */
const MOST_NAMESPACES = 100
const PODS = qualified(podEvaluator)

/** Derives the webhook from the quotas, and knows for which quotas the API server goes by it. */
export class ResourceQuotaRules {
  readonly #options: ResourceQuotaRulesOptions
  readonly #liveHandlers = new Set<() => void>()
  #rendered = ''
  /** The quotas that the API server is proven to ask about. */
  readonly #covered = new ProvenCoverage<ReadonlySet<TrackedResourceQuota>>(new Set(), (a, b) => a.intersection(b))

  constructor(options: ResourceQuotaRulesOptions) {
    this.#options = options
    options.tracker.onChange(() => this.#derive())
    options.webhooks.onLive((version) => this.#becameLive(version))
  }

  /** Is it proven that the API server asks about all that the quota counts? */
  isLiveFor(tracked: TrackedResourceQuota): boolean {
    return this.#covered.proven.has(tracked)
  }

  /** Calls a handler whenever more is proven. Gives what ends it. */
  onLive(handler: () => void): () => void {
    this.#liveHandlers.add(handler)
    return () => void this.#liveHandlers.delete(handler)
  }

  #derive(): void {
    const { tracker, webhooks, handle } = this.#options
    const quotas = [...tracker.all]
    const rules = rulesFor(quotas)
    const namespaces = namespacesOf(quotas)
    const rendered = JSON.stringify([rules, namespaces])
    if (rendered !== this.#rendered) {
      this.#rendered = rendered
      if (rules.length === 0) webhooks.remove(HOOK)
      else webhooks.set({ ...HOOK, path: ENFORCEMENT_PATH, rules, ...namespaces, sideEffects: 'NoneOnDryRun', handle })
    }
    this.#covered.covers(webhooks.version, new Set(quotas))
    if (webhooks.isLive) this.#becameLive(webhooks.version)
  }

  #becameLive(version: number): void {
    this.#covered.prove(version)
    for (const handler of this.#liveHandlers) handler()
  }
}

/** Whatever a quota counts, served or not: a kind that is defined later is asked about from its first object on. */
function rulesFor(quotas: readonly TrackedResourceQuota[]): readonly OperatorHookRule[] {
  const versions = new Map<string, string>()
  const evaluators = new Map<string, Evaluator>()
  for (const tracked of quotas)
    for (const evaluator of tracked.evaluators) {
      const id = qualified(evaluator)
      evaluators.set(id, evaluator)
      const version = tracked.target(evaluator)?.resource.version
      if (version !== undefined) versions.set(id, version)
    }
  return [...evaluators]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, evaluator]) => rulesOf(evaluator, versions.get(id)))
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

/** No namespace is left out that has a quota. */
function namespacesOf(quotas: readonly TrackedResourceQuota[]): Pick<OperatorHook, 'namespaces'> {
  const only = [...new Set(quotas.map(({ ref }) => ref.namespace))].toSorted()
  return only.length > MOST_NAMESPACES ? {} : { namespaces: { only } }
}

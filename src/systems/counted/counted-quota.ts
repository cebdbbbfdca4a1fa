import type { BudgetRef } from '../../charges/budget.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { wholeNumber } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import type { ServerResource } from '../../kube/client/server-resources.ts'
import type { CountedKind } from './count/kind.ts'
import type { NamespaceSelection, QuotaCount } from './count/quota-count.ts'
import type { NamedKind } from './kind-finder.ts'
import { type LedgerOwner, quotaKey } from './replica/ledger-name.ts'
import { isMissed } from './replica/missed-generations.ts'

/** The objects of one kind, as one part of a ledger counts them. */
export interface CountedTarget<K extends NamedKind = NamedKind> {
  readonly kind: K
  readonly resource: ServerResource
  readonly counted: CountedKind
  /** The name of the part. */
  readonly part: string
  readonly count: QuotaCount
}

/** The answers of the API server about the kinds of a quota. */
export interface Resolution<K extends NamedKind = NamedKind> {
  readonly targets: readonly CountedTarget<K>[]
  /** Why kinds cannot be counted, by kind. */
  readonly problems: readonly { readonly kind: K; readonly text: string }[]
}

const EVERYTHING: NamespaceSelection = { has: () => true }

/** A quota as this replica knows and counts it. */
export abstract class CountedQuota<Q extends KubeObject = KubeObject, K extends NamedKind = NamedKind> {
  /** `<kind>/<namespace>/<name>`. */
  readonly key: string
  readonly ref: BudgetRef
  /** As the API server had it a moment ago. */
  quota: Q
  /** Undefined while the API server is being asked for the kinds. */
  resolution: Resolution<K> | undefined
  /** The former spec, whose kinds stay counted and asked about until those of this one are known. */
  replaced: CountedQuota<Q, K> | undefined
  /** The last generation that may have raised the cost of an object, of those that this replica has seen. */
  widenedAt: number
  /** Whether this replica has seen a ledger of this quota on which requests may have been allowed. */
  hasHadLedger = false

  /** `of`: the kind of the quota. */
  constructor(quota: Q, of: { readonly group: string; readonly kind: string }) {
    const { namespace = '', name = '' } = quota.metadata
    const { group, kind } = of
    this.quota = quota
    this.key = quotaKey({ kind, metadata: quota.metadata })
    this.ref = { group, kind, namespace, name }
    this.widenedAt = this.generation
  }

  /** The kinds that the quota counts. */
  abstract get kinds(): readonly K[]

  get namespace(): string {
    return this.ref.namespace
  }

  /** The number of its spec; 0 where the API server does not number it. */
  get generation(): number {
    return generationOf(this.quota)
  }

  /** The only namespace that is counted in; undefined: all that are selected. */
  get countedIn(): string | undefined {
    return this.ref.namespace
  }

  /** Where objects count. */
  get selection(): NamespaceSelection {
    return EVERYTHING
  }

  /** Reports whether all objects of all counted kinds are counted. */
  get isCounted(): boolean {
    const { resolution } = this
    return (
      resolution !== undefined &&
      resolution.problems.length === 0 &&
      resolution.targets.every(({ count }) => count.countedAt !== undefined)
    )
  }

  /** The first part that counts a resource; undefined while none does. */
  target(of: GroupResource): CountedTarget<K> | undefined {
    const id = qualified(of)
    return this.resolution?.targets.find(({ resource }) => qualified(resource) === id)
  }

  /** Takes a newer state that counts the same. */
  took(quota: Q): void {
    const before = this.generation
    this.quota = quota
    if (isMissed(before, this.generation)) this.widenedAt = this.generation
  }
}

/** The number of a quota's spec; 0 where the API server does not number it. */
export const generationOf = ({ metadata }: Pick<KubeObject, 'metadata'>): number =>
  Number(wholeNumber(metadata.generation) ?? 0n)

/** The object that the ledger of a quota belongs to. `kind`: as the API server has it. */
export const ownerOf = ({ quota }: Pick<CountedQuota, 'quota'>, kind: ResourceKind): LedgerOwner => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: quota.metadata,
})

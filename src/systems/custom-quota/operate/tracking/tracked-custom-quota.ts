import type { CustomQuota } from '../../api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../api/global-custom-quota.ts'
import { CAPSULE_GROUP } from '../../../../api/capsule.ts'
import type { BudgetRef } from '../../../../charges/budget.ts'
import type { Compilation, CompiledQuota } from '../../decide/compile-quota.ts'
import { isSelfWritten } from '../../decide/self-written.ts'
import { kindText, type SourceKind, sourceKind } from '../../decide/source-kind.ts'
import { wholeNumber } from '../../../../machinery/json-value.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { quotaKey } from '../../../counted/replica/ledger-name.ts'
import { type AskedNamespaces, EVERYWHERE } from '../../../../operator/webhook/webhook-configuration.ts'
import type { CountedKind } from '../../../counted/count/counted-kind.ts'
import type { NamespaceSelection, QuotaCount, Unmeasured } from '../../../counted/count/quota-count.ts'

/** A quota of either kind: both are counted and enforced alike. */
export type AnyQuota = CustomQuota | GlobalCustomQuota

/** One kind that a quota counts. */
export interface CountedTarget {
  readonly kind: SourceKind
  readonly resource: ServerResource
  readonly counted: CountedKind
  readonly count: QuotaCount
}

/** The answers of the API server about the kinds of a quota. */
export interface Resolution {
  readonly targets: readonly CountedTarget[]
  /** Why kinds cannot be counted, by kind. */
  readonly problems: readonly { readonly kind: SourceKind; readonly text: string }[]
}

/** Kinds that are looked up of a quota whose spec is too large to be compiled. */
const MOST_KINDS = 64

const ASKED_EVERYWHERE: AskedNamespaces = new Set([EVERYWHERE])

/** A quota as this replica knows and counts it. */
export class TrackedQuota {
  /** `<kind>/<namespace>/<name>`. */
  readonly key: string
  /** As the API server had it a moment ago. */
  quota: AnyQuota
  compilation: Compilation
  /** The first generation that is known to count the same objects at the same costs: since then at most the limit has changed. */
  readonly countedSince: number
  /** The last generation by which an object may cost more than by the one before, as far as this replica has seen each of them. */
  widenedAt: number
  /** The kinds of the former spec, which stay watched and asked about until those of this one are known. */
  replaced: TrackedQuota | undefined
  /** Undefined while the API server is being asked for the kinds. */
  resolution: Resolution | undefined
  /** The namespaces that are counted in, where the quota selects them by labels. */
  readonly namespaces: Set<string> | undefined

  constructor(quota: AnyQuota, compilation: Compilation) {
    this.key = quotaKey(quota)
    this.quota = quota
    this.compilation = compilation
    this.countedSince = this.generation
    this.widenedAt = this.generation
    this.namespaces = compilation.ok && !compilation.quota.everywhere ? new Set() : undefined
  }

  /** Undefined for a quota with a mistake in its spec. */
  get compiled(): CompiledQuota | undefined {
    return this.compilation.ok ? this.compilation.quota : undefined
  }

  /**
   * The kinds that are asked about: of a quota with a mistake those that its sources name, so that it stays closed. Those that allot writes
   * itself are left out: no quota could be written any more, this one included.
   */
  get kinds(): readonly SourceKind[] {
    if (this.compilation.ok) return this.compilation.quota.kinds
    const kinds = this.quota.spec.sources
      .map(sourceKind)
      .filter((kind) => (kind.group !== '' || kind.version !== '') && !isSelfWritten(kind))
    return [...new Map(kinds.map((kind) => [kindText(kind), kind])).values()].slice(0, MOST_KINDS)
  }

  get isGlobal(): boolean {
    return this.quota.kind === 'GlobalCustomQuota'
  }

  get namespace(): string {
    return this.quota.metadata.namespace ?? ''
  }

  get name(): string {
    return this.quota.metadata.name ?? ''
  }

  get ref(): BudgetRef {
    return { group: CAPSULE_GROUP, kind: this.quota.kind, namespace: this.namespace, name: this.name }
  }

  get generation(): number {
    return Number(wholeNumber(this.quota.metadata.generation) ?? 0n)
  }

  /** Where objects count. A CustomQuota is only ever asked about its own namespace. */
  get selection(): NamespaceSelection {
    return this.namespaces ?? { has: () => true }
  }

  /** Where requests are asked about. Of a quota with a mistake it is not known what it would count. */
  get asks(): AskedNamespaces {
    const { compiled } = this
    if (!this.isGlobal) return new Set([this.namespace])
    if (compiled === undefined || compiled.everywhere) return ASKED_EVERYWHERE
    return new Set(compiled.namespaceSelectors.map((selector) => JSON.stringify(selector)))
  }

  /** Are all objects counted of all kinds that the quota names? */
  get isCounted(): boolean {
    const { resolution } = this
    return (
      resolution !== undefined &&
      resolution.problems.length === 0 &&
      resolution.targets.every(({ count }) => count.countedAt !== undefined)
    )
  }

  /** Objects of a namespace that the quota counts and cannot measure; undefined where there are none. */
  unmeasuredIn(namespace: string): Unmeasured | undefined {
    for (const { count } of this.resolution?.targets ?? []) {
      const unmeasured = count.unmeasuredIn(namespace)
      if (unmeasured !== undefined) return unmeasured
    }
    return undefined
  }

  /** Takes a namespace in or leaves it out. Says whether that changed anything. */
  select(namespace: string, isSelected: boolean): boolean {
    const { namespaces } = this
    if (namespaces === undefined || namespaces.has(namespace) === isSelected) return false
    if (isSelected) namespaces.add(namespace)
    else namespaces.delete(namespace)
    for (const { count } of this.resolution?.targets ?? []) count.reselect(namespace, isSelected)
    return true
  }
}

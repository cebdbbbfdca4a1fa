import type { CustomQuota } from '../../api/custom-quota.ts'
import type { GlobalCustomQuota } from '../../api/global-custom-quota.ts'
import { CAPSULE_GROUP } from '../../../../api/capsule.ts'
import type { Compilation, CompiledQuota } from '../../decide/compile-quota.ts'
import { isFoundReady } from '../../decide/found-ready.ts'
import { wholeNumber } from '../../../../machinery/json-value.ts'
import { isSelfWritten } from '../../decide/self-written.ts'
import { kindText, type SourceKind, sourceKind } from '../../decide/source-kind.ts'
import { type CountedTarget, CountedQuota } from '../../../counted/counted-quota.ts'
import { type AskedNamespaces, EVERYWHERE } from '../../../../operator/webhook/configuration.ts'
import type { NamespaceSelection, Unmeasured } from '../../../counted/count/quota-count.ts'

/** A quota of either kind: both are counted and enforced alike. */
export type AnyQuota = CustomQuota | GlobalCustomQuota

/** One kind that a quota counts. */
export type SourceTarget = CountedTarget<SourceKind>

/** Kinds that are looked up of a quota whose spec is too large to be compiled. */
const MOST_KINDS = 64

const ASKED_EVERYWHERE: AskedNamespaces = new Set([EVERYWHERE])

/** A custom quota as this replica knows and counts it. */
export class TrackedQuota extends CountedQuota<AnyQuota, SourceKind> {
  compilation: Compilation
  /** The first generation that is known to count the same objects at the same costs: since then at most the limit has changed. */
  readonly countedSince: number
  /** The namespaces that are counted in, where the quota selects them by labels. */
  readonly namespaces: Set<string> | undefined

  constructor(quota: AnyQuota, compilation: Compilation) {
    super(quota, { group: CAPSULE_GROUP, kind: quota.kind })
    this.compilation = compilation
    this.countedSince = this.generation
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

  /**
   * Has a leader found the quota ready, and has this replica counted it? By a spec that counts the same. A change of the limit since then
   * makes no difference: decisions go by the limit as it is now.
   */
  get isReady(): boolean {
    const { status } = this.quota
    const observed = Number(wholeNumber(status?.observedGeneration) ?? -1n)
    return this.isCounted && observed >= this.countedSince && isFoundReady(status)
  }

  get isGlobal(): boolean {
    return this.quota.kind === 'GlobalCustomQuota'
  }

  override get countedIn(): string | undefined {
    return this.isGlobal ? undefined : this.namespace
  }

  override get selection(): NamespaceSelection {
    return this.namespaces ?? super.selection
  }

  /** Where requests are asked about. Of a quota with a mistake it is not known what it would count. */
  get asks(): AskedNamespaces {
    const { compiled } = this
    if (!this.isGlobal) return new Set([this.namespace])
    if (compiled === undefined || compiled.everywhere) return ASKED_EVERYWHERE
    return new Set(compiled.namespaceSelectors.map((selector) => JSON.stringify(selector)))
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

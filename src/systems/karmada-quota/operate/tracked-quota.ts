import { RESOURCE_BINDINGS } from '../api/names.ts'
import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import { type CompiledKarmadaQuota, compileKarmadaQuota } from '../decide/costs.ts'
import { validateKarmadaQuota } from '../decide/validate-quota.ts'
import type { QuantityJson } from '../../../api/definition/scalar-type.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { CountedQuota } from '../../counted/counted-quota.ts'
import type { NamedKind } from '../../counted/kind-finder.ts'

/** A KarmadaQuota as this replica knows and counts it. */
export class TrackedKarmadaQuota extends CountedQuota<KarmadaQuota> {
  /** Undefined for a quota with an error in its spec, which only API servers without the webhook store. */
  compiled: CompiledKarmadaQuota | undefined
  /** The errors in its spec. */
  problems: readonly string[] = []
  /** Counts the states in which the quota had more room than just before. A look now and then would miss some. */
  timesFreed = 0

  constructor(quota: KarmadaQuota) {
    super(quota, karmadaQuota)
    this.compile(quota)
    this.noteStatus(quota)
  }

  /** A quota without limits, or with an error, counts nothing; bindings may wait that it refused before. */
  get kinds(): readonly NamedKind[] {
    return [RESOURCE_BINDINGS]
  }

  /** The names of its limits. */
  get limits(): readonly string[] {
    return [...(this.compiled?.tracked.keys() ?? [])]
  }

  /** Compiles a spec that counts the same bindings at the same costs. */
  compile(quota: KarmadaQuota): void {
    this.problems = validateKarmadaQuota(quota).map(sentence)
    this.compiled = this.problems.length === 0 ? compileKarmadaQuota(quota.spec) : undefined
  }

  /** Notes what a newer status says. */
  noteStatus({ status }: KarmadaQuota): void {
    if (hasMoreRoom(status, this.quota.status)) this.timesFreed++
    if ((status?.outstanding ?? '') !== '') this.hasHadLedger = true
  }
}

/** Is less used of some limit than before, or is one higher? */
function hasMoreRoom(status: KarmadaQuota['status'], old: KarmadaQuota['status']): boolean {
  const isMore = (a: QuantityJson | undefined, b: QuantityJson | undefined): boolean =>
    a !== b && a !== undefined && b !== undefined && Quantity.fromJson(a).cmp(Quantity.fromJson(b)) > 0
  return Object.keys(status?.hard ?? {}).some(
    (name) => isMore(status?.hard?.[name], old?.hard?.[name]) || isMore(old?.used?.[name], status?.used?.[name]),
  )
}

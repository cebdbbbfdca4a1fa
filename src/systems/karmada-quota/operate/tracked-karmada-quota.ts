import { karmadaQuota, type KarmadaQuota } from '../api/karmada-quota.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import { type CompiledKarmadaQuota, compileKarmadaQuota } from '../decide/karmada-quota-costs.ts'
import { validateKarmadaQuota } from '../decide/validate-karmada-quota.ts'
import type { QuantityJson } from '../../../api/definition/scalar-type.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { wholeNumber } from '../../../machinery/json-value.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { QuotaCount } from '../../counted/count/quota-count.ts'
import { isMissed } from '../../counted/replica/missed-generations.ts'
import { quotaKey } from '../../counted/replica/ledger-name.ts'

/** A KarmadaQuota as this replica knows and counts it. */
export class TrackedKarmadaQuota {
  /** `KarmadaQuota/<namespace>/<name>`. */
  readonly key: string
  readonly ref: BudgetRef
  /** As the API server had it a moment ago. */
  quota: KarmadaQuota
  /** Undefined for a quota with an error in its spec, which only API servers without the webhook store. */
  compiled: CompiledKarmadaQuota | undefined
  /** The errors in its spec. */
  problems: readonly string[] = []
  /** By limit; undefined while the bindings are not counted. */
  counts: ReadonlyMap<string, QuotaCount> | undefined
  /** Counts the states in which the quota had more room than just before. A look now and then would miss some. */
  timesFreed = 0
  /** Has a ledger of this quota been seen that requests may have been allowed on? */
  hasHadLedger = false
  /** The last generation by which a binding may cost more than by the one before, as far as this replica has seen each of them. */
  widenedAt: number

  constructor(quota: KarmadaQuota) {
    const { namespace = '', name = '' } = quota.metadata
    this.key = quotaKey(quota)
    this.ref = { group: karmadaQuota.group, kind: quota.kind, namespace, name }
    this.quota = quota
    this.widenedAt = this.generation
    this.update(quota)
  }

  /** Takes a newer state of the same quota with another spec, which counts the same bindings at the same costs. */
  update(quota: KarmadaQuota): void {
    this.tookStatus(quota)
    this.problems = validateKarmadaQuota(quota).map(sentence)
    this.compiled = this.problems.length === 0 ? compileKarmadaQuota(quota.spec) : undefined
  }

  /** Takes a newer state of the same quota with the same spec. */
  tookStatus(quota: KarmadaQuota): void {
    const before = this.generation
    if (hasMoreRoom(quota.status, this.quota.status)) this.timesFreed++
    this.quota = quota
    if (isMissed(before, this.generation)) this.widenedAt = this.generation
    if ((quota.status?.outstanding ?? '') !== '') this.hasHadLedger = true
  }

  /** The number of its spec. */
  get generation(): number {
    return Number(wholeNumber(this.quota.metadata.generation) ?? 0n)
  }

  /** Are all bindings of the namespace counted? */
  get isCounted(): boolean {
    return this.counts?.values().every(({ countedAt }) => countedAt !== undefined) === true
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

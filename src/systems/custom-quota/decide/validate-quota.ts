import type { CustomQuotaSpec } from '../api/custom-quota.ts'
import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import type { QuotaUsage } from '../api/quota-fields.ts'
import type { QuotaSource } from '../api/source.ts'
import { type FieldError, sentence } from '../../../machinery/field-error.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { compileQuota, type QuotaCompileOptions } from './compile-quota.ts'
import { kindText, sourceKind } from './source-kind.ts'

type Spec = CustomQuotaSpec & Pick<GlobalCustomQuotaSpec, 'namespaceSelectors'>

/** A custom quota as far as it is validated. */
export interface ValidatedQuota {
  readonly spec: Spec
  readonly status?: { readonly usage?: QuotaUsage }
}

/**
 * Why a CustomQuota or a GlobalCustomQuota may not be created, or not be changed to `quota`; none where it may. The words of
 * the limit, of CEL and of the guards on updates are Capsule's. An update that leaves the spec alone is always allowed, also
 * of a quota that was stored before it was validated.
 */
export function validateCustomQuota(
  quota: ValidatedQuota,
  old: ValidatedQuota | undefined,
  options: QuotaCompileOptions,
): readonly string[] {
  if (old !== undefined && jsonEqual(old.spec, quota.spec)) return []
  const compiled = compileQuota(quota.spec, options)
  if (!compiled.ok) return compiled.problems.map(problemText)
  return old === undefined ? [] : updateProblems(quota.spec, old)
}

/** A problem of the spec as admission words it. */
export function problemText(problem: FieldError): string {
  const { path, detail } = problem
  if (path === 'spec.limit') return `invalid spec.limit: ${detail}`
  if (/\.cel$|\.celExpressions\[\d+\]$/.test(path)) return `invalid CEL expression: ${path}: ${detail}`
  return sentence(problem)
}

function updateProblems(spec: Spec, old: ValidatedQuota): readonly string[] {
  const used = Quantity.fromJson(old.status?.usage?.used ?? null)
  if (used.sign() <= 0) return []
  const problems: string[] = []
  if (!sameSources(spec.sources, old.spec.sources))
    problems.push(
      `spec.sources cannot be changed while usage is recorded (usage: ${used.toString()}); create a new CustomQuota instead`,
    )
  const limit = Quantity.fromJson(spec.limit)
  if (limit.cmp(used) < 0 && limit.cmp(Quantity.fromJson(old.spec.limit)) < 0)
    problems.push(
      `spec.limit cannot be lowered below current usage (${used.toString()}); requested limit: ${limit.toString()}`,
    )
  return problems
}

/** Do both count the same kinds by the same paths and operations, in the same order? Selectors may change. */
function sameSources(sources: readonly QuotaSource[], others: readonly QuotaSource[]): boolean {
  const key = (source: QuotaSource): string =>
    JSON.stringify([kindText(sourceKind(source)), source.path ?? '', source.op])
  return sources.length === others.length && sources.every((source, at) => key(source) === key(others[at] ?? source))
}

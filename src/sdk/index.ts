// The public surface: what `import … from 'allot'` gives. Documented in docs/reference/sdk.md; changes need a changelog entry.
export type {
  QuantityTexts,
  ResourceQuota,
  ResourceQuotaSpec,
  ResourceQuotaStatus,
  ScopeRequirement,
} from '../kinds/resource-quota/resource-quota.ts'
export type { LimitedResource } from '../systems/resource-quota/api/configuration.ts'
export type { BudgetRef } from '../charges/budget.ts'
export type { Admitted, Charge, Decision, Denied } from '../charges/decide.ts'
export type { MissingValue } from '../charges/evaluator.ts'
export type { Lookup } from '../charges/lookup.ts'
export type { Excess, Refusal } from '../charges/refusal.ts'
export type { Wording } from '../charges/refusal-text.ts'
export type { Recount } from '../systems/resource-quota/decide/count/recount.ts'
export type { ResourcePool } from '../systems/resource-pool/api/resource-pool.ts'
export type { ResourcePoolClaim } from '../systems/resource-pool/api/claim.ts'
export type {
  ClaimDecision,
  ClaimEvent,
  ClaimOutcome,
  PoolOutcome,
} from '../systems/resource-pool/decide/queue/pool-outcome.ts'
export type { IncreaseOutcome, IncreasesOutcome, Share } from '../systems/quota-increase/decide/apply-increases.ts'
export type { IncreaseProblem } from '../systems/quota-increase/decide/usable-increases.ts'
export type { NamespaceFacts } from '../systems/resource-pool/decide/select-namespaces.ts'
export { type FieldError, sentence } from '../machinery/field-error.ts'
export { JsonPath, type JsonPathOptions } from '../machinery/jsonpath/json-path.ts'
export { JsonPathError } from '../machinery/jsonpath/json-path-error.ts'
export type { JsonObject, KubeObject, ObjectMeta } from '../machinery/object.ts'
export type { LabelQuery } from '../machinery/selector/label-query.ts'
export type { LabelMatcher, Labels } from '../machinery/selector/requirement.ts'
export { SelectorError } from '../machinery/selector/error.ts'
export type { GroupResource } from '../machinery/status.ts'
export { type Format, Quantity, QuantityError, type QuantityErrorCode } from '../quantity/quantity.ts'
export * from '../quantity/resource-list.ts'
export { applyIncreases, type IncreasesQuestion } from './decide-increases.ts'
export { allocate, type PoolQuestion } from './allocate-claims.ts'
export { decide, explain, type Question } from './decide-charge.ts'
export type { GivenObject, GivenQuota } from './given-object.ts'
export { InputError } from './input-error.ts'
export { LabelSelector } from './select-labels.ts'
export { recount, type RecountInput } from './recount-usage.ts'
export { resourceOf } from './resource-of.ts'
export { validateResourceQuota } from './validate-quota.ts'
export { usageOf, type UsageOptions } from './usage-of.ts'
export { type PodsUsageOptions, usageOfPods } from './usage-of-pods.ts'

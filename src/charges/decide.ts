import type { ScopeRequirement } from '../api/resource-quota/resource-quota.ts'
import type { LimitedResource } from '../api/resource-quota/resource-quota-configuration.ts'
import { Quantity, QuantityError } from '../quantity/quantity.ts'
import {
  isNegative,
  quantityOf,
  removeZeros,
  subtractWithNonNegativeResult,
  type ResourceList,
} from '../quantity/resource-list.ts'
import { type Attributes, type Evaluator, type Measuring, type MissingValue, ScopeError } from './evaluator.ts'
import { evaluatorFor } from './evaluators/evaluator-table.ts'
import { uncovered } from './resource-quota/limited-resources.ts'
import { type Matches, matchQuotas } from './match-budgets.ts'
import type { QuotaState } from './resource-quota/quota-budget.ts'
import { matchingScopes } from './evaluators/scopes.ts'

/** A resource that would exceed its limit. */
export interface Excess {
  readonly resource: string
  /** What this request adds. */
  readonly requested: Quantity
  /** What is used without it, earlier requests of the same batch included. */
  readonly used: Quantity
  readonly hard: Quantity
}

/** Why a request is refused. `code` is that of the answer: 500 where upstream fails instead of denying. */
export type Refusal =
  /** The excesses are sorted by resource. */
  | { readonly reason: 'exceeded'; readonly code: 403; readonly quota: string; readonly excesses: readonly Excess[] }
  | {
      readonly reason: 'missing-values'
      readonly code: 403
      readonly quota: string
      readonly missing: readonly MissingValue[]
    }
  | {
      readonly reason: 'status-unknown'
      readonly code: 403
      readonly quota: string
      readonly resources: readonly string[]
    }
  | { readonly reason: 'negative-usage'; readonly code: 403; readonly resources: readonly string[] }
  | { readonly reason: 'no-old-object'; readonly code: 403 }
  | { readonly reason: 'insufficient-quota'; readonly code: 403; readonly resources: readonly string[] }
  | { readonly reason: 'insufficient-scopes'; readonly code: 500; readonly scopes: readonly ScopeRequirement[] }
  | { readonly reason: 'scope-error'; readonly code: 500; readonly quota: string; readonly message: string }
  | { readonly reason: 'unmeasurable'; readonly code: 500; readonly message: string }

/** What an admitted request takes from one quota. */
export interface Charge {
  readonly quota: string
  /** The non-zero additions. */
  readonly requested: ResourceList
  /** The quota's whole usage with them. */
  readonly used: ResourceList
}

export interface Admitted {
  readonly verdict: 'admitted'
  /** One for each quota whose usage rises, in the order of the quotas; none for most requests. */
  readonly charges: readonly Charge[]
}

export interface Denied {
  readonly verdict: 'denied'
  /** Every reason; the first is the one that Kubernetes would give. */
  readonly refusals: readonly [Refusal, ...Refusal[]]
}

export type Decision = Admitted | Denied

export interface DecideInput extends Measuring {
  /** All quotas of the namespace; the order decides which refusal comes first. */
  readonly quotas: readonly QuotaState[]
  readonly attributes: Attributes
  readonly limitedResources?: readonly LimitedResource[]
  /** Names of quotas that have been charged for this request already: they are not charged again, nor compared. */
  readonly held?: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()
const NOT_CHARGED: Admitted = { verdict: 'admitted', charges: [] }

/**
 * Decides one request (reference section 3, "Per-request algorithm"; upstream `CheckRequest`), except that it goes on after
 * the first failure to name every reason. A dry run is decided like any request: whoever writes must not write its charges.
 */
export function decide(input: DecideInput): Decision {
  const { quotas, attributes, limitedResources = [], held = NONE } = input
  if (quotas.length === 0 && limitedResources.length === 0) return NOT_CHARGED
  const evaluator = evaluatorFor(attributes)
  if (evaluator === undefined || !evaluator.handles(attributes)) return NOT_CHARGED
  const refusals: Refusal[] = []
  const matches = matchQuotas(quotas, evaluator, attributes, refusals)
  const costs = measure(evaluator, input, refusals)
  const charges =
    costs === undefined
      ? []
      : chargeQuotas({ ...matches, costs, evaluator, limitedResources, attributes, held }, refusals)
  const [first, ...others] = refusals
  // A status only reports what has happened already: it is charged but cannot be refused.
  if (first === undefined || attributes.subresource === 'status') return { verdict: 'admitted', charges }
  return { verdict: 'denied', refusals: [first, ...others] }
}

interface Costs {
  /** What the object costs. */
  readonly whole: ResourceList
  /** What it costs more than the object it replaces; the whole for a new object. */
  readonly more: ResourceList
}

function measure(
  evaluator: Evaluator,
  { attributes, now, lookup }: DecideInput,
  refusals: Refusal[],
): Costs | undefined {
  const { operation, object, oldObject } = attributes
  try {
    const whole = evaluator.usage(object, { now, lookup })
    const negative = isNegative(whole)
    if (negative.length > 0) refusals.push({ reason: 'negative-usage', code: 403, resources: negative })
    if (operation !== 'UPDATE') return { whole, more: whole }
    if (oldObject === undefined) {
      refusals.push({ reason: 'no-old-object', code: 403 })
      return undefined
    }
    // An update that creates the object has an old one too, but no stored one.
    if ((oldObject.metadata.resourceVersion ?? '') === '') return { whole, more: whole }
    return { whole, more: subtractWithNonNegativeResult(whole, evaluator.usage(oldObject, { now, lookup })) }
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    refusals.push({ reason: 'unmeasurable', code: 500, message: error.message })
    return undefined
  }
}

interface ChargeInput extends Matches {
  readonly costs: Costs
  readonly evaluator: Evaluator
  readonly limitedResources: readonly LimitedResource[]
  readonly attributes: Attributes
  readonly held: ReadonlySet<string>
}

function chargeQuotas(input: ChargeInput, refusals: Refusal[]): readonly Charge[] {
  const { costs, matching, evaluator, attributes, held } = input
  const more = removeZeros(costs.more)
  const additions = matching.map((match) => ({
    match,
    requested: restricted(matchedOld(match.quota, evaluator, attributes) ? more : costs.whole, match.names),
  }))
  const nothing = Object.keys(more).length === 0 && additions.every(({ requested }) => requested === undefined)
  if (nothing) return []
  refusals.push(...uncovered(input, { ...input, usage: costs.whole }))
  const charges: Charge[] = []
  for (const { match, requested } of additions) {
    if (requested === undefined || held.has(match.quota.name)) continue
    const { used, excesses } = fill(match.quota, requested)
    if (excesses.length > 0) refusals.push({ reason: 'exceeded', code: 403, quota: match.quota.name, excesses })
    charges.push({ quota: match.quota.name, requested, used })
  }
  return charges
}

/** A quota that did not count the stored object is charged the whole new one: an update may change the scopes it is in. */
function matchedOld(quota: QuotaState, evaluator: Evaluator, { operation, oldObject }: Attributes): boolean {
  if (operation !== 'UPDATE' || oldObject === undefined || quota.scopes.length === 0) return true
  if ((oldObject.metadata.resourceVersion ?? '') === '') return true
  try {
    return matchingScopes(evaluator, quota.scopes, oldObject).length === quota.scopes.length
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return false
    throw error
  }
}

/** The amounts above zero under these names; undefined where there are none. */
function restricted(list: ResourceList, names: readonly string[]): ResourceList | undefined {
  let result: Record<string, Quantity> | undefined
  for (const name of names) {
    const amount = quantityOf(list, name)
    if (amount === undefined || amount.sign() <= 0) continue
    result ??= {}
    result[name] = amount
  }
  return result
}

/** Names that are not requested may be above their limit already: only what is requested is compared. */
function fill(quota: QuotaState, requested: ResourceList): { used: ResourceList; excesses: readonly Excess[] } {
  const used: Record<string, Quantity> = { ...quota.used }
  const excesses: Excess[] = []
  for (const [resource, addition] of Object.entries(requested)) {
    const before = quantityOf(quota.used, resource) ?? Quantity.zero
    const after = before.add(addition)
    used[resource] = after
    const hard = quantityOf(quota.hard, resource)
    if (hard !== undefined && after.cmp(hard) > 0) excesses.push({ resource, requested: addition, used: before, hard })
  }
  return { used, excesses }
}

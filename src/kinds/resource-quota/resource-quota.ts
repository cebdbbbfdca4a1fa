import { isObject, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'

/** One requirement on a scope: `spec.scopeSelector.matchExpressions[]`. The operator is validated, not typed: it comes from outside. */
export interface ScopeRequirement {
  readonly scopeName: string
  readonly operator?: string
  readonly values?: readonly string[]
}

/** Resource names to quantities as text, for example `{ 'requests.cpu': '4', pods: '10' }`. */
export interface QuantityTexts {
  readonly [name: string]: string
}

export interface ResourceQuotaSpec {
  readonly hard?: QuantityTexts
  readonly scopes?: readonly string[]
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] }
}

export interface ResourceQuotaStatus {
  readonly hard?: QuantityTexts
  readonly used?: QuantityTexts
}

/** `v1 ResourceQuota`. Admission enforces `status.hard`; `spec.hard` is the desired limit. */
export interface ResourceQuota extends KubeObject {
  readonly apiVersion: 'v1'
  readonly kind: 'ResourceQuota'
  readonly metadata: ObjectMeta
  readonly spec?: ResourceQuotaSpec
  readonly status?: ResourceQuotaStatus
}

/** Is it a `v1 ResourceQuota`? Trusts that an object of the kind has been checked against the kind's schema. */
export function isResourceQuota(object: KubeObject): object is ResourceQuota {
  return (
    object.kind === 'ResourceQuota' &&
    object.apiVersion === 'v1' &&
    (object['spec'] === undefined || isObject(object['spec'])) &&
    (object['status'] === undefined || isObject(object['status']))
  )
}

/**
 * Everything an object must satisfy to be counted by the quota: `spec.scopes`, each meaning `Exists`, then the selector's
 * requirements. All of them must match.
 */
export function scopeRequirements(
  spec: Pick<ResourceQuotaSpec, 'scopes' | 'scopeSelector'> | undefined,
): readonly ScopeRequirement[] {
  const scopes = (spec?.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }))
  return [...scopes, ...(spec?.scopeSelector?.matchExpressions ?? [])]
}

import { DEFINITION_LABEL, INCREASES_MANAGED_BY_LABEL, LEAVING_ANNOTATION } from '../api/increase-names.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import type { ResourceQuota, ResourceQuotaSpec } from '../../../kinds/resource-quota/resource-quota.ts'
import { mustBeWhole } from '../../../kinds/resource-quota/validate.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { OwnerReference } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { equals, formatResourceList, type ResourceList } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { isCrowded, managersReset } from '../../generated-quota/decide/foreign-metadata.ts'

export interface GeneratedQuotaInput {
  readonly definition: QuotaDefinition
  readonly namespace: { readonly name: string; readonly uid: string }
  readonly hard: ResourceList
  /** The manager of the quota, as its label names it. */
  readonly provider: string
}

/** API servers compute counts in thousandths with 64 bits: they take some of the numbers above this one, and refuse others. */
const MOST_COUNT = Quantity.parse('9223372036854775')

/** One amount that no server takes would keep all others from being enforced. */
const bounded = (hard: ResourceList): ResourceList =>
  Object.fromEntries(
    Object.entries(hard).map(([name, amount]) => [
      name,
      mustBeWhole(name) && amount.cmp(MOST_COUNT) > 0 ? MOST_COUNT : amount,
    ]),
  )

/** The ResourceQuota that a definition gives a namespace; labels and annotations of others are not kept. */
export function generatedQuota({ definition, namespace, hard, provider }: GeneratedQuotaInput): ResourceQuota {
  const { name, template } = definition
  const { annotations = {} } = template
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: {
      name,
      namespace: namespace.name,
      labels: labelsOf(definition, provider),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
      ownerReferences: [ownerOf(namespace)],
    },
    spec: { hard: formatResourceList(bounded(hard)), ...scopesOf(definition) },
  }
}

/** The quota as it is written over the one that is there: at its version, and with no more managed fields than there is room for. */
export function writtenOver(quota: ResourceQuota, there: ResourceQuota): ResourceQuota {
  const { uid, resourceVersion } = there.metadata
  return {
    ...quota,
    metadata: {
      ...quota.metadata,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...managersReset(there),
    },
  }
}

/** Has the quota already what it is to have? Labels and annotations of others are left until it is written. */
export function isUpToDate(quota: ResourceQuota, wanted: ResourceQuota): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = quota.metadata
  const { hard, ...rest } = quota.spec ?? {}
  const { hard: wantedHard, ...wantedRest } = wanted.spec ?? {}
  return (
    equals(amountsOf(hard), amountsOf(wantedHard)) &&
    jsonEqual(rest, wantedRest) &&
    !isLeaving(quota) &&
    isWithin(wanted.metadata.labels, labels) &&
    isWithin(wanted.metadata.annotations, annotations) &&
    jsonEqual(ownerReferences, wanted.metadata.ownerReferences) &&
    finalizers.length === 0 &&
    !isCrowded(quota)
  )
}

/** Is the quota marked because it is about to be deleted? A writer that keeps it takes the mark away first. */
export const isLeaving = ({ metadata: { annotations = {} } }: ResourceQuota): boolean =>
  annotations[LEAVING_ANNOTATION] !== undefined

/** The quota as it is marked before it is deleted, at its version. */
export const markedLeaving = (quota: ResourceQuota): ResourceQuota => ({
  ...quota,
  metadata: { ...quota.metadata, annotations: { ...quota.metadata.annotations, [LEAVING_ANNOTATION]: 'true' } },
})

/** Has the quota the scopes of the definition, in whatever order? They cannot be changed. */
export function hasScopesOf(quota: ResourceQuota, { template }: QuotaDefinition): boolean {
  const [have, want] = [new Set(quota.spec?.scopes ?? []), new Set(template.spec.scopes ?? [])]
  return have.symmetricDifference(want).size === 0
}

/** Is it one of the quotas that the provider keeps? */
export const isKeptBy = ({ metadata: { labels = {}, name } }: ResourceQuota, provider: string): boolean =>
  labels[INCREASES_MANAGED_BY_LABEL] === provider && labels[DEFINITION_LABEL] === name

const isWithin = (wanted: Readonly<Record<string, string>> = {}, given: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([name, value]) => given[name] === value)

const labelsOf = (
  { name, template: { labels } }: QuotaDefinition,
  provider: string,
): Readonly<Record<string, string>> => ({
  ...labels,
  [INCREASES_MANAGED_BY_LABEL]: provider,
  [DEFINITION_LABEL]: name,
})

function scopesOf({ template }: QuotaDefinition): Pick<ResourceQuotaSpec, 'scopes' | 'scopeSelector'> {
  const { scopes, scopeSelector } = template.spec
  return { ...(scopes === undefined ? {} : { scopes }), ...(scopeSelector === undefined ? {} : { scopeSelector }) }
}

const ownerOf = ({ name, uid }: GeneratedQuotaInput['namespace']): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
})

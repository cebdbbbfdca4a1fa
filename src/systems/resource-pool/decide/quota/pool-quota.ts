import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL, POOL_LABEL } from '../../api/pool-names.ts'
import { poolLabelValue, poolQuotaName } from '../../api/quota-name.ts'
import type { PoolRelease, ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota, ResourceQuotaSpec } from '../../../../kinds/resource-quota/resource-quota.ts'
import { jsonEqual } from '../../../../machinery/json-value.ts'
import type { OwnerReference } from '../../../../machinery/object.ts'
import { equals, formatResourceList, type ResourceList } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { hasTooManyLabels, isCrowded, managersReset } from '../../../generated-quota/decide/foreign-metadata.ts'
import { RELEASE_TOKEN } from './view.ts'

/** Annotations of allot's own, which nobody else writes. */
const OWN_PREFIX = 'allot.dev/'

export interface PoolQuotaInput {
  readonly pool: ResourcePool
  readonly namespace: string
  readonly hard: ResourceList
  readonly release: PoolRelease | undefined
  /**
   * The one that is written over; its other labels and annotations stay unless they are too many, and so do its managed fields;
   * its other owners and its finalizers go.
   */
  readonly quota?: ResourceQuota
}

/** The ResourceQuota of a pool in a namespace, with Capsule's name and labels. */
export function poolQuota({ pool, namespace, hard, release, quota }: PoolQuotaInput): ResourceQuota {
  const { labels, annotations: noted = {} } = quota === undefined || hasTooManyLabels(quota) ? {} : quota.metadata
  const others = Object.fromEntries(Object.entries(noted).filter(([annotation]) => !isOwn(annotation)))
  const annotations = release?.token === undefined ? others : { ...others, [RELEASE_TOKEN]: release.token }
  const { annotations: _, finalizers: __, managedFields: ___, ...metadata } = quota?.metadata ?? {}
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: {
      ...metadata,
      ...managersReset(quota),
      name: poolQuotaName(pool.metadata.name ?? ''),
      namespace,
      labels: { ...labels, ...labelsOf(pool) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [ownerOf(pool)],
    },
    spec: { ...(Object.keys(hard).length === 0 ? {} : { hard: formatResourceList(hard) }), ...scopesOf(pool) },
  }
}

/** Has the quota these limits already, and all else that it is to have? */
export function upToDate(quota: ResourceQuota, pool: ResourcePool, hard: ResourceList): boolean {
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = quota.metadata
  return (
    equals(amountsOf(quota.spec?.hard), hard) &&
    Object.entries(labelsOf(pool)).every(([name, value]) => labels[name] === value) &&
    ownerReferences.length === 1 &&
    ownerReferences.every(({ uid, controller }) => uid === pool.metadata.uid && controller === true) &&
    finalizers.length === 0 &&
    !isCrowded(quota) &&
    Object.entries(annotations).every(([name, value]) => !isOwn(name) || isToken(name, value)) &&
    hasSelectorOf(quota, pool)
  )
}

/** Has the quota the scopes of the pool, in whatever order? */
export function hasScopesOf(quota: ResourceQuota, pool: ResourcePool): boolean {
  const [have, want] = [new Set(quota.spec?.scopes ?? []), new Set(pool.spec.quota.scopes ?? [])]
  return have.symmetricDifference(want).size === 0
}

/** Has the quota the scope selector of the pool, and nothing else besides scopes and amounts? */
export function hasSelectorOf(quota: ResourceQuota, pool: ResourcePool): boolean {
  const { hard: _, scopes: __, ...selector } = quota.spec ?? {}
  const { scopes: ___, ...wanted } = scopesOf(pool)
  return jsonEqual(selector, wanted)
}

const isOwn = (annotation: string): boolean => annotation.startsWith(OWN_PREFIX)

/** The token of a release that is over may stay: to take it away would be one more write for each release. */
const isToken = (name: string, value: string): boolean => name === RELEASE_TOKEN && /^\d+$/.test(value)

function scopesOf({ spec: { quota } }: ResourcePool): Pick<ResourceQuotaSpec, 'scopes' | 'scopeSelector'> {
  const { scopes, scopeSelector } = quota
  return { ...(scopes === undefined ? {} : { scopes }), ...(scopeSelector === undefined ? {} : { scopeSelector }) }
}

/** The labels of what a pool keeps in its namespaces. */
export function labelsOf({ metadata: { name = '' } }: ResourcePool): Readonly<Record<string, string>> {
  return { [POOL_LABEL]: poolLabelValue(name), [MANAGED_BY_LABEL]: MANAGED_BY_CONTROLLER }
}

/** The owner of what a pool keeps in its namespaces. */
export function ownerOf({ apiVersion, kind, metadata: { name = '', uid = '' } }: ResourcePool): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

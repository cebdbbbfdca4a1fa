import { CAPSULE_GROUP } from '../../api/capsule.ts'
import type { ResourceQuotaSpec } from '../../kinds/resource-quota/resource-quota.ts'
import { type JsonObject, type KubeObject, isObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, textOf, textsOf, valueAt } from '../../machinery/read.ts'
import { amountTexts } from '../amount-texts.ts'

/** On a namespace: the Tenant that it belongs to. */
export const TENANT_LABEL = 'capsule.clastix.io/tenant'

/** The quotas of a Tenant of Capsule. */
export interface TenantQuotas {
  readonly name: string
  /** Do the namespaces share the amounts of an item, or has each of them the amounts by itself? */
  readonly scope: 'Tenant' | 'Namespace'
  readonly items: readonly ResourceQuotaSpec[]
  /** Sorted. */
  readonly namespaces: readonly string[]
}

/** A Tenant in any version that Capsule has had. */
export const isTenant = ({ apiVersion, kind }: KubeObject): boolean =>
  kind === 'Tenant' && apiVersion.startsWith(`${CAPSULE_GROUP}/`)

/** Reads the quotas of a Tenant. v1alpha1 has a list of them, later versions an object with the list and the scope. */
export function readTenantQuotas(tenant: KubeObject): TenantQuotas {
  const quotas = objectOf(tenant.spec)['resourceQuotas']
  const { scope, items } = isObject(quotas) ? quotas : { scope: undefined, items: quotas }
  return {
    name: tenant.metadata.name ?? '',
    scope: scope === 'Namespace' ? 'Namespace' : 'Tenant',
    items: objectsOf(items).map(readItem),
    namespaces: textsOf(objectOf(tenant.status)['namespaces']).toSorted(),
  }
}

function readItem(item: JsonObject): ResourceQuotaSpec {
  const { scopes, scopeSelector } = item
  const matchExpressions = objectsOf(valueAt(scopeSelector, 'matchExpressions')).map(
    ({ scopeName, operator, values }) => ({
      scopeName: textOf(scopeName),
      operator: textOf(operator),
      ...(values === undefined ? {} : { values: textsOf(values) }),
    }),
  )
  return {
    hard: amountTexts(objectOf(item['hard'])),
    ...(textsOf(scopes).length === 0 ? {} : { scopes: textsOf(scopes) }),
    ...(matchExpressions.length === 0 ? {} : { scopeSelector: { matchExpressions } }),
  }
}

/** The merge patch that takes the quotas from a Tenant, as it is now, and leaves their scope. */
export function withoutItems(tenant: KubeObject): JsonObject {
  const { resourceVersion } = tenant.metadata
  const emptied = isObject(objectOf(tenant.spec)['resourceQuotas']) ? { items: null } : null
  return {
    ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
    spec: { resourceQuotas: emptied },
  }
}

/** The name of the ResourceQuota that Capsule keeps in each namespace of a Tenant for an item. */
export const itemQuotaName = (tenant: string, index: number): string => `capsule-${tenant}-${index}`

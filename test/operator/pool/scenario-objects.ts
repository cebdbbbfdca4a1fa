import type { Target } from './pool-scenario.ts'

const COLLECTIONS: Readonly<Record<string, { readonly api: string; readonly resource: string }>> = {
  Namespace: { api: '/api/v1', resource: 'namespaces' },
  Pod: { api: '/api/v1', resource: 'pods' },
  PersistentVolumeClaim: { api: '/api/v1', resource: 'persistentvolumeclaims' },
  Deployment: { api: '/apis/apps/v1', resource: 'deployments' },
  ResourceQuota: { api: '/api/v1', resource: 'resourcequotas' },
  ResourcePool: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'resourcepools' },
  CustomQuota: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'customquotas' },
  GlobalCustomQuota: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'globalcustomquotas' },
  QuantityLedger: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'quantityledgers' },
  ResourcePoolClaim: { api: '/apis/capsule.clastix.io/v1beta2', resource: 'resourcepoolclaims' },
}

/** The path of the objects of a kind, in a namespace where one is given. */
export function collectionOf({ kind, namespace }: Omit<Target, 'name'>): string {
  const found = COLLECTIONS[kind]
  if (found === undefined) throw new Error(`the kind ${kind} is not known`)
  return `${found.api}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${found.resource}`
}

/** The path of an object. */
export const pathOf = (target: Target): string => `${collectionOf(target)}/${target.name}`

/** Sets what a path names, such as `spec.containers[0].image` or `metadata.labels[a.b/c]`. */
export function put(object: Record<string, unknown>, path: string, value: unknown): void {
  const keys = [...path.matchAll(/([^.[\]]+)|\[([^\]]+)\]/g)].map(([, plain, member]) => plain ?? member ?? '')
  const last = keys.pop() ?? ''
  let node = object
  for (const key of keys) node = (node[key] ??= {}) as Record<string, unknown>
  node[last] = value
}

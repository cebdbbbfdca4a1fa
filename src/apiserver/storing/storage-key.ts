import type { ObjectRequest } from './object-request.ts'

/** Where a real server keeps kinds that it does not keep under their resource's name; by bucket. */
const PREFIXES: Readonly<Record<string, string>> = {
  'apiservices.apiregistration.k8s.io': 'apiregistration.k8s.io/apiservices',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
  endpoints: 'services/endpoints',
  'ingresses.networking.k8s.io': 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
}

/**
 * The key of an object in the store of a real server, `/registry/pods/default/a`: some messages tell it. A dry run never
 * gets as far as the store's own prefix.
 */
export function storageKey({ resource, namespace, name, dryRun }: ObjectRequest): string {
  const { served, bucket } = resource
  const prefix = served.custom === true ? `${served.group}/${served.resource}` : (PREFIXES[bucket] ?? served.resource)
  return `${dryRun ? '' : '/registry'}/${prefix}/${served.namespaced ? `${namespace}/` : ''}${name}`
}

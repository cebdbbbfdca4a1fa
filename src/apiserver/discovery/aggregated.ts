import type { JsonObject } from '../../machinery/object.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import type { ServedGroup } from '../resource/group-order.ts'
import type { AggregatedVersion } from './negotiate.ts'

/**
 * The aggregated answer to `/api` (give the core group) or `/apis` (give the others): `APIGroupDiscoveryList` of
 * apidiscovery.k8s.io, everything that plain discovery needs dozens of requests for.
 */
export function aggregatedDiscovery(groups: readonly ServedGroup[], version: AggregatedVersion): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((served) => ({
        version: served.version,
        resources: served.resources.map(resourceDiscovery),
        freshness: 'Current',
      })),
    })),
  }
}

function resourceDiscovery(resource: ServedResource): JsonObject {
  const { group, version, kind, namespaced, singular, verbs, shortNames, categories, subresources } = resource
  return {
    resource: resource.resource,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: { group: subresource.group, version: subresource.version, kind: subresource.kind },
            verbs: subresource.verbs,
          })),
        }
      : {}),
  }
}

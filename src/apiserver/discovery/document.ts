import type { JsonObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { type ServedResource, type ServedSubresource } from '../resource/served-resource.ts'
import type { ServedGroup, ServedVersion } from '../resource/group-order.ts'

/**
 * The plain answer to `/api`.
 *
 * @param versions of the core group, preferred first
 * @param serverAddress host and port under which this server is reached
 */
export function apiVersions(versions: readonly string[], serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions,
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  }
}

/** The plain answer to `/apis`: every group but the core one. */
export function apiGroupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ group }) => group !== '').map(names) }
}

/** The answer to `/apis/<group>`. */
export function apiGroup(group: ServedGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...names(group) }
}

/** The answer to `/api/v1` and `/apis/<group>/<version>`: resources and, as `pods/status`, their subresources. */
export function apiResourceList(served: ServedVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(served),
    resources: served.resources.flatMap((resource) => [
      resourceEntry(resource),
      ...resource.subresources.map((subresource) => subresourceEntry(resource, subresource)),
    ]),
  }
}

function names({ group, versions }: ServedGroup): JsonObject {
  const list = versions.map((served) => ({ groupVersion: apiVersionOf(served), version: served.version }))
  return { name: group, versions: list, preferredVersion: list[0] }
}

function resourceEntry({
  resource,
  singular,
  namespaced,
  kind,
  verbs,
  shortNames,
  categories,
  storageVersionHash,
}: ServedResource): JsonObject {
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
  }
}

function subresourceEntry(
  parent: ServedResource,
  { name, kind, group, version, verbs }: ServedSubresource,
): JsonObject {
  const foreign = group !== parent.group || version !== parent.version
  return {
    name: `${parent.resource}/${name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(foreign ? { group, version } : {}),
    kind,
    verbs,
  }
}

import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { DiscoveryFailure, GroupVersions, ServerResource } from './server-resources.ts'

/** The content of one document of aggregated discovery. */
export interface AggregatedGroups {
  readonly groups: readonly GroupVersions[]
  readonly resources: readonly ServerResource[]
  readonly failures: readonly DiscoveryFailure[]
}

/** Reads an APIGroupDiscoveryList; undefined for any other document. */
export function readAggregated(document: unknown): AggregatedGroups | undefined {
  if (!isObject(document) || document['kind'] !== 'APIGroupDiscoveryList') return undefined
  const groups: GroupVersions[] = []
  const resources: ServerResource[] = []
  const failures: DiscoveryFailure[] = []
  for (const item of objects(document['items'])) {
    const group = text(isObject(item['metadata']) ? item['metadata']['name'] : '')
    const versions = objects(item['versions'])
    groups.push({ group, versions: versions.map((one) => text(one['version'])) })
    for (const one of versions) {
      const version = text(one['version'])
      // The last document of a server that is gone does not show the served kinds.
      if (one['freshness'] === 'Stale')
        failures.push({
          apiVersion: `${group}/${version}`,
          error: new Error('the server of this version does not answer'),
        })
      else resources.push(...objects(one['resources']).flatMap((entry) => aggregatedResource(group, version, entry)))
    }
  }
  return { groups, resources, failures }
}

function aggregatedResource(group: string, version: string, entry: JsonObject): readonly ServerResource[] {
  // An entry without a kind is only there for the subresources below it.
  if (!isObject(entry['responseKind']) || text(entry['responseKind']['kind']) === '') return []
  return [
    {
      group,
      version,
      resource: text(entry['resource']),
      kind: text(entry['responseKind']['kind']),
      namespaced: entry['scope'] === 'Namespaced',
      verbs: texts(entry['verbs']),
      shortNames: texts(entry['shortNames']),
      subresources: objects(entry['subresources']).map((one) => text(one['subresource'])),
    },
  ]
}

/** Reads the APIVersions of `/api`. */
export function readCoreVersions(document: unknown): readonly GroupVersions[] {
  const versions = isObject(document) ? texts(document['versions']) : []
  return versions.length === 0 ? [] : [{ group: '', versions }]
}

/** Reads the APIGroupList of `/apis`. */
export function readGroups(document: unknown): readonly GroupVersions[] {
  return objects(isObject(document) ? document['groups'] : undefined).map((group) => {
    const versions = objects(group['versions']).map((one) => text(one['version']))
    const preferred = isObject(group['preferredVersion']) ? text(group['preferredVersion']['version']) : ''
    const others = versions.filter((version) => version !== preferred)
    return {
      group: text(group['name']),
      versions: others.length === versions.length ? versions : [preferred, ...others],
    }
  })
}

/** Reads the APIResourceList of one group version. */
export function readResources(group: string, version: string, document: unknown): readonly ServerResource[] {
  const entries = objects(isObject(document) ? document['resources'] : undefined)
  const names = entries.map((entry) => text(entry['name']))
  return entries.flatMap((entry) => {
    const resource = text(entry['name'])
    if (resource === '' || resource.includes('/')) return []
    const prefix = `${resource}/`
    return [
      {
        group,
        version,
        resource,
        kind: text(entry['kind']),
        namespaced: entry['namespaced'] === true,
        verbs: texts(entry['verbs']),
        shortNames: texts(entry['shortNames']),
        subresources: names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
      },
    ]
  })
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const texts = (value: unknown): readonly string[] => list(value).filter((item) => typeof item === 'string')
const objects = (value: unknown): readonly JsonObject[] => list(value).filter(isObject)

import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { GroupVersions, ServerResource } from './server-resources.ts'

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

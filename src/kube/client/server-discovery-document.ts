import { givenObjects, givenTexts, textAt, textOf, valueAt } from '../../machinery/read.ts'
import type { GroupVersions, ServerResource } from './server-resources.ts'

/** Reads the APIGroupList of `/apis`. */
export function readGroups(document: unknown): readonly GroupVersions[] {
  return givenObjects(valueAt(document, 'groups')).map((group) => {
    const versions = givenObjects(group['versions']).map((one) => textOf(one['version']))
    const preferred = textAt(group, 'preferredVersion', 'version')
    const others = versions.filter((version) => version !== preferred)
    return {
      group: textOf(group['name']),
      versions: others.length === versions.length ? versions : [preferred, ...others],
    }
  })
}

/** Reads the APIResourceList of one group version. */
export function readResources(group: string, version: string, document: unknown): readonly ServerResource[] {
  const entries = givenObjects(valueAt(document, 'resources'))
  const names = entries.map((entry) => textOf(entry['name']))
  return entries.flatMap((entry) => {
    const resource = textOf(entry['name'])
    if (resource === '' || resource.includes('/')) return []
    const prefix = `${resource}/`
    return [
      {
        group,
        version,
        resource,
        kind: textOf(entry['kind']),
        namespaced: entry['namespaced'] === true,
        verbs: givenTexts(entry['verbs']),
        shortNames: givenTexts(entry['shortNames']),
        subresources: names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length)),
      },
    ]
  })
}

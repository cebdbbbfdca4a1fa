import { type OfferedResource, OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import { objectOf, textOf, textsOf } from '../../machinery/read.ts'
import { readSchema } from '../schema-file.ts'

/** A resource of an API server, as custom quotas and limits name it. */
export interface KnownResource extends OfferedResource {
  readonly version: string
}

/** The resources of Kubernetes itself in their stable versions, where no API server is asked. */
export function builtinKinds(): { readonly resources: readonly KnownResource[]; readonly offered: OfferedResources } {
  const entries = Object.values(objectOf(objectOf(readSchema('kubernetes-1.36-resources'))['resources'])).map(objectOf)
  const resources = entries
    .map(({ group, version, resource, kind, namespaced, verbs }) => ({
      group: textOf(group),
      version: textOf(version),
      resource: textOf(resource),
      kind: textOf(kind),
      namespaced: namespaced === true,
      verbs: textsOf(verbs),
    }))
    .filter(({ version, resource }) => /^v\d+$/.test(version) && !resource.includes('/'))
  return { resources, offered: new OfferedResources(resources) }
}

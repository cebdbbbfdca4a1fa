import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KnownKind } from '../../insight/simulate/admission.ts'
import type { KindOf } from '../../insight/simulate/simulate.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { objectsOf, textAt, valueAt } from '../../machinery/read.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { builtinKinds } from '../migrate/builtin-kinds.ts'

/** The kinds of Kubernetes and of allot, and those that CustomResourceDefinitions among the objects define; no others. */
export function knownKinds(objects: readonly KubeObject[]): KindOf {
  const known = definedKinds(objects)
  for (const { group, version, resource, kind, namespaced } of builtinKinds().resources)
    known.set(`${apiVersionOf({ group, version })} ${kind}`, { group, resource, kind, namespaced })
  for (const { apiVersion, group, resource, kind, namespaced } of customResources)
    known.set(`${apiVersion} ${kind}`, { group, resource, kind, namespaced })
  known.set(`${apiVersionOf(RESOURCE_BINDINGS)} ${RESOURCE_BINDINGS.kind}`, { ...RESOURCE_BINDINGS, namespaced: true })
  return (apiVersion, kind) => known.get(`${apiVersion} ${kind}`)
}

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

/** What an API server with these kinds offers. */
export const offeredBy = (objects: readonly KubeObject[]): OfferedResources =>
  new OfferedResources([
    ...builtinKinds().resources,
    ...[...customResources, ...definedKinds(objects).values()].map(({ group, resource, kind, namespaced }) => ({
      group,
      resource,
      kind,
      namespaced,
      verbs: VERBS,
    })),
  ])

/** The kinds that CustomResourceDefinitions define, by apiVersion and kind. */
export function definedKinds(objects: readonly KubeObject[]): Map<string, KnownKind> {
  return new Map(
    objects
      .filter(({ kind }) => kind === 'CustomResourceDefinition')
      .flatMap((crd: CustomResourceDefinition) => {
        const group = textAt(crd, 'spec', 'group')
        const kind = textAt(crd, 'spec', 'names', 'kind')
        const resource = textAt(crd, 'spec', 'names', 'plural')
        const namespaced = textAt(crd, 'spec', 'scope') !== 'Cluster'
        return objectsOf(valueAt(crd, 'spec', 'versions')).map(
          (version) =>
            [
              `${apiVersionOf({ group, version: textAt(version, 'name') })} ${kind}`,
              { group, resource, kind, namespaced },
            ] as const,
        )
      }),
  )
}

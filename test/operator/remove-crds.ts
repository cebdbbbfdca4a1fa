import { customResources } from '../../src/systems/custom-resources.ts'
import type { BareServer } from './operated.ts'

type Crd = Pick<(typeof customResources)[number], 'group' | 'resource' | 'apiVersion'>

/** Deletes CRDs of allot that a borrowed server may have, and resolves when they are gone and discovery does not list them. */
export async function removeCrds({ send, until }: BareServer, ...crds: readonly Crd[]): Promise<void> {
  for (const { resource, group } of crds) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${resource}.${group}`
    await send('DELETE', path)
    await until(path, ({ status }) => status === 404)
  }
  for (const apiVersion of new Set(crds.map((crd) => crd.apiVersion))) {
    const removed = crds.filter((crd) => crd.apiVersion === apiVersion).map(({ resource }) => resource)
    const isLast = customResources.filter((crd) => crd.apiVersion === apiVersion).length === removed.length
    await until(`/apis/${apiVersion}`, ({ status, json }) =>
      isLast ? status === 404 : !json.resources?.some(({ name }: { readonly name: string }) => removed.includes(name)),
    )
  }
}

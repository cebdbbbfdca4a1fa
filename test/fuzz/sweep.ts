import { servedAt, type ServedResource } from '../../src/apiserver/resource/served-resource.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { ApiClient } from '../api-client.ts'

/** Objects that the server itself needs stay. */
const KEPT = new Set(['namespaces', 'clusterroles', 'clusterrolebindings', 'priorityclasses', 'flowschemas'])

/** Takes away all that was made, finalizers or not, so that a long run does not fill the memory with objects. */
export async function sweep(client: ApiClient, resources: readonly ServedResource[]): Promise<void> {
  // Webhooks first: they might refuse all the rest.
  const ordered = resources.toSorted((a, b) => rank(a) - rank(b))
  for (const resource of ordered) {
    if (!resource.verbs.includes('deletecollection') || KEPT.has(resource.resource)) continue
    const all = `/${servedAt(resource)}/${resource.resource}`
    const { code, text } = await client.send('GET', all)
    if (code !== 200) continue
    const items = (JSON.parse(text) as { readonly items: readonly KubeObject[] }).items
    for (const { metadata } of items) {
      const { namespace = '' } = metadata
      // Names of roles may hold what no URL can carry.
      const name = encodeURIComponent(metadata.name ?? '')
      if (namespace.startsWith('kube-')) continue
      const path =
        namespace === ''
          ? `${all}/${name}`
          : `/${servedAt(resource)}/namespaces/${namespace}/${resource.resource}/${name}`
      if ((metadata.finalizers ?? []).length > 0) await client.patch(path, { metadata: { finalizers: null } })
      await client.send('DELETE', path, { gracePeriodSeconds: 0, propagationPolicy: 'Background' })
    }
  }
}

const rank = ({ resource }: ServedResource): number =>
  resource.endsWith('webhookconfigurations') ? 0 : resource === 'customresourcedefinitions' ? 2 : 1

import type { KubeClient } from '../kube/client/kube-client.ts'
import { isAllowed } from '../kube/client/missing-access.ts'
import type { GroupResource } from '../machinery/status.ts'
import { inParallel } from '../runtime/tasks/in-parallel.ts'

/** A caller who may not list a resource in all namespaces is asked about so many of them. Of others nothing is shown. */
const MOST_ASKED = 100
/** At a time. */
const AT_A_TIME = 10

/** The namespaces in which a caller may list a resource. */
export interface ListedNamespaces {
  /** Is it all of them? */
  readonly isWhole: boolean
  readonly has: (namespace: string) => boolean
}

/**
 * Asks the API server in which of these namespaces the caller may list a resource; '' is for objects outside namespaces. Objects of the whole
 * cluster name others, which are not to be shown. Rejects as `KubeClient` does.
 */
export async function listedNamespaces(
  client: Pick<KubeClient, 'request'>,
  { group, resource }: GroupResource,
  namespaces: Iterable<string>,
  signal: AbortSignal,
): Promise<ListedNamespaces> {
  const ask = (namespace: string): Promise<boolean> =>
    isAllowed(client, { verb: 'list', group, resource, subresource: '', namespace, name: '' }, signal)
  const names = [...new Set(namespaces)].filter((name) => name !== '')
  if (await ask('')) return { isWhole: true, has: () => true }
  const shown = new Set<string>()
  await inParallel(names.slice(0, MOST_ASKED), AT_A_TIME, async (name) => {
    if (await ask(name)) shown.add(name)
  })
  return { isWhole: false, has: (name) => shown.has(name) }
}

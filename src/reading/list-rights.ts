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
  /** Was it asked about all of them? */
  readonly isComplete: boolean
  readonly has: (namespace: string) => boolean
}

/** May the caller list a resource in a namespace? Empty: in all, and outside namespaces. */
export type MayList = (namespace: string) => Promise<boolean>

/** Asks the API server about the caller. */
export const mayListAs =
  (client: Pick<KubeClient, 'request'>, { group, resource }: GroupResource, signal: AbortSignal): MayList =>
  (namespace) =>
    isAllowed(client, { verb: 'list', group, resource, subresource: '', namespace, name: '' }, signal)

/**
 * Asks in which of these namespaces the caller may list a resource, the first ones first; '' is for objects outside namespaces. Objects of the whole
 * cluster name others, which are not to be shown. Rejects as `mayList` does.
 */
export async function listedNamespaces(mayList: MayList, namespaces: Iterable<string>): Promise<ListedNamespaces> {
  const all = new Set(namespaces)
  if (all.size === 0 || (await mayList(''))) return { isWhole: true, isComplete: true, has: () => true }
  const names = [...all].filter((name) => name !== '')
  const shown = new Set<string>()
  await inParallel(names.slice(0, MOST_ASKED), AT_A_TIME, async (name) => {
    if (await mayList(name)) shown.add(name)
  })
  return { isWhole: false, isComplete: names.length <= MOST_ASKED, has: (name) => shown.has(name) }
}

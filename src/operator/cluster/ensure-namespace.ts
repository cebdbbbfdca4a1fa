import { ownNamespace } from '../../install/own-namespace.ts'
import { isAlreadyExists, isNotFound } from '../../machinery/status.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { NAMESPACES } from './keep-namespace.ts'

/** Creates the namespace of the operator's own objects where it is missing. */
export async function ensureNamespace(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.get(NAMESPACES, { namespace: '', name }, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    try {
      await client.create(NAMESPACES, ownNamespace(name), { signal })
    } catch (creating) {
      if (!isAlreadyExists(creating)) throw creating
    }
  }
}

import { qualified } from '../../../machinery/status.ts'
import type { CallOptions, KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import type { CountedKind } from '../count/kind.ts'
import type { ReviewedObject } from './reviewed-object.ts'

/**
 * Returns the API server's answer to a create if another object has its name; undefined if none has it. Such a create
 * cannot be stored. Its reservation would stay until its time is over, so a client that repeats the create would use up
 * the share of its namespace. Rejects as `KubeClient` does.
 */
export async function takenNameText(
  client: Pick<KubeClient, 'list'>,
  { resource, counted }: { readonly resource: ServerResource; readonly counted: Pick<CountedKind, 'objects'> },
  { operation, namespace, name, uid }: Pick<ReviewedObject, 'operation' | 'namespace' | 'name' | 'uid'>,
  options: CallOptions,
): Promise<string | undefined> {
  if (operation !== 'CREATE') return undefined
  const known = counted.objects.get(namespace, name)
  if (known === undefined || known.uid === uid) return undefined
  // The permission to list is there.
  const where = namespace === '' ? {} : { namespace }
  const { items } = await client.list(resource, { ...where, fieldSelector: `metadata.name=${name}`, ...options })
  const isTaken = items.some(({ metadata }) => metadata.name === name && metadata.uid !== uid)
  return isTaken ? `${qualified(resource)} ${JSON.stringify(name)} already exists` : undefined
}

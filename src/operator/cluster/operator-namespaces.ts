import { CONFIGURATION_NAMES, SYSTEM_NAMESPACE_ANNOTATION } from '../../install/installed-names.ts'
import { type IsPrivileged, privilegedNamespaces } from '../../kube/election/privileged-namespaces.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { OPERATOR_RIGHT } from './operator-right.ts'
import { CONFIGURATION_KINDS } from './configuration-kinds.ts'

const LOOK_MS = 500
/** A leader writes its configurations moments after it took its Lease. */
const PATIENCE_MS = 5_000

/** The namespaces that the stored webhook configurations of operators name as those of their objects. */
export async function namedNamespaces(
  client: Pick<KubeClient, 'list'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const fieldSelector = `metadata.name=${CONFIGURATION_NAMES[0]}`
  const lists = await Promise.all(
    Object.values(CONFIGURATION_KINDS).map((kind) => client.list(kind, { fieldSelector, signal })),
  )
  const named = lists.flatMap(({ items }) =>
    items.map(({ metadata }) => metadata.annotations?.[SYSTEM_NAMESPACE_ANNOTATION] ?? ''),
  )
  return new Set(named.filter((namespace) => namespace !== ''))
}

/**
 * Finds the namespaces that can be the system namespace of a leading operator. Webhook configurations name such a
 * namespace, or one of its accounts may write pools in the whole cluster. Users with rights in namespaces only can
 * cause neither.
 */
export async function operatorNamespaces(
  client: Pick<KubeClient, 'list'>,
  namespaces: readonly string[],
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<IsPrivileged> {
  if (namespaces.length === 0) return () => false
  const isPrivileged = await privilegedNamespaces(client, OPERATOR_RIGHT, signal)
  const until = clock.monotonic() + PATIENCE_MS
  for (;;) {
    const named = await namedNamespaces(client, signal)
    if (named.size > 0 || namespaces.every(isPrivileged) || clock.monotonic() >= until)
      return (namespace) => named.has(namespace) || isPrivileged(namespace)
    await clock.sleep(LOOK_MS, signal)
  }
}

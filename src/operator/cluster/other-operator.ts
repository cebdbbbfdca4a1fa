import { OPERATOR_RIGHT } from './operator-right.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { CAPSULE_LEASE_NAME, LEASE_NAME } from '../../install/installed-names.ts'
import type { Clock } from '../../kube/time/clock.ts'
import { type IsPrivileged, privilegedNamespaces } from '../../kube/election/privileged-namespaces.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { firstHeld } from '../../kube/election/lease-liveness.ts'
import { LEASES } from '../../kube/election/lease-record.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import { operatorNamespaces } from './operator-namespaces.ts'

/** Programs that reconcile the same kinds, by the name of the Lease that their leader keeps, whatever its namespace. */
const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  [CAPSULE_LEASE_NAME]: 'Capsule',
  [LEASE_NAME]: 'An allot with another --system-namespace',
}

const UNPROVED =
  'a Lease has the name of another operator, and nothing shows that one works from its namespace: it does not count'

/**
 * Throws StartupError when another operator of the same kinds is alive: its leader keeps its Lease. Replicas share the one in
 * `systemNamespace`. A Lease that `identity` left behind in another namespace does not count, nor one where tenants may have made it.
 */
export async function assertNoOtherOperator(
  client: Pick<KubeClient, 'get' | 'list'>,
  own: { readonly systemNamespace: string; readonly identity: string },
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const found = await Promise.all(
    Object.entries(OTHER_OPERATORS).map(async ([name, program]) => {
      const { items } = await client.list(LEASES, { fieldSelector: `metadata.name=${name}`, signal })
      const kept = items
        .filter((item) => isKept(item, own.identity))
        .map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name }))
        .filter(({ namespace }) => name !== LEASE_NAME || namespace !== own.systemNamespace)
      const namespaces = kept.map(({ namespace }) => namespace)
      const counts = await (name === LEASE_NAME
        ? operatorNamespaces(client, namespaces, clock, signal)
        : capsuleNamespaces(client, namespaces, signal))
      const counted = kept.filter(({ namespace }) => counts(namespace))
      const held = await firstHeld(client, counted, clock, signal)
      if (held !== undefined)
        throw new StartupError(
          'other-operator-alive',
          `${program} (${held.holder}) keeps its Lease ${held.lease.namespace}/${name}`,
        )
      return kept.map((lease) => ({ program, lease, isCounted: counted.includes(lease) }))
    }),
  )
  for (const { program, lease, isCounted } of found.flat())
    if (isCounted) logger.info({ program, lease }, 'another operator does not renew its lease any more; starting')
    else logger.warn({ program, lease }, UNPROVED)
}

async function capsuleNamespaces(
  client: Pick<KubeClient, 'list'>,
  namespaces: readonly string[],
  signal: AbortSignal,
): Promise<IsPrivileged> {
  if (namespaces.length === 0) return () => false
  return await privilegedNamespaces(client, OPERATOR_RIGHT, signal)
}

const isKept = ({ spec }: KubeObject, identity: string): boolean =>
  isObject(spec) && (spec['holderIdentity'] ?? '') !== '' && spec['holderIdentity'] !== identity

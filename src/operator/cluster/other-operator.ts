import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { CAPSULE_LEASE_NAME, LEASE_NAME } from '../../install/installed-names.ts'
import type { Clock } from '../../kube/time/clock.ts'
import { type IsPrivileged, keeperRight, privilegedNamespaces } from '../../kube/election/privileged-namespaces.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { isHeld } from '../../kube/election/lease-liveness.ts'
import { LEASES } from '../../kube/election/lease-record.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'

/** Programs that reconcile the same kinds, by the name of the Lease that their leader keeps, whatever its namespace. */
const OTHER_OPERATORS: Readonly<Record<string, string>> = {
  [CAPSULE_LEASE_NAME]: 'Capsule',
  [LEASE_NAME]: 'An allot with another --system-namespace',
}

const UNPROVED =
  'a Lease has the name of another operator, and no account of its namespace may do what that does: it does not count'

/**
 * Throws StartupError when another operator of the same kinds is alive: its leader keeps its Lease. Replicas share the one in
 * `systemNamespace`. A Lease that `identity` left behind in another namespace does not count.
 */
export async function assertNoOtherOperator(
  client: Pick<KubeClient, 'get' | 'list'>,
  own: { readonly systemNamespace: string; readonly identity: string },
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all(
    Object.entries(OTHER_OPERATORS).map(async ([name, program]) => {
      const { items } = await client.list(LEASES, { fieldSelector: `metadata.name=${name}`, signal })
      const kept = items.filter((item) => isKept(item, own.identity))
      const counts = await countsFor(client, name, kept, signal)
      for (const { metadata } of kept) {
        const lease = { namespace: metadata.namespace ?? '', name }
        if (name === LEASE_NAME && lease.namespace === own.systemNamespace) continue
        if (!counts(lease.namespace)) {
          logger.warn({ program, lease }, UNPROVED)
          continue
        }
        const { held, holder } = await isHeld(client, lease, clock, signal)
        if (held)
          throw new StartupError(
            'other-operator-alive',
            `${program} (${holder}) keeps its Lease ${lease.namespace}/${name}`,
          )
        logger.info({ program, lease, holder }, 'another operator does not renew its lease any more; starting')
      }
    }),
  )
}

/** Anyone may keep a Lease of Capsule's name in a namespace of their own. One of allot may be of a program outside the cluster. */
async function countsFor(
  client: Pick<KubeClient, 'list'>,
  name: string,
  kept: readonly KubeObject[],
  signal: AbortSignal,
): Promise<IsPrivileged> {
  if (name !== CAPSULE_LEASE_NAME || kept.length === 0) return () => true
  return await privilegedNamespaces(client, keeperRight(resourcePool), signal)
}

const isKept = ({ spec }: KubeObject, identity: string): boolean =>
  isObject(spec) && (spec['holderIdentity'] ?? '') !== '' && spec['holderIdentity'] !== identity

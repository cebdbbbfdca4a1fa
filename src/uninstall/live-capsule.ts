import { CAPSULE_LEASE_NAME } from '../install/installed-names.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { isHeld } from '../kube/election/lease-liveness.ts'
import { LEASES } from '../kube/election/lease-record.ts'
import type { Clock } from '../kube/time/clock.ts'
import { type ClusterObjects, nameOf } from './cluster-objects.ts'

/** The leader of a Capsule that runs in the cluster, in whatever namespace; undefined where none does. It has the same kinds. */
export async function liveCapsule(
  objects: ClusterObjects,
  client: Pick<KubeClient, 'get'>,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (const lease of await objects.list(LEASES, { fieldSelector: `metadata.name=${CAPSULE_LEASE_NAME}` })) {
    const { held, holder } = await isHeld(client, nameOf(lease), clock, signal)
    if (held) return holder
  }
  return undefined
}

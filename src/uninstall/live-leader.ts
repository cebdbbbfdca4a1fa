import type { IsPrivileged } from '../kube/election/privileged-namespaces.ts'
import type { KubeClient, ObjectName } from '../kube/client/kube-client.ts'
import { isHeld } from '../kube/election/lease-liveness.ts'
import { LEASES } from '../kube/election/lease-record.ts'
import type { Clock } from '../kube/time/clock.ts'
import { type ClusterObjects, nameOf } from './cluster-objects.ts'

/** A program that runs in the cluster. */
export interface LiveLeader {
  readonly holder: string
  readonly lease: ObjectName
}

export interface LeaderSearch {
  readonly objects: ClusterObjects
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/** The leader that keeps a Lease of this name, in whatever namespace counts; undefined where none does. */
export async function liveLeader(
  { objects, client, clock, signal }: LeaderSearch,
  name: string,
  counts: IsPrivileged,
): Promise<LiveLeader | undefined> {
  for (const lease of (await objects.list(LEASES, { fieldSelector: `metadata.name=${name}` })).map(nameOf)) {
    if (!counts(lease.namespace)) continue
    const { held, holder } = await isHeld(client, lease, clock, signal)
    if (held) return { holder, lease }
  }
  return undefined
}

import type { IsPrivileged } from '../kube/election/privileged-namespaces.ts'
import type { KubeClient, ObjectName } from '../kube/client/kube-client.ts'
import { firstHeld, type HeldLease } from '../kube/election/lease-liveness.ts'
import { LEASES } from '../kube/election/lease-record.ts'
import type { Clock } from '../kube/time/clock.ts'
import { type ClusterObjects, nameOf } from './cluster-objects.ts'

export interface LeaderSearch {
  readonly objects: ClusterObjects
  readonly client: Pick<KubeClient, 'get' | 'list'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/** The Leases of this name, in whatever namespace. */
export const leasesNamed = async ({ objects }: LeaderSearch, name: string): Promise<readonly ObjectName[]> =>
  (await objects.list(LEASES, { fieldSelector: `metadata.name=${name}` })).map(nameOf)

/** The leader that keeps one of the Leases in a namespace that counts; undefined where none does. */
export const liveLeader = (
  { client, clock, signal }: LeaderSearch,
  leases: readonly ObjectName[],
  counts: IsPrivileged,
): Promise<HeldLease | undefined> =>
  firstHeld(
    client,
    leases.filter(({ namespace }) => counts(namespace)),
    clock,
    signal,
  )

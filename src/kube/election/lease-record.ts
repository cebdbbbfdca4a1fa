import type { KubeObject } from '../../machinery/object.ts'
import type { ResourceKind } from '../client/kube-client.ts'

export const LEASES: ResourceKind = {
  group: 'coordination.k8s.io',
  version: 'v1',
  resource: 'leases',
  kind: 'Lease',
  namespaced: true,
}

export interface LeaseSpec {
  readonly holderIdentity?: string | null
  readonly leaseDurationSeconds?: number | null
  readonly acquireTime?: string | null
  readonly renewTime?: string | null
  readonly leaseTransitions?: number | null
}

/** As far as allot reads it; what else others wrote into it stays. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec
}

/** How long a lease lasts whose holder does not say it: client-go's default. */
const USUAL_SECONDS = 15

/** The holder; '' for nobody. */
export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? ''

/** For how long after its last renewal its holder may count on it. */
export const durationMsOf = (lease: Lease): number => (lease.spec?.leaseDurationSeconds ?? USUAL_SECONDS) * 1000

/** Returns a text that differs after each renewal, and only then. */
export const recordOf = ({ spec }: Lease): string =>
  JSON.stringify([
    spec?.holderIdentity,
    spec?.leaseDurationSeconds,
    spec?.acquireTime,
    spec?.renewTime,
    spec?.leaseTransitions,
  ])

/** The lease as `holder` wants it to be at `now` (milliseconds since the epoch); fields as client-go writes them. */
export function taken(lease: Lease, holder: string, durationSeconds: number, now: number): Lease {
  const { acquireTime, leaseTransitions } = lease.spec ?? {}
  const isOurs = holderOf(lease) === holder
  return {
    ...lease,
    spec: {
      ...lease.spec,
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime: isOurs && typeof acquireTime === 'string' ? acquireTime : microTime(now),
      renewTime: microTime(now),
      leaseTransitions: (leaseTransitions ?? 0) + (isOurs ? 0 : 1),
    },
  }
}

/** A lease that nobody has had yet; its first holder is not a transition. */
export function firstTaken(
  name: { readonly namespace: string; readonly name: string },
  holder: string,
  durationSeconds: number,
  now: number,
): Lease {
  const empty: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...name } }
  const { spec, ...lease } = taken(empty, holder, durationSeconds, now)
  return { ...lease, spec: { ...spec, leaseTransitions: 0 } }
}

/** The lease given back, so that the next one need not wait. */
export function released(lease: Lease, now: number): Lease {
  const time = microTime(now)
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time },
  }
}

/** `metav1.MicroTime` of milliseconds since the epoch: six digits behind the second. */
export const microTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000Z`

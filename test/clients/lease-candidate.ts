import {
  ApiException,
  CoordinationV1Api,
  type KubeConfig,
  type V1Lease,
  type V1LeaseSpec,
  V1MicroTime,
} from '@kubernetes/client-node'

/** One who wants to lead: `contend` tries once, and tells whether it leads now. */
export interface Candidate {
  readonly contend: () => Promise<boolean>
  /** Gives the lease back when it is one's own. */
  readonly release: () => Promise<void>
}

/** Replaces a lease, unless another client has done so in between. */
const successor = ({ metadata }: V1Lease, spec: V1LeaseSpec): V1Lease => ({
  ...(metadata === undefined ? {} : { metadata }),
  spec,
})
const conflicts = (error: unknown): boolean => error instanceof ApiException && error.code === 409
const isMissing = (error: unknown): boolean => error instanceof ApiException && error.code === 404

/**
 * A candidate for a lease, as controllers elect their leader: the one that makes the lease or takes it when it has run out
 * leads; of two who try at once the server refuses one with a conflict.
 */
export function leaseCandidate(
  config: KubeConfig,
  {
    namespace,
    name,
    identity,
    seconds,
  }: Readonly<Record<'namespace' | 'name' | 'identity', string>> & {
    readonly seconds: number
  },
): Candidate {
  const api = config.makeApiClient(CoordinationV1Api)
  let seen: { readonly version: string | undefined; readonly at: number } | undefined

  const read = async (): Promise<V1Lease | undefined> => {
    try {
      return await api.readNamespacedLease({ namespace, name })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  }
  const write = async (lease: V1Lease | undefined): Promise<boolean> => {
    const now = new V1MicroTime()
    const renews = lease?.spec?.holderIdentity === identity
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: seconds,
      renewTime: now,
      acquireTime: renews ? (lease?.spec?.acquireTime ?? now) : now,
      leaseTransitions: (lease?.spec?.leaseTransitions ?? 0) + (lease === undefined || renews ? 0 : 1),
    }
    try {
      if (lease === undefined) await api.createNamespacedLease({ namespace, body: { metadata: { name }, spec } })
      else await api.replaceNamespacedLease({ namespace, name, body: successor(lease, spec) })
      return true
    } catch (error) {
      if (conflicts(error)) return false
      throw error
    }
  }
  /** By one's own clock, since those of others may differ: for how long has nobody renewed it? */
  const hasRunOut = (lease: V1Lease): boolean => {
    const version = lease.metadata?.resourceVersion
    if (seen?.version !== version) seen = { version, at: performance.now() }
    return performance.now() - (seen?.at ?? 0) > (lease.spec?.leaseDurationSeconds ?? 0) * 1000
  }

  return {
    contend: async () => {
      const lease = await read()
      const holder = lease?.spec?.holderIdentity
      if (lease === undefined || holder === identity || holder === '' || hasRunOut(lease)) return write(lease)
      return false
    },
    release: async () => {
      const lease = await read()
      if (lease?.spec?.holderIdentity !== identity) return
      const { leaseTransitions = 0 } = lease.spec
      const spec = { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions }
      await api.replaceNamespacedLease({ namespace, name, body: successor(lease, spec) })
    },
  }
}

import type { ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'

/** The namespaces that a pool tells of. */
export const namespacesOf = ({ status }: ResourcePool): readonly string[] => [
  ...(status?.namespaces ?? []),
  ...Object.keys(status?.claims ?? {}),
  ...(status?.waiting ?? []).map(({ namespace }) => namespace),
]

/** A pool without what it tells of claims in namespaces that are not shown, numbers included. The amounts of the pool itself stay. */
export function shownPool(pool: ResourcePool, isShown: (namespace: string) => boolean): ResourcePool {
  const { status } = pool
  if (status === undefined || namespacesOf(pool).every(isShown)) return pool
  const claims = Object.fromEntries(Object.entries(status.claims ?? {}).filter(([namespace]) => isShown(namespace)))
  const waiting = (status.waiting ?? []).filter(({ namespace }) => isShown(namespace))
  const claimCount = Object.values(claims).reduce((sum, { length }) => sum + length, 0)
  return {
    ...pool,
    status: {
      ...status,
      namespaces: (status.namespaces ?? []).filter(isShown),
      claims,
      claimCount,
      waiting,
      waitingCount: waiting.length,
    },
  }
}

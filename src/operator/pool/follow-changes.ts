import type { OwnerReference } from '../../machinery/object.ts'
import { POOL_LABEL, RELEASE_ANNOTATION } from '../../api/resource-pool/names.ts'
import type { ResourcePool } from '../../api/resource-pool/resource-pool.ts'
import { resourcePool } from '../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { AmountBook } from '../../grants/pools/amount-book.ts'
import { releaseOf } from '../../grants/pools/ledger.ts'
import { type NamespaceFacts, servesNamespace } from '../../grants/pools/select-namespaces.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { PoolCaches } from './pool-caches.ts'
import { homePool } from './pool-view.ts'

/** Who is to be looked at again. */
export interface Queues {
  /** Without a namespace: all of the pool. */
  readonly pool: (name: string, namespace?: string) => void
  /** `namespace/name`. */
  readonly stray: (key: string) => void
}

/** Tells the queues whom each change concerns, and of everything that is there already. Gives what ends it. */
export function followChanges(caches: PoolCaches, queues: Queues, book: AmountBook): () => void {
  const lookAtClaim = (claim: ResourcePoolClaim): void => {
    const home = homePool(caches, claim, book)
    if (home === undefined) queues.stray(keyOf(claim))
    else queues.pool(home.metadata.name ?? '', claim.metadata.namespace)
  }
  const ends = [
    caches.pools.onChange((old, pool) => {
      const name = (pool ?? old)?.metadata.name ?? ''
      // What was decided and written would be decided again.
      if (!caches.isOwnWrite) queues.pool(name)
      if (old !== undefined && pool !== undefined && isSameOffer(old, pool)) return
      // Claims that name no pool, or one that was not there, may have one now.
      for (const claim of caches.claims.by('wants', '')) lookAtClaim(claim)
      if (old !== undefined && pool !== undefined) return
      for (const claim of [...caches.claims.by('wants', name), ...caches.claims.by('has', name)]) lookAtClaim(claim)
    }),
    caches.claims.onChange((old, claim) => {
      if (caches.isOwnWrite && old !== undefined && claim?.status?.pool !== undefined && isSameWish(old, claim)) return
      const had = old?.status?.pool?.name
      if (had !== undefined) queues.pool(had, old?.metadata.namespace)
      if (claim !== undefined) lookAtClaim(claim)
      // The pool may have given it room before the claim could say so.
      else if (old !== undefined && had === undefined) lookAtClaim(old)
    }),
    caches.namespaces.onChange((old, namespace) => {
      const name = (namespace ?? old)?.name ?? ''
      for (const pool of caches.pools.list())
        if (concerns(pool, name, old, namespace, book)) queues.pool(poolName(pool), name)
      for (const claim of caches.claims.by('wants', '')) if (claim.metadata.namespace === name) lookAtClaim(claim)
    }),
    caches.quotas.onChange((old, quota) => {
      const { namespace } = (quota ?? old)?.metadata ?? {}
      const names = new Set([...poolOwners(old), ...poolOwners(quota), ...poolLabelled(caches, quota ?? old)])
      for (const name of names) queues.pool(name, namespace)
    }),
  ]
  return () => ends.forEach((end) => end())
}

/** Does a claim ask for the same? Then what was decided about it stands. */
const isSameWish = (old: ResourcePoolClaim, claim: ResourcePoolClaim): boolean =>
  old.metadata.uid === claim.metadata.uid &&
  old.metadata.generation === claim.metadata.generation &&
  old.metadata.deletionTimestamp === claim.metadata.deletionTimestamp &&
  old.metadata.annotations?.[RELEASE_ANNOTATION] === claim.metadata.annotations?.[RELEASE_ANNOTATION]

const keyOf = ({ metadata: { namespace = '', name = '' } }: ResourcePoolClaim): string => `${namespace}/${name}`

const poolName = ({ metadata: { name = '' } }: ResourcePool): string => name

/** Does a pool offer the same to the same namespaces? Then nobody who waits for a pool has to look again. */
function isSameOffer(old: ResourcePool, pool: ResourcePool): boolean {
  return (
    old.metadata.generation === pool.metadata.generation &&
    old.metadata.deletionTimestamp === pool.metadata.deletionTimestamp &&
    jsonEqual(old.status?.allocation?.available, pool.status?.allocation?.available)
  )
}

function concerns(
  pool: ResourcePool,
  name: string,
  old: NamespaceFacts | undefined,
  namespace: NamespaceFacts | undefined,
  book: AmountBook,
): boolean {
  const serves = (facts: NamespaceFacts | undefined): boolean =>
    facts !== undefined && servesNamespace(pool, facts, book)
  // What a namespace gave back that is being deleted comes back when it is gone.
  const isReleasing = releaseOf(pool.status?.releasing, name) !== undefined
  return isReleasing || serves(old) || serves(namespace) || pool.status?.namespaces?.includes(name) === true
}

/** The pool that a quota is labelled with, whoever owns it; the value of the label is a name unless that is too long. */
function poolLabelled(caches: PoolCaches, quota: ResourceQuota | undefined): readonly string[] {
  const label = quota?.metadata.labels?.[POOL_LABEL] ?? ''
  return caches.pools.get('', label) === undefined ? [] : [label]
}

/** The names of the pools that own a quota. */
function poolOwners(quota: ResourceQuota | undefined): readonly string[] {
  return (quota?.metadata.ownerReferences ?? []).filter(isPool).map(({ name }) => name)
}

const isPool = ({ apiVersion, kind }: OwnerReference): boolean =>
  kind === resourcePool.kind && apiVersion.split('/')[0] === resourcePool.group

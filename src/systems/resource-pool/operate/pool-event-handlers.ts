import { POOL_LABEL, RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import { resourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { releaseOf } from '../decide/ledger/entries.ts'
import { type NamespaceFacts, servesNamespace } from '../decide/select-namespaces.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import {
  type ControllerSource,
  owns,
  type ReconcileRequest,
  watches,
  watchesAll,
} from '../../../operator/shell/controller.ts'
import { claimAlarms } from './claim-alarms.ts'
import { CLAIMS } from './pool-controllers.ts'
import type { PoolCaches } from './pool-caches.ts'
import { homePool } from './pool-view.ts'

/**
 * The watches of the pools' controller besides the pools. They map each change to the pools that it concerns, and `stray` gets claims that no pool
 * decides about (`namespace/name`).
 */
export function poolEventHandlers(
  caches: PoolCaches,
  stray: (key: string) => void,
  clock: Pick<Clock, 'now'>,
): readonly ControllerSource[] {
  const ofClaim = (claim: ResourcePoolClaim): readonly ReconcileRequest[] => {
    const home = homePool(caches, claim)
    if (home !== undefined) return [{ key: poolName(home), part: claim.metadata.namespace }]
    stray(keyOf(claim))
    return []
  }
  return [
    watchesAll(caches.pools, (old, pool, { name }) => {
      if (old !== undefined && pool !== undefined && isSameOffer(old, pool)) return []
      // Claims that name no pool, or one that was not there, may have one now.
      const waiting = caches.claims.by('wants', '')
      const named =
        old === undefined || pool === undefined
          ? [...caches.claims.by('wants', name), ...caches.claims.by('has', name)]
          : []
      return [...waiting, ...named].flatMap(ofClaim)
    }),
    watches(caches.claims, (old, claim, { by }) => {
      // The decision about it has been written.
      if (by === CLAIMS && old !== undefined && claim?.status?.pool !== undefined && isSameWish(old, claim)) return []
      const had = old?.status?.pool?.name
      const left = had === undefined ? [] : [{ key: had, part: old?.metadata.namespace }]
      if (claim !== undefined) return [...left, ...ofClaim(claim)]
      // The pool may have given it room before the claim could say so.
      return old !== undefined && had === undefined ? ofClaim(old) : left
    }),
    watches(caches.namespaces, (old, namespace, { name }) => {
      const concerned = caches.pools.list().filter((pool) => concerns(pool, name, old, namespace))
      const waiting = caches.claims.by('wants', '').filter((claim) => claim.metadata.namespace === name)
      return [...concerned.map((pool) => ({ key: poolName(pool), part: name })), ...waiting.flatMap(ofClaim)]
    }),
    {
      follow: (_, enqueue) =>
        caches.admitted.onCharge((namespace) => {
          for (const quota of caches.quotas.list(namespace))
            for (const key of poolLabelled(caches, quota)) enqueue({ key, part: namespace })
        }),
    },
    claimAlarms(caches.claims, clock, ofClaim),
    owns(caches.quotas, resourcePool),
    watches(caches.quotas, (old, quota, { namespace }) =>
      poolLabelled(caches, quota ?? old).map((key) => ({ key, part: namespace })),
    ),
    owns(caches.limitRanges, resourcePool),
    watches(caches.limitRanges, (old, range, { namespace }) =>
      poolLabelled(caches, range ?? old).map((key) => ({ key, part: namespace })),
    ),
  ]
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
    jsonEqual(old.status?.allocation?.available, pool.status?.allocation?.available) &&
    jsonEqual(blockedIn(old), blockedIn(pool))
  )
}

/** The namespaces whose claims do not choose the pool, since it cannot have its quota there. */
const blockedIn = ({ status }: ResourcePool): readonly string[] | undefined =>
  status?.blockedNamespaces?.map(({ name }) => name)

function concerns(
  pool: ResourcePool,
  name: string,
  old: NamespaceFacts | undefined,
  namespace: NamespaceFacts | undefined,
): boolean {
  const serves = (facts: NamespaceFacts | undefined): boolean => facts !== undefined && servesNamespace(pool, facts)
  // Room that a terminating namespace gave back is free when the namespace is gone.
  const isReleasing = releaseOf(pool.status?.releasing, name) !== undefined
  return isReleasing || serves(old) || serves(namespace) || pool.status?.namespaces?.includes(name) === true
}

/**
 * Returns the pool that the label of an object names, if it exists, whatever the owner is. The label holds the name of
 * the pool unless that is too long.
 */
function poolLabelled(caches: PoolCaches, kept: KubeObject | undefined): readonly string[] {
  const label = kept?.metadata.labels?.[POOL_LABEL] ?? ''
  return caches.pools.get('', label) === undefined ? [] : [label]
}

import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, type GroupResource, qualified } from '../../machinery/status.ts'
import { MANAGED_BY_LABEL, POOL_LABEL } from '../../systems/resource-pool/api/pool-names.ts'
import { poolLabelValue, poolQuotaName } from '../../systems/resource-pool/api/quota-name.ts'
import { resourcePool, type ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim, type ResourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import {
  claimChange,
  poolFinalizersChange,
  poolStatusChange,
} from '../../systems/resource-pool/decide/apply-outcome.ts'
import { homeOf, onItsWay, strayOutcome } from '../../systems/resource-pool/decide/choose-pool.ts'
import { decidePool } from '../../systems/resource-pool/decide/decide-pool.ts'
import { type LimitRangeWrite, limitRangeSteps } from '../../systems/resource-pool/decide/limit-range/steps.ts'
import { nextSteps, type QuotaWrite } from '../../systems/resource-pool/decide/quota/write-order.ts'
import type { ClaimOutcome } from '../../systems/resource-pool/decide/queue/pool-outcome.ts'
import type { NamespaceFacts } from '../../systems/resource-pool/decide/select-namespaces.ts'
import type { Admission } from './admission.ts'
import type { Collector } from './collector.ts'
import { factsOf, poolsIn, readClaim, readPool } from './pool-rules.ts'
import { type Place, RESOURCE_QUOTAS, type World, NAMESPACES } from './world.ts'

const LIMIT_RANGES: GroupResource = { group: '', resource: 'limitranges' }
const QUOTA_KIND = { ...RESOURCE_QUOTAS, kind: 'ResourceQuota', namespaced: true }
/** So many passes bring any pool to rest: a release takes two, and claims may follow on each other. */
const MOST_PASSES = 1000

/** What decides about claims: nothing is said of them where some of it cannot be seen. */
export const POOLS_NEED = [resourcePool, resourcePoolClaim, NAMESPACES, RESOURCE_QUOTAS].map(qualified)

/** The controller of resource pools, in a world where every write succeeds at once. */
export class Pools {
  readonly #world: World
  readonly #admission: Admission
  readonly #collector: Collector
  readonly #dirty = new Set<string>()
  readonly #strays = new Set<string>()
  /** By each pool that a claim names or has; those that name none by ''. */
  readonly #claimsByPool = new Map<string, Map<string, Place>>()
  /** Why no quota can be had, by pool and namespace. */
  readonly #obstructed = new Map<string, Map<string, string>>()

  constructor(world: World, admission: Admission, collector: Collector) {
    this.#world = world
    this.#admission = admission
    this.#collector = collector
    for (const object of world.all(resourcePoolClaim)) {
      const { namespace = '', name = '' } = object.metadata
      this.#index({ of: resourcePoolClaim, namespace, name }, object, undefined)
    }
    world.onChange(({ of, namespace, name }, object, old) => this.#changed(of, namespace, name, object, old))
  }

  #index(place: Place, object: KubeObject | undefined, old: KubeObject | undefined): void {
    const key = `${place.namespace}/${place.name}`
    for (const pool of old === undefined ? [] : poolsNamedBy(readClaim(old))) this.#claimsByPool.get(pool)?.delete(key)
    for (const pool of object === undefined ? [] : poolsNamedBy(readClaim(object))) {
      const known = this.#claimsByPool.get(pool) ?? new Map<string, Place>()
      known.set(key, place)
      this.#claimsByPool.set(pool, known)
    }
  }

  /** All pools and claims are looked at with the next `settle`. */
  lookAtAll(): void {
    for (const { metadata } of this.#world.all(resourcePool)) this.#dirty.add(metadata.name ?? '')
    for (const { metadata } of this.#world.all(resourcePoolClaim))
      this.#strays.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
  }

  /** Brings all pools that something has changed for to rest. Says whether anything was done. */
  settle(): boolean {
    if (!POOLS_NEED.every((one) => this.#world.isWhole(one))) return false
    let isBusy = false
    for (let passes = 0; (this.#dirty.size > 0 || this.#strays.size > 0) && passes < MOST_PASSES; passes++) {
      isBusy = true
      const names = [...this.#dirty]
      this.#dirty.clear()
      for (const name of names) this.#pass(name)
      const strays = [...this.#strays]
      this.#strays.clear()
      for (const key of strays) this.#seeToStray(key)
    }
    return isBusy
  }

  #changed(
    { group, resource }: GroupResource,
    namespace: string,
    name: string,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ): void {
    const id = qualified({ group, resource })
    if (id === qualified(resourcePool)) {
      this.#dirty.add(name)
      if (old === undefined || object === undefined) this.#lookAtHomeless()
    } else if (id === qualified(resourcePoolClaim)) {
      this.#index({ of: resourcePoolClaim, namespace, name }, object, old)
      for (const one of [object, old]) if (one !== undefined) this.#lookAtHome(readClaim(one))
      if (object !== undefined) this.#strays.add(`${namespace}/${name}`)
    } else if (id === 'namespaces') {
      if (object?.metadata.labels === old?.metadata.labels && object !== undefined && old !== undefined) return
      for (const { metadata } of this.#world.all(resourcePool)) this.#dirty.add(metadata.name ?? '')
      for (const claim of this.#world.list(resourcePoolClaim, name))
        this.#strays.add(`${name}/${claim.metadata.name ?? ''}`)
    } else if (id === 'resourcequotas' || id === 'limitranges') {
      const owner = (object ?? old)?.metadata.ownerReferences?.find(({ controller }) => controller === true)
      if (owner?.kind === resourcePool.kind) this.#dirty.add(owner.name)
    }
  }

  /** Claims whose pool may have come or gone. */
  #lookAtHomeless(): void {
    for (const { metadata } of this.#world.all(resourcePoolClaim))
      this.#strays.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`)
  }

  #lookAtHome({ spec, status }: ResourcePoolClaim): void {
    for (const name of [spec.pool, status?.pool?.name ?? ''])
      if (name !== '' && this.#world.find(resourcePool, '', name) !== undefined) this.#dirty.add(name)
  }

  #namespaces(): readonly NamespaceFacts[] {
    return this.#world.all(NAMESPACES).map(factsOf)
  }

  #claimsOf(pool: ResourcePool): readonly ResourcePoolClaim[] {
    const { name = '' } = pool.metadata
    const named = this.#claimsByPool.get(name) ?? new Map<string, Place>()
    const homeless = this.#claimsByPool.get('') ?? new Map<string, Place>()
    const pools = homeless.size === 0 ? [] : poolsIn(this.#world)
    return [...new Map([...named, ...homeless]).values()].flatMap((place) => {
      const object = this.#world.find(resourcePoolClaim, place.namespace, place.name)
      if (object === undefined) return []
      const claim = readClaim(object)
      const hasIt = claim.status?.pool?.name === name
      if (claim.spec.pool !== '') return hasIt || claim.spec.pool === name ? [claim] : []
      const home = this.#homeOf(claim, pools)
      return hasIt || home?.metadata.name === name ? [onItsWay(claim, pool, home)] : []
    })
  }

  /** The pools that decide about a claim: all of them, where it names none or a pool owns it. */
  #poolsFor(claim: ResourcePoolClaim): readonly ResourcePool[] {
    const isOwned = (claim.metadata.ownerReferences ?? []).some(({ kind }) => kind === resourcePool.kind)
    if (claim.spec.pool === '' || isOwned) return poolsIn(this.#world)
    return [...new Set(poolsNamedBy(claim))].flatMap((name) => {
      const found = this.#world.find(resourcePool, '', name)
      return found === undefined ? [] : [readPool(found)]
    })
  }

  #homeOf(claim: ResourcePoolClaim, pools: readonly ResourcePool[]): ResourcePool | undefined {
    const found = this.#world.find(NAMESPACES, '', claim.metadata.namespace ?? '')
    return homeOf(claim, found === undefined ? undefined : factsOf(found), pools)
  }

  /** What the pool keeps in namespaces: of one kind, by namespace. */
  #keptBy(pool: ResourcePool, of: GroupResource): ReadonlyMap<string, KubeObject> {
    const { name = '', uid = '' } = pool.metadata
    const label = poolLabelValue(name)
    const kept = poolQuotaName(name)
    return new Map(
      this.#world
        .ownedBy(uid)
        .filter((place) => place.of.resource === of.resource && place.of.group === of.group && place.name === kept)
        .flatMap((place) => {
          const object = this.#world.find(of, place.namespace, kept)
          return object?.metadata.labels?.[POOL_LABEL] === label &&
            object.metadata.labels[MANAGED_BY_LABEL] !== undefined
            ? [[place.namespace, object] as const]
            : []
        }),
    )
  }

  #pass(name: string): void {
    const world = this.#world
    const stored = world.find(resourcePool, '', name)
    if (stored === undefined) return
    const pool = readPool(stored)
    const now = world.timestamp(world.now)
    const quotas = new Map([...this.#keptBy(pool, RESOURCE_QUOTAS)].filter(isQuotaEntry))
    const obstructed = this.#obstructed.get(name) ?? new Map<string, string>()
    const releasing = Object.keys(pool.status?.releasing ?? {})
    const ranges = this.#keptBy(pool, LIMIT_RANGES)
    const decided = decidePool({
      pool,
      claims: this.#claimsOf(pool),
      namespaces: this.#namespaces(),
      quotas,
      gone: new Set(releasing.filter((namespace) => !quotas.has(namespace))),
      obstructed,
      hasLimitRanges: ranges.size > 0,
      now: world.now,
    })
    const status = poolStatusChange(pool, decided, now)
    const finalizers = poolFinalizersChange(pool, decided)
    const next: ResourcePool =
      status === undefined && finalizers === undefined
        ? pool
        : {
            ...pool,
            metadata: { ...pool.metadata, ...(finalizers === undefined ? {} : { finalizers }) },
            ...(status === undefined ? {} : { status }),
          }
    const written = next === pool ? pool : readPool(world.write(resourcePool, next))
    this.#writeClaims(decided.claims, written, now)
    const ways = { pool: written, quotas, obstructed: new Set(obstructed.keys()) }
    const steps = nextSteps({ ...ways, isLive: true })
    const rangeSteps = limitRangeSteps({ pool: written, ranges, quotas })
    for (const write of rangeSteps.first) this.#writeRange(write, poolQuotaName(name))
    for (const write of steps.writes) this.#writeQuota(write, written)
    for (const write of rangeSteps.last) this.#writeRange(write, poolQuotaName(name))
    const isOver = written.metadata.deletionTimestamp !== undefined && (written.metadata.finalizers ?? []).length === 0
    if (isOver) this.#collector.remove({ of: resourcePool, namespace: '', name })
  }

  #writeClaims(outcomes: readonly ClaimOutcome[], pool: ResourcePool | undefined, now: string): void {
    for (const outcome of outcomes) {
      const change = claimChange(outcome, pool, now)
      if (change === undefined) continue
      const { metadata } = outcome.claim
      const stored = this.#world.find(resourcePoolClaim, metadata.namespace ?? '', metadata.name ?? '')
      if (stored === undefined) continue
      const claim = readClaim(stored)
      const { status, ownerReferences, removedAnnotation, specPool } = change
      const { [removedAnnotation ?? '']: _, ...annotations } = claim.metadata.annotations ?? {}
      this.#world.write(resourcePoolClaim, {
        ...claim,
        metadata: {
          ...claim.metadata,
          ...(ownerReferences === undefined ? {} : { ownerReferences }),
          ...(removedAnnotation === undefined ? {} : { annotations }),
        },
        spec: specPool === undefined ? claim.spec : { ...claim.spec, pool: specPool },
        ...(status === undefined ? {} : { status }),
      })
    }
  }

  #writeQuota(write: QuotaWrite, pool: ResourcePool): void {
    const world = this.#world
    const { namespace } = write
    const name = poolQuotaName(pool.metadata.name ?? '')
    const place = { of: RESOURCE_QUOTAS, namespace, name }
    switch (write.kind) {
      case 'create':
        return this.#create(write.quota, pool, namespace)
      case 'update':
      case 'let-go':
        return void world.write(RESOURCE_QUOTAS, write.quota)
      case 'delete':
        return world.remove(place)
      case 'replace':
        world.remove(place)
        return this.#create(write.quota, pool, namespace)
      case 'confirm-gone':
        // The next pass counts it as gone.
        return
      default:
        return write satisfies never
    }
  }

  #create(quota: ResourceQuota, pool: ResourcePool, namespace: string): void {
    const { name = '' } = pool.metadata
    if (this.#world.find(RESOURCE_QUOTAS, namespace, quota.metadata.name ?? '') !== undefined) return
    const known = this.#obstructed.get(name) ?? new Map<string, string>()
    this.#obstructed.set(name, known)
    try {
      this.#admission.create(QUOTA_KIND, quota, true)
      known.delete(namespace)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (known.get(namespace) !== error.message) this.#dirty.add(name)
      known.set(namespace, error.message)
    }
  }

  #writeRange(write: LimitRangeWrite, name: string): void {
    if (write.kind === 'delete') this.#world.remove({ of: LIMIT_RANGES, namespace: write.namespace, name })
    else this.#world.write(LIMIT_RANGES, write.range)
    this.#world.freed.add(write.namespace)
  }

  #seeToStray(key: string): void {
    const [namespace = '', name = ''] = key.split('/')
    const object = this.#world.find(resourcePoolClaim, namespace, name)
    if (object === undefined) return
    const claim = readClaim(object)
    const pools = this.#poolsFor(claim)
    const home = this.#homeOf(claim, pools)
    if (home !== undefined) {
      if (claim.status?.pool?.name !== home.metadata.name) this.#dirty.add(home.metadata.name ?? '')
      return
    }
    const found = this.#world.find(NAMESPACES, '', namespace)
    const outcome = strayOutcome(claim, pools, found === undefined ? undefined : factsOf(found), this.#world.now)
    this.#writeClaims([outcome], undefined, this.#world.timestamp(this.#world.now))
  }
}

const poolsNamedBy = ({ spec, status }: ResourcePoolClaim): readonly string[] => [
  spec.pool,
  status?.pool?.name ?? spec.pool,
]

const isQuotaEntry = (entry: readonly [string, KubeObject]): entry is [string, ResourceQuota] =>
  isResourceQuota(entry[1])

import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { poolProblem } from './pool-problem.ts'
import { hasScopesOf, poolQuota, upToDate } from './pool-quota.ts'
import { NamespaceView, type Quotas } from './view.ts'
import { goalOf } from './goal.ts'

/** A write that may be done now. Each can be repeated, and done in any order with the others. */
export type QuotaWrite =
  /** Nobody could stop a raise in a create, so it has nothing of what claims give. */
  | { readonly kind: 'create'; readonly namespace: string; readonly quota: ResourceQuota }
  /** A PUT with the resourceVersion that the quota has. `raises`: it allows more than the quota did. */
  | { readonly kind: 'update'; readonly namespace: string; readonly quota: ResourceQuota; readonly raises: boolean }
  /**
   * A server does not let the scopes of a quota change, so what was seen is deleted (both are preconditions) and another one
   * created at once. Only where the server would take that one: else the namespace would be left without any.
   */
  | {
      readonly kind: 'replace'
      readonly namespace: string
      readonly uid: string
      readonly resourceVersion: string
      readonly quota: ResourceQuota
    }
  /** A PUT with the resourceVersion that the quota has, which is being deleted: without finalizers it goes. */
  | { readonly kind: 'let-go'; readonly namespace: string; readonly quota: ResourceQuota }
  /** Only what was seen is deleted: both are preconditions. */
  | { readonly kind: 'delete'; readonly namespace: string; readonly uid: string; readonly resourceVersion: string }
  /**
   * No write, but a live read of the quota. When it finds none and the pool still is at the version that was given,
   * `lowerReleases` may have the namespace in `gone`.
   */
  | { readonly kind: 'confirm-gone'; readonly namespace: string }

export interface Wait {
  readonly namespace: string
  /**
   * `limit`: the server has not lowered `status.hard` yet. `usage`: workloads use what was given back. `gone`: the quota is
   * being deleted. `excess`: elsewhere a quota allows more than the ledger grants. `live-pool`: see `needsLivePool`.
   */
  readonly for: 'limit' | 'usage' | 'gone' | 'excess' | 'live-pool'
}

export interface Steps {
  readonly writes: readonly QuotaWrite[]
  readonly waits: readonly Wait[]
  /**
   * There are raises or deletions that need a pool which was read after the quotas were. Read it live: if it still is at the
   * version that was given, call again with `isLive`.
   */
  readonly needsLivePool: boolean
  /** The namespaces, of those that were looked at, whose quotas allow more than the ledger grants. */
  readonly excessive: readonly string[]
}

export interface StepsInput {
  /** As it is stored; its status is the ledger. */
  readonly pool: ResourcePool
  readonly quotas: Quotas
  /** Was the pool read from the server, or written to it with compare-and-swap, after the quotas were looked at? */
  readonly isLive: boolean
  /** Namespaces where something else is in the way of the pool's quota. Such a quota does not hand out room of the pool. */
  readonly obstructed?: ReadonlySet<string>
  /** The namespaces to look at, whose quotas are given; left out: all. All others must be at rest (`namespacesToReconcile`). */
  readonly within?: ReadonlySet<string>
}

/**
 * Returns the writes that the pool's ResourceQuotas may get now. The claimed parts of their limits never sum to more
 * than the pool. That holds for any number of operators, stale reads, and crashes between two writes
 * (docs/concepts/resource-pools.md).
 *
 * The ledger is `status.claims`, the target of each namespace, and `status.releasing`, returned room that may still be
 * allowed. Only compare-and-swap writes it, and it keeps targets and releases together within the pool. A quota never
 * allows more than target and release of its namespace:
 * - A PUT raises the quota, with a version that was read before the ledger was. Under a release with a token it is
 *   raised to the target at most. Without a token the room is left to workloads that use it, and is a part of the goal.
 * - A release with a token is a lowering. The quota is written with that token, even if it is already low. An operator
 *   that raises it by an older ledger has an older version of the quota, and gets a conflict.
 * - `lowerReleases` makes the release smaller when the quota has the token and the server has lowered it.
 * - A deletion is a fence too: a new quota has none of the amounts of claims.
 */
export function nextSteps(input: StepsInput): Steps {
  const { pool, quotas, isLive, within, obstructed = NONE } = input
  const served = new Set(pool.status?.namespaces ?? [])
  const known = new Set([...served, ...quotas.keys(), ...Object.keys(pool.status?.releasing ?? {})])
  const names = within === undefined ? known : known.intersection(within)
  const views = [...names].toSorted().map((name) => new NamespaceView(pool, name, quotas.get(name)))
  const resources = Object.keys(amountsOf(pool.spec.quota.hard))
  const excessive = views.filter(
    (view) => !obstructed.has(view.namespace) && resources.some((name) => isExcessive(view, name)),
  )
  const canHaveQuotas = poolProblem(pool) === undefined
  // They go down first, as when defaults were lowered.
  const excess = new Set(resources.filter((name) => excessive.some((view) => isExcessive(view, name))))
  const writes: QuotaWrite[] = []
  const waits: Wait[] = []
  for (const view of views) {
    const step = served.has(view.namespace) ? serve({ pool, view, isLive, excess, canHaveQuotas }) : leave(view, isLive)
    writes.push(...step.writes)
    waits.push(...step.waits.map((reason) => ({ namespace: view.namespace, for: reason })))
  }
  return {
    writes,
    waits,
    needsLivePool: waits.some((wait) => wait.for === 'live-pool'),
    excessive: excessive.map(({ namespace }) => namespace),
  }
}

const NONE: ReadonlySet<string> = new Set()

interface Step {
  readonly writes: readonly QuotaWrite[]
  readonly waits: readonly Wait['for'][]
}

const wait = (...waits: readonly Wait['for'][]): Step => ({ writes: [], waits })

/** Does a quota allow more of a resource than the ledger grants? */
const isExcessive = (view: NamespaceView, name: string): boolean =>
  view.allowedOf(name).cmp(view.targetOf(name).add(view.roomOf(name))) > 0

/** A namespace that the pool does not serve: its quota goes, and with it all that it allows. */
function leave({ quota, namespace, release }: NamespaceView, isLive: boolean): Step {
  if (quota === undefined)
    return release === undefined ? wait() : { writes: [{ kind: 'confirm-gone', namespace }], waits: ['gone'] }
  return remove(namespace, quota, isLive)
}

function remove(namespace: string, quota: ResourceQuota, isLive: boolean): Step {
  const { metadata } = quota
  if (metadata.deletionTimestamp !== undefined) return letGo(namespace, quota)
  if (!isLive) return wait('live-pool')
  const { uid = '', resourceVersion = '' } = metadata
  return { writes: [{ kind: 'delete', namespace, uid, resourceVersion }], waits: ['gone'] }
}

/** A quota that is being deleted needs no finalizer: nothing depends on it, and nobody else may keep it. */
function letGo(namespace: string, quota: ResourceQuota): Step {
  const { finalizers = [], ...metadata } = quota.metadata
  if (finalizers.length === 0) return wait('gone')
  return { writes: [{ kind: 'let-go', namespace, quota: { ...quota, metadata } }], waits: ['gone'] }
}

/** The quota as it is created: with nothing of what claims give, but with its resources. */
function firstQuota(pool: ResourcePool, { namespace, release }: NamespaceView): ResourceQuota {
  const { hard } = goalOf(new NamespaceView(pool, namespace, undefined), amountsOf(pool.spec.defaults), () => false)
  return poolQuota({ pool, namespace, hard, release })
}

function replace(
  pool: ResourcePool,
  view: NamespaceView,
  { metadata: { uid = '', resourceVersion = '' } }: ResourceQuota,
  isLive: boolean,
): Step {
  if (!isLive) return wait('live-pool')
  const quota = firstQuota(pool, view)
  return { writes: [{ kind: 'replace', namespace: view.namespace, uid, resourceVersion, quota }], waits: ['gone'] }
}

interface ServeInput {
  readonly pool: ResourcePool
  readonly view: NamespaceView
  readonly isLive: boolean
  readonly excess: ReadonlySet<string>
  /** Can quotas have the scopes of the pool? */
  readonly canHaveQuotas: boolean
}

function serve({ pool, view, isLive, excess, canHaveQuotas }: ServeInput): Step {
  const { namespace, quota, release } = view
  const defaults = amountsOf(pool.spec.defaults)
  if (quota === undefined) return { writes: [{ kind: 'create', namespace, quota: firstQuota(pool, view) }], waits: [] }
  if (quota.metadata.deletionTimestamp !== undefined) return letGo(namespace, quota)
  if (!hasScopesOf(quota, pool)) return canHaveQuotas ? replace(pool, view, quota, isLive) : wait()
  const goal = goalOf(view, defaults, (name) => isLive && !excess.has(name))
  const waits: Wait['for'][] = []
  if (goal.held.some((name) => !excess.has(name))) waits.push('live-pool')
  if (goal.held.some((name) => excess.has(name))) waits.push('excess')
  const needsFence = release?.token !== undefined && !view.isFenced
  if (release !== undefined) waits.push(release.token === undefined ? 'usage' : 'limit')
  if (!needsFence && upToDate(quota, pool, goal.hard)) return wait(...waits)
  const next = poolQuota({ pool, namespace, hard: goal.hard, release, quota })
  return { writes: [{ kind: 'update', namespace, quota: next, raises: goal.raises }], waits }
}

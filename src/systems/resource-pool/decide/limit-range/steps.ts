import type { ResourcePool } from '../../api/resource-pool.ts'
import type { Quotas } from '../quota/view.ts'
import { isAsWanted, isKeptBy, type LimitRange, limitRangeErrors, poolLimitRange } from './pool-limit-range.ts'

/** The LimitRanges that carry the labels of a pool, by namespace, as they were last seen. */
export type LimitRanges = ReadonlyMap<string, LimitRange>

/** A write to the LimitRange of a pool in a namespace. */
export type LimitRangeWrite =
  | { readonly kind: 'create'; readonly namespace: string; readonly range: LimitRange }
  /** A PUT with the resourceVersion that was seen. */
  | { readonly kind: 'update'; readonly namespace: string; readonly range: LimitRange }
  /** Only what was seen is deleted: both are preconditions. */
  | { readonly kind: 'delete'; readonly namespace: string; readonly uid: string; readonly resourceVersion: string }

export interface LimitRangeSteps {
  /** To be done before quotas are written: a workload without requests must not meet a quota alone. */
  readonly first: readonly LimitRangeWrite[]
  /** To be done afterwards. */
  readonly last: readonly LimitRangeWrite[]
  /** The namespaces to look at again with whatever happens next: those of the writes, and those whose LimitRange goes when their quota is gone. */
  readonly again: readonly string[]
}

export interface LimitRangeStepsInput {
  /** As it is stored. */
  readonly pool: ResourcePool
  readonly ranges: LimitRanges
  readonly quotas: Quotas
  /** The namespaces to look at; left out: all. */
  readonly within?: ReadonlySet<string>
}

/**
 * Returns the writes that bring the LimitRanges of a pool to what it wants. A LimitRange comes before the quota of its namespace, and
 * goes after it. A pool whose `spec.limitRange` is invalid leaves those that it has.
 */
export function limitRangeSteps({ pool, ranges, quotas, within }: LimitRangeStepsInput): LimitRangeSteps {
  const { limitRange } = pool.spec
  const served = new Set(pool.metadata.deletionTimestamp === undefined ? (pool.status?.namespaces ?? []) : [])
  const isInvalid = limitRangeErrors(pool).length > 0
  const first: LimitRangeWrite[] = []
  const last: LimitRangeWrite[] = []
  const awaiting: string[] = []
  const known = new Set([...served, ...ranges.keys()])
  for (const namespace of [...(within === undefined ? known : known.intersection(within))].toSorted()) {
    const range = ranges.get(namespace)
    if (!served.has(namespace)) {
      if (range === undefined) continue
      if (quotas.has(namespace)) awaiting.push(namespace)
      else last.push(...removal(pool, namespace, range))
    } else if (limitRange === undefined) {
      if (range !== undefined) last.push(...removal(pool, namespace, range))
    } else if (isInvalid) continue
    else if (range === undefined)
      first.push({ kind: 'create', namespace, range: poolLimitRange(pool, limitRange, namespace) })
    else if (range.metadata.deletionTimestamp !== undefined) first.push(...letGo(namespace, range))
    else if (!isAsWanted(range, pool, limitRange))
      first.push({ kind: 'update', namespace, range: poolLimitRange(pool, limitRange, namespace, range) })
  }
  const written = [...first, ...last].map(({ namespace }) => namespace)
  return { first, last, again: [...awaiting, ...written] }
}

function removal(pool: ResourcePool, namespace: string, range: LimitRange): readonly LimitRangeWrite[] {
  if (!isKeptBy(range, pool)) return []
  if (range.metadata.deletionTimestamp !== undefined) return letGo(namespace, range)
  const { uid = '', resourceVersion = '' } = range.metadata
  return [{ kind: 'delete', namespace, uid, resourceVersion }]
}

/** Without finalizers it goes. */
function letGo(namespace: string, range: LimitRange): readonly LimitRangeWrite[] {
  const { finalizers = [], ...metadata } = range.metadata
  return finalizers.length === 0 ? [] : [{ kind: 'update', namespace, range: { ...range, metadata } }]
}

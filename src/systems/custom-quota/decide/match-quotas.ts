import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { CompiledQuota } from './compile-quota.ts'
import { MeasureError } from './measure-error.ts'
import { costOf } from './object-cost.ts'
import { NamespaceEffort } from './quota-bounds.ts'

/** A quota, as far as matching objects is about it. */
export interface MatchableQuota {
  /** Undefined where its spec has a mistake. */
  readonly compiled: CompiledQuota | undefined
  readonly isGlobal: boolean
  /** The namespaces that it counts in; '' for objects outside namespaces. */
  readonly selection: { readonly has: (namespace: string) => boolean }
}

/** A write of an object. */
interface MatchedWrite {
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly object: KubeObject
  readonly oldObject?: KubeObject | undefined
}

/** A quota that counts the object of a request, and what the request makes the object cost. */
export interface MatchedQuota<Q> {
  readonly tracked: Q
  readonly cost: Quantity
  /** The cost of the replaced object; 0 where there is none or it is not counted. */
  readonly oldCost: Quantity
  /** Could the quota not measure the replaced object? Then the request may be what opens its namespace again. */
  readonly isMended: boolean
}

/** A quota that cannot measure the object. */
export interface UnmeasurableQuota<Q> {
  readonly tracked: Q
  readonly error: MeasureError
}

export interface QuotaMatches<Q> {
  readonly matched: readonly MatchedQuota<Q>[]
  /** Quotas with a mistake in their spec: what they would count is not known. */
  readonly broken: readonly Q[]
  readonly unmeasurable: readonly UnmeasurableQuota<Q>[]
}

/** The quotas that count an object as a request leaves it, among those that count its kind in its namespace or in all. */
export function matchQuotas<Q extends MatchableQuota>(
  quotas: Iterable<Q>,
  { namespace, object, oldObject }: MatchedWrite,
): QuotaMatches<Q> {
  const matched: MatchedQuota<Q>[] = []
  const unmeasurable: UnmeasurableQuota<Q>[] = []
  const broken: Q[] = []
  const [oldEffort, effort] = [new NamespaceEffort(), new NamespaceEffort()]
  for (const tracked of quotas) {
    if (tracked.compiled === undefined) {
      if (!isSameContent(object, oldObject)) broken.push(tracked)
      continue
    }
    if (!tracked.selection.has(namespace)) continue
    const old = oldObject === undefined ? Quantity.zero : costOrError(tracked, oldObject, oldEffort)
    const cost = costOrError(tracked, object, effort)
    if (cost instanceof MeasureError) {
      // A finalizer must be removable from an object that could not be measured before.
      if (!(old instanceof MeasureError)) unmeasurable.push({ tracked, error: cost })
    } else if (cost !== undefined) {
      const oldCost = old instanceof MeasureError || old === undefined ? Quantity.zero : old
      matched.push({ tracked, cost, oldCost, isMended: old instanceof MeasureError })
    }
  }
  return { matched, unmeasurable, broken }
}

/** Is nothing changed that a quota could count but what every controller may have to change, such as finalizers? */
export function isSameContent({ metadata, ...rest }: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false
  const { metadata: oldMetadata, ...oldRest } = old
  return jsonEqual(rest, oldRest) && jsonEqual(metadata.labels ?? {}, oldMetadata.labels ?? {})
}

function costOrError(
  { compiled, isGlobal }: MatchableQuota,
  object: KubeObject,
  effort: NamespaceEffort,
): Quantity | MeasureError | undefined {
  if (compiled === undefined) return undefined
  try {
    return costOf(compiled, object, isGlobal ? undefined : effort)
  } catch (error) {
    if (error instanceof MeasureError) return error
    throw error
  }
}

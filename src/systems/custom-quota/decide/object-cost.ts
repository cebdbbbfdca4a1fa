import type { KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { CompiledQuota } from './compile-quota.ts'
import { Effort, type NamespaceEffort } from './quota-bounds.ts'
import { isCountedKind, kindOfObject } from './source-kind.ts'

/**
 * Returns the cost of an object for a quota: the sum over the sources that count it, where `sub` sources are negative.
 * The sum is exact, in the format of the first amount that is not 0. Returns undefined for an object of another kind or
 * version. Returns undefined as well for one that the selectors of the quota or of its sources leave out. The caller
 * checks whether the quota counts in the namespace of the object.
 *
 * An object counts until it is gone. A pod that is being deleted still runs, for as long as its author allowed it.
 *
 * Throws MeasureError if a selector or an amount cannot be evaluated. Throws it as well if that would cost more than
 * the quota may spend, or more than `namespace` has left for all its CustomQuotas.
 */
export function costOf(quota: CompiledQuota, object: KubeObject, namespace?: NamespaceEffort): Quantity | undefined {
  if (!quota.inScope(object.metadata.labels)) return undefined
  const effort = new Effort(namespace)
  try {
    return measured(quota, object, effort)
  } finally {
    effort.end()
  }
}

function measured(quota: CompiledQuota, object: KubeObject, effort: Effort): Quantity | undefined {
  const kind = kindOfObject(object)
  let cost: Quantity | undefined
  for (const { source, kind: wanted, selects, amount } of quota.sources) {
    if (!isCountedKind(wanted, kind) || !selects(object, effort)) continue
    const one = amount(object, effort)
    cost = (cost ?? Quantity.zero).add(source.op === 'sub' ? one.neg() : one)
  }
  return cost
}

/**
 * Is an object that costs nothing counted only by sources whose paths find nothing in it? It is so also where the quota limits by a field that the
 * kind does not have. Throws as `costOf` does.
 */
export function findsNothing(quota: CompiledQuota, object: KubeObject, namespace?: NamespaceEffort): boolean {
  const effort = new Effort(namespace)
  const kind = kindOfObject(object)
  try {
    return quota.sources
      .filter((source) => isCountedKind(source.kind, kind) && source.selects(object, effort))
      .every(({ finds }) => finds?.(object, effort) === false)
  } finally {
    effort.end()
  }
}

/** Does the quota count objects in a namespace with these labels? `namespace` is empty for objects outside namespaces. */
export function countsIn(
  { everywhere, selectsNamespace }: CompiledQuota,
  namespace: string,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (everywhere) return true
  return namespace !== '' && selectsNamespace(labels)
}

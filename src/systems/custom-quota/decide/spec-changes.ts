import type { CustomQuotaSpec } from '../api/custom-quota.ts'
import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { sourceKind } from './source-kind.ts'

type Spec = Pick<CustomQuotaSpec, 'sources' | 'scopeSelectors'> & Pick<GlobalCustomQuotaSpec, 'namespaceSelectors'>

/** Do both specs count the same objects at the same costs? Their limits may differ. */
export function countsAlike(old: Spec, spec: Spec): boolean {
  return (
    jsonEqual(old.sources, spec.sources) &&
    jsonEqual(old.scopeSelectors ?? [], spec.scopeSelectors ?? []) &&
    jsonEqual(old.namespaceSelectors ?? [], spec.namespaceSelectors ?? [])
  )
}

/**
 * Does each object, in whatever state, cost the new spec either as much as the old one, or nothing in all its states? Whole kinds and
 * namespaces may be left out. Further selectors of objects do not make it so: an update that the old spec need not ask about, such
 * as of a label, may be what makes the object count.
 */
export function countsNoMore(old: Spec, spec: Spec): boolean {
  if (!hasSame(old.scopeSelectors ?? [], spec.scopeSelectors ?? [])) return false
  const before = byKind(old.sources)
  const after = [...byKind(spec.sources)]
  if (!after.every(([kind, sources]) => hasSame(before.get(kind) ?? [], sources))) return false
  return selectsNoMore(old.namespaceSelectors ?? [], spec.namespaceSelectors ?? [])
}

/** The sources of each kind: the cost of an object is their sum. */
const byKind = (sources: Spec['sources']): ReadonlyMap<string, Spec['sources']> =>
  Map.groupBy(sources, (source) => {
    const { group, kind } = sourceKind(source)
    return `${group}/${kind}`
  })

/** Do both lists have the same entries, in whatever order? */
function hasSame(list: readonly unknown[], other: readonly unknown[]): boolean {
  const texts = (of: readonly unknown[]): readonly string[] => of.map((entry) => JSON.stringify(entry)).toSorted()
  return jsonEqual(texts(list), texts(other))
}

/** Any entry selects a namespace; without entries all are counted. */
function selectsNoMore(old: readonly unknown[], selectors: readonly unknown[]): boolean {
  if (old.length === 0) return true
  return selectors.length > 0 && selectors.every((one) => old.some((other) => jsonEqual(one, other)))
}

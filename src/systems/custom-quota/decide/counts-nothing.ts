import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import type { QuotaSource } from '../api/source.ts'
import type { LabelSelector } from '../../../machinery/selector/label.ts'
import { allLabels, type LabelRegion, labelRegion, overlapOf } from '../../../machinery/selector/label-region.ts'
import { kindText, sourceKind } from './source-kind.ts'

type Spec = Pick<GlobalCustomQuotaSpec, 'sources' | 'scopeSelectors' | 'namespaceSelectors'>

/** A quota without sources, as its warning and its condition say it. */
export const NO_SOURCES = 'spec.sources: the quota counts nothing, because it has no source'

/**
 * Why a valid quota, or a source of it, counts nothing whatever objects and labels there are: a line for each. `selecting`: those of its selectors of
 * namespaces that are not empty, since an empty one selects nothing.
 */
export function countsNothing(
  { sources, scopeSelectors = [], namespaceSelectors = [] }: Spec,
  selecting: readonly LabelSelector[],
): readonly string[] {
  if (sources.length === 0) return [NO_SOURCES]
  const scopes = regionsOf(scopeSelectors)
  if (scopes.length === 0) return ['spec.scopeSelectors: the quota counts nothing, because no labels match any of them']
  if (namespaceSelectors.length > 0 && selecting.every((selector) => labelRegion(selector) === undefined))
    return ['spec.namespaceSelectors: the quota counts nothing, because no labels of a namespace match any of them']
  return sources.flatMap((source, index) => {
    const regions = regionsOf(source.selectors ?? [])
    if (regions.some((region) => scopes.some((scope) => overlapOf(scope, region) !== undefined))) return []
    const what = regions.length === 0 ? 'its selectors' : 'its selectors and spec.scopeSelectors'
    return [`${named(source, index)} counts nothing, because no labels match ${what}`]
  })
}

/** Says that a source counts nothing, since its kind is outside namespaces and the quota selects namespaces. */
export const outsideNamespacesText = (source: QuotaSource, index: number): string =>
  `${named(source, index)} counts nothing: its objects are in no namespace, and spec.namespaceSelectors selects namespaces; spec.scopeSelectors selects objects by their labels`

const named = (source: QuotaSource, index: number): string => `spec.sources[${index}] (${kindText(sourceKind(source))})`

/** The labels that each selector matches, without those that match none; all labels where there is no selector. */
const regionsOf = (selectors: readonly LabelSelector[]): readonly LabelRegion[] =>
  selectors.length === 0 ? [allLabels()] : selectors.map(labelRegion).filter((region) => region !== undefined)

import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import type { LabelSelector } from '../../../machinery/selector/label.ts'
import { NO_SOURCES } from './counts-nothing.ts'
import { labelRegion } from '../../../machinery/selector/label-region.ts'

/** Why a valid quota counts nothing, or less than it says, whatever objects there are: it has no source, or selectors that contradict themselves. */
export function contradictorySelectors(
  spec: Pick<GlobalCustomQuotaSpec, 'sources' | 'scopeSelectors' | 'namespaceSelectors'>,
): readonly string[] {
  if (spec.sources.length === 0) return [NO_SOURCES]
  const lists: readonly (readonly [string, readonly LabelSelector[] | undefined])[] = [
    ['spec.scopeSelectors', spec.scopeSelectors],
    ['spec.namespaceSelectors', spec.namespaceSelectors],
    ...spec.sources.map(({ selectors }, index) => [`spec.sources[${index}].selectors`, selectors] as const),
  ]
  return lists.flatMap(([path, selectors]) =>
    (selectors ?? []).flatMap((selector, index) =>
      labelRegion(selector) === undefined
        ? [`${path}[${index}]: selects nothing, because no labels match all of it`]
        : [],
    ),
  )
}

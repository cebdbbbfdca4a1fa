import { compareText } from '../../../machinery/text/compare.ts'
import { fairShares } from '../../../machinery/text/fair-shares.ts'
import type { MeasuredQuota } from './quota-metrics.ts'

/** The most objects with series of their own for all CustomQuotas of a namespace together: one tenant must not set the size of everybody's metrics. */
const MOST_ITEM_SERIES = 1000

/**
 * How many objects of a quota have series of their own. Those of a GlobalCustomQuota all have that its status lists. The CustomQuotas of a namespace share
 * a number: each has as many as any other, or all that it lists. `quotas`: all that there are.
 */
export function itemSeries(
  quotas: Iterable<MeasuredQuota>,
  most: number = MOST_ITEM_SERIES,
): (quota: MeasuredQuota) => number {
  const shares = new Map<MeasuredQuota, number>()
  const emitting = [...quotas].filter((quota) => quota.kind !== 'GlobalCustomQuota' && listedItems(quota) > 0)
  for (const ofNamespace of Map.groupBy(emitting, ({ metadata }) => metadata.namespace).values()) {
    const inOrder = ofNamespace.toSorted(byName)
    for (const [at, share] of fairShares(inOrder.map(listedItems), most).entries()) {
      const quota = inOrder[at]
      if (quota !== undefined) shares.set(quota, share)
    }
  }
  return (quota) => shares.get(quota) ?? listedItems(quota)
}

function listedItems({ spec, status }: MeasuredQuota): number {
  return spec.options.emitMetricPerClaimUsage ? (status?.claims?.length ?? 0) : 0
}

const byName = ({ metadata: a }: MeasuredQuota, { metadata: b }: MeasuredQuota): number =>
  compareText(a.name ?? '', b.name ?? '')

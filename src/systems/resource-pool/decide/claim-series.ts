import { compareText } from '../../../machinery/text/compare.ts'
import { fairShares } from '../../../machinery/text/fair-shares.ts'
import { ifReadable } from '../../../quantity/quantity.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { claimMetrics, claimSeriesCount, type PoolSample } from './pool-metrics.ts'

/** The most series of all claims of a namespace together: one tenant must not set the size of everybody's metrics. */
const MOST_CLAIM_SERIES = 4000

/**
 * The series of all claims that there are. Those of a namespace share a number: each has as many as any other, or all of its own. A claim with an
 * invalid amount has none.
 */
export function* claimSeries(
  claims: readonly ResourcePoolClaim[],
  most: number = MOST_CLAIM_SERIES,
): Generator<PoolSample> {
  for (const [namespace = '', ofNamespace] of Map.groupBy(claims, ({ metadata }) => metadata.namespace)) {
    const counts = ofNamespace.map(claimSeriesCount)
    const isWhole = counts.reduce((sum, count) => sum + count, 0) <= most
    const inOrder = isWhole ? ofNamespace : ofNamespace.toSorted(byName)
    const shares = isWhole ? counts : fairShares(inOrder.map(claimSeriesCount), most)
    let left = 0
    for (const [at, claim] of inOrder.entries()) {
      const samples = ifReadable(() => claimMetrics(claim, shares[at] ?? 0), undefined)
      if (samples === undefined) continue
      yield* samples
      left += claimSeriesCount(claim) - samples.length
    }
    if (left > 0)
      yield { name: 'allot_claim_series_left_out', labels: { target_namespace: namespace }, value: String(left) }
  }
}

const byName = ({ metadata: a }: ResourcePoolClaim, { metadata: b }: ResourcePoolClaim): number =>
  compareText(a.name ?? '', b.name ?? '')

import type { LedgerViews } from '../../counted/protocol/kind-view.ts'
import { kindKey } from '../../counted/protocol/ledger-state.ts'
import { CountView } from '../../counted/replica/count-view.ts'
import type { TrackedQuota } from './tracking/tracked-custom-quota.ts'

/**
 * The counts of this replica for a quota, in the form of the ledger; undefined while not all is counted. `selection`: the version
 * up to which namespaces were seen.
 */
export function quotaViews(tracked: TrackedQuota, selection: string | undefined): LedgerViews | undefined {
  const { resolution, isCounted, generation, widenedAt, namespaces } = tracked
  if (!isCounted || resolution === undefined || selection === undefined) return undefined
  return {
    generation,
    widenedAt,
    selection: namespaces === undefined ? '' : selection,
    kinds: new Map(
      resolution.targets.map((target) => [kindKey(target.resource), new CountView(target, tracked.selection)]),
    ),
  }
}

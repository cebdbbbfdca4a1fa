import { type KindView, type LedgerViews } from '../../charges/ledger/kind-view.ts'
import { kindKey } from '../../charges/ledger/ledger-state.ts'
import type { NamespaceSelection } from './counting/quota-count.ts'
import type { CountedTarget, TrackedQuota } from './tracking/tracked-quota.ts'

/**
 * The counts of this replica for a quota, in the form of the ledger; undefined while not all is counted. `selection`: the version
 * up to which namespaces were seen.
 */
export function quotaViews(tracked: TrackedQuota, selection: string | undefined): LedgerViews | undefined {
  const { resolution, isCounted, generation, namespaces } = tracked
  if (!isCounted || resolution === undefined || selection === undefined) return undefined
  return {
    generation,
    selection: namespaces === undefined ? '' : selection,
    kinds: new Map(
      resolution.targets.map((target) => [kindKey(target.resource), new CountView(target, tracked.selection)]),
    ),
  }
}

/** The view of one quota on a kind: the cost of its own namespaces. */
export class CountView implements KindView {
  readonly #target: Pick<CountedTarget, 'counted' | 'count'>
  readonly #selection: NamespaceSelection

  constructor(target: Pick<CountedTarget, 'counted' | 'count'>, selection: NamespaceSelection) {
    this.#target = target
    this.#selection = selection
  }

  get revision(): string {
    const { counted, count } = this.#target
    return counted.versionOf(count.namespace)
  }

  get newest(): string {
    const { counted, count } = this.#target
    return count.namespace === undefined ? counted.newest : counted.versionOf(count.namespace)
  }

  get total(): KindView['total'] {
    return this.#target.count.total
  }

  get(namespace: string, name: string): ReturnType<KindView['get']> {
    const { counted, count } = this.#target
    if (!this.#selection.has(namespace)) return undefined
    const object = counted.objects.get(namespace, name)
    const cost = object?.costs.find((one) => one.count === count)
    return object === undefined || cost === undefined
      ? undefined
      : { uid: object.uid, version: object.version, cost: cost.amount }
  }

  lastSight(namespace: string, name: string, uid: string): ReturnType<KindView['lastSight']> {
    return this.#target.counted.objects.lastSight(namespace, name, uid)
  }
}

import type { KindView } from '../protocol/kind-view.ts'
import type { CountedKind } from '../count/kind.ts'
import type { NamespaceSelection, QuotaCount } from '../count/quota-count.ts'

/** The objects of a kind, and their count for one quota. */
export interface CountedFor {
  readonly counted: CountedKind
  readonly count: QuotaCount
}

/** The view of one quota on a kind: the cost of its own namespaces. */
export class CountView implements KindView {
  readonly #target: CountedFor
  readonly #selection: NamespaceSelection

  constructor(target: CountedFor, selection: NamespaceSelection) {
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

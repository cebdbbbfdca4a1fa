import type { PodDisruptionBudget } from '../../../builtin/policy-v1.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { LabelMatcher } from '../../../machinery/selector/requirement.ts'
import { TimeSlice } from '../../../runtime/tasks/time-slice.ts'
import type { StoreEvent } from '../../../store/record/event.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { specOf } from '../../../machinery/read.ts'
import { queryOf } from '../../../kinds/rule/label-selector.ts'

const PODS = 'pods'

/** One budget as its selector is now. */
interface Selected {
  readonly uid: string | undefined
  readonly generation: unknown
  readonly fits: LabelMatcher
  /** The selector as `labelSelector=` would carry it. */
  readonly text: () => string
  /** The keys of its pods: all of them once the pods of the namespace have been looked through. */
  readonly keys: Set<string>
  isWhole: boolean
}

/**
 * The pods that PodDisruptionBudgets select, kept from the store's events. Each budget of a namespace judges a pod there when it is
 * written. It judges no other pod then.
 */
export class BudgetPods {
  readonly #store: WorkloadPort['store']
  readonly #byNamespace = new Map<string, Map<string, Selected>>()

  constructor(store: WorkloadPort['store']) {
    this.#store = store
  }

  /** A budget was written, or is gone. */
  noticeBudget(key: string, budget: PodDisruptionBudget, isGone: boolean): void {
    const { namespace = '' } = budget.metadata
    if (!isGone) {
      this.#selected(key, budget)
      return
    }
    const budgets = this.#byNamespace.get(namespace)
    budgets?.delete(key)
    if (budgets?.size === 0) this.#byNamespace.delete(namespace)
  }

  /** The keys of the budgets that a changed pod concerns. They select the pod, or selected it before the change. */
  noticePod({ type, record: { key, object } }: StoreEvent): readonly string[] {
    const concerned: string[] = []
    for (const [budget, { fits, keys }] of this.#byNamespace.get(object.metadata.namespace ?? '') ?? []) {
      const isFitting = type !== 'deleted' && fits(object.metadata.labels)
      const wasFitting = isFitting ? false : keys.delete(key)
      if (isFitting) keys.add(key)
      if (isFitting || wasFitting || fits(object.metadata.labels)) concerned.push(budget)
    }
    return concerned
  }

  /** The budget's pods. The first time, all pods of the namespace are looked through, a slice of time after another. */
  async of(key: string, budget: PodDisruptionBudget): Promise<readonly KubeObject[]> {
    const selected = this.#selected(key, budget)
    const find = (pod: string): KubeObject | undefined => {
      const object = this.#store.latest(PODS, pod)?.object
      return object !== undefined && selected.fits(object.metadata.labels) ? object : undefined
    }
    if (!selected.isWhole) {
      const slice = new TimeSlice()
      const all = [...this.#store.latestIn(PODS, budget.metadata.namespace)].map((record) => record.key)
      for (const pod of all) {
        const turn = slice.next()
        if (turn !== undefined) await turn
        if (find(pod) !== undefined) selected.keys.add(pod)
      }
      selected.isWhole = true
    }
    return [...selected.keys].flatMap((pod) => find(pod) ?? [])
  }

  /** The budget's selector as `labelSelector=` would carry it. */
  selectorOf(key: string, budget: PodDisruptionBudget): string {
    return this.#selected(key, budget).text()
  }

  #selected(key: string, budget: PodDisruptionBudget): Selected {
    const { namespace = '', uid, generation } = budget.metadata
    const budgets = this.#byNamespace.get(namespace) ?? new Map<string, Selected>()
    const known = budgets.get(key)
    if (known !== undefined && known.uid === uid && known.generation === generation) return known
    const query = queryOf(specOf(budget)['selector'])
    let text: string | undefined
    const made: Selected = {
      uid,
      generation,
      fits: query?.matches ?? ((): boolean => false),
      text: () => (text ??= query?.toString() ?? ''),
      keys: new Set<string>(),
      isWhole: false,
    }
    this.#byNamespace.set(namespace, budgets.set(key, made))
    return made
  }
}

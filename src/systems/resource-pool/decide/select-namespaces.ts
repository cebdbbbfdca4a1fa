import type { ResourcePool } from '../api/resource-pool.ts'
import type { Labels, LabelMatcher } from '../../../machinery/selector/requirement.ts'
import { oncePerObject } from '../../../machinery/once-per-object.ts'
import { compileAnyLabelSelector, type LabelSelector } from '../../../machinery/selector/label.ts'

/** The facts about a namespace that a pool uses. */
export interface NamespaceFacts {
  readonly name: string
  readonly labels?: Labels
  /** `status.phase`; absent means Active. */
  readonly phase?: string
  /** Has it a deletionTimestamp? */
  readonly deleting?: boolean
}

/**
 * Is the namespace being deleted? It admits nothing new, but what runs there may run on until it is gone, so its room is not
 * free before.
 */
export const isEnding = ({ phase = 'Active', deleting = false }: NamespaceFacts): boolean =>
  deleting || phase !== 'Active'

/** Does the pool serve the namespace: selected by one of its selectors, Active, and neither of both being deleted? */
export function servesNamespace(pool: ResourcePool, namespace: NamespaceFacts): boolean {
  if (pool.metadata.deletionTimestamp !== undefined || isEnding(namespace)) return false
  return matcherOf(pool.spec.selectors ?? NO_SELECTORS)(namespace.labels)
}

/** The names of the namespaces that the pool serves, sorted. */
export function selectNamespaces(pool: ResourcePool, namespaces: readonly NamespaceFacts[]): readonly string[] {
  return namespaces
    .filter((namespace) => servesNamespace(pool, namespace))
    .map(({ name }) => name)
    .toSorted()
}

const NO_SELECTORS = Object.freeze([])

/** Whether labels fit one of the selectors of a pool; one that is not well formed selects nothing. */
const matcherOf = oncePerObject((selectors: readonly LabelSelector[]): LabelMatcher =>
  compileAnyLabelSelector(selectors.filter(isSelector), { skipInvalid: true }),
)

/** Capsule takes an entry without any member for one that is absent, and so for one that selects nothing. */
function isSelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchLabels ?? matchExpressions ?? undefined) !== undefined
}

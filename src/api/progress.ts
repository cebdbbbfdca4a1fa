import type { ConditionWith } from './condition-table.ts'
import { type Condition, withCondition, withoutCondition } from './condition.ts'

/** The conditions by which kstatus (Helm, Flux) and Argo CD tell how an object stands. Each is there only while it is True. */
export const RECONCILING = 'Reconciling'
export const STALLED = 'Stalled'

/** The reason why an object is not yet as its spec asks: it passes by itself, or somebody has to change something. */
export interface Progress<Reason extends string = string> {
  readonly type: typeof RECONCILING | typeof STALLED
  readonly reason: Reason
  readonly message: string
}

type Stated<Type extends string, Reason extends string> = ConditionWith<Type, Reason> & { readonly status: 'True' }

/** The two conditions: one is to be set and the other to go, or both are to go. */
export function progressConditions<Reason extends string>(
  progress: Progress<Reason> | undefined,
  observedGeneration?: number,
): {
  readonly [RECONCILING]: Stated<typeof RECONCILING, Reason> | null
  readonly [STALLED]: Stated<typeof STALLED, Reason> | null
} {
  const observed = observedGeneration === undefined ? {} : { observedGeneration }
  const of = <Type extends Progress['type']>(type: Type): Stated<Type, Reason> | null =>
    progress?.type === type ? { ...progress, type, status: 'True', ...observed } : null
  return { [RECONCILING]: of(RECONCILING), [STALLED]: of(STALLED) }
}

/** The list with what the progress says. `now`: RFC 3339, in whole seconds. */
export function withProgress(
  conditions: readonly Condition[],
  progress: Progress | undefined,
  now: string,
): readonly Condition[] {
  return Object.entries(progressConditions(progress)).reduce(
    (list, [type, condition]) =>
      condition === null ? withoutCondition(list, type) : withCondition(list, condition, now),
    conditions,
  )
}

/** Do conditions say this already, whenever they said it? */
export const saysProgress = (conditions: readonly Condition[], progress: Progress | undefined): boolean =>
  withProgress(conditions, progress, '') === conditions

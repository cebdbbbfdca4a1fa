import { type Condition, type NewCondition, withCondition, withoutCondition } from './condition.ts'

/** The conditions by which kstatus (Helm, Flux) and Argo CD tell how an object stands. Each is there only while it is True. */
export const RECONCILING = 'Reconciling'
export const STALLED = 'Stalled'

/** The reason why an object is not yet as its spec asks: it passes by itself, or somebody has to change something. */
export interface Progress {
  readonly type: typeof RECONCILING | typeof STALLED
  readonly reason: string
  readonly message: string
}

/** The two conditions: one is to be set and the other to go, or both are to go. */
export function progressConditions(
  progress: Progress | undefined,
  observedGeneration?: number,
): { readonly [RECONCILING]: NewCondition | null; readonly [STALLED]: NewCondition | null } {
  const observed = observedGeneration === undefined ? {} : { observedGeneration }
  const of = (type: Progress['type']): NewCondition | null =>
    progress?.type === type ? { ...progress, status: 'True', ...observed } : null
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

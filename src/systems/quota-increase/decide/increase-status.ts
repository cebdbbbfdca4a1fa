import type { ReasonIn } from '../../../api/condition-table.ts'
import type { INCREASE_CONDITIONS } from '../api/increase-conditions.ts'
import type { QuotaIncrease } from '../api/quota-increase.ts'
import { type Progress, RECONCILING, saysProgress, STALLED } from '../../../api/progress.ts'
import type { IncreaseProblem } from './usable-increases.ts'

/** What keeps an increase from applying. */
export type IncreaseProgress = Progress<
  ReasonIn<typeof INCREASE_CONDITIONS, 'Reconciling'> | ReasonIn<typeof INCREASE_CONDITIONS, 'Stalled'>
>

/** What the status of an increase is to say. */
export interface IncreaseStatus {
  readonly observedGeneration: number
  readonly progress: IncreaseProgress | undefined
}

/** Says of an increase that it raises nothing. */
export const UNSELECTED_TEXT =
  'the increase raises nothing: no definition of base quotas selects its namespace, which so has no quota to be raised'

/** A definition or a label of the namespace may yet come. */
export const UNSELECTED: IncreaseProgress = { type: RECONCILING, reason: 'Unselected', message: UNSELECTED_TEXT }

/** What keeps an increase from applying, if somebody has to change that. The time of one that has expired is over, and nothing is left to be done. */
export const progressUnder = (problem: IncreaseProblem | undefined): IncreaseProgress | undefined =>
  problem?.reason === 'Invalid' ? { type: STALLED, reason: problem.reason, message: problem.message } : undefined

/** What keeps an increase from applying where the namespace cannot have the quota that it raises. */
export const blockedUnder = (problem: IncreaseProblem | undefined, why: string): IncreaseProgress | undefined =>
  problem === undefined ? { type: STALLED, reason: 'QuotaBlocked', message: why } : progressUnder(problem)

/** The status that an increase is to get; nothing where it is so already, or where increases have none, as with the CRD of others. */
export function statusChange(
  { metadata: { generation }, status }: QuotaIncrease,
  progress: IncreaseProgress | undefined,
): { readonly status?: IncreaseStatus } {
  if (typeof generation !== 'number' || status === undefined) return {}
  const { observedGeneration, conditions = [] } = status
  const isSame = observedGeneration === generation && saysProgress(conditions, progress)
  return isSame ? {} : { status: { observedGeneration: generation, progress } }
}

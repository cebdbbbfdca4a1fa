import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { groupOf } from '../../../machinery/group-version.ts'
import { shellWord } from '../../../machinery/text/shell-word.ts'
import type { Outlook } from '../budget-room.ts'
import type { SourcedBudget } from '../budgets-of.ts'
import type { Priced } from '../costs.ts'
import type { Cause, Holder, Remedy } from '../explanation.ts'
import type { Facts } from '../facts.ts'
import type { PastRefusal } from '../past-refusal.ts'
import type { Surge } from '../rollout.ts'
import { workloadKind } from '../workload-kinds.ts'

/** All that remedies are made from. */
export interface Situation {
  readonly facts: Facts
  /** The workload at the top of the chain, which its owner edits. */
  readonly top: KubeObject
  /** Is it stored, and is its owner a person and not a controller that would undo each edit? */
  readonly isEdited: boolean
  readonly pods: Priced | undefined
  /** All that has to be made. */
  readonly demands: readonly Priced[]
  readonly holders: readonly Holder[]
  readonly outlooks: readonly Outlook[]
  /** The full budgets for which remedies are named. */
  readonly full: readonly Outlook[]
  /** The full budgets that the caller may not read, by the message of the API server. */
  readonly unseenFull: PastRefusal['exceeded']
  readonly budgets: readonly SourcedBudget[]
  readonly causes: readonly Cause[]
  /** Are these all causes, as far as anybody can tell? Otherwise containers may lack values, too. */
  readonly isCertain: boolean
  readonly surge: Surge | undefined
}

/** Stands in place of a remedy that is not worked out, since it would be too large: what is left out. */
export interface LeftOut {
  readonly leftOut: string
}

/** The right to change the workload at the top. */
export const rightToPatch = (top: KubeObject): Remedy['needs'] => ({
  verb: 'patch',
  group: groupOf(top.apiVersion),
  resource: workloadKind(top)?.resource ?? `${top.kind.toLowerCase()}s`,
  name: top.metadata.name ?? '',
})

export const patchCommand = (top: KubeObject, { kubectl }: Pick<Facts, 'kubectl'>, patch: JsonObject): string =>
  `${kubectl} patch ${shellWord(`${top.kind.toLowerCase()}/${top.metadata.name ?? ''}`)} --patch ${shellWord(JSON.stringify(patch))}`

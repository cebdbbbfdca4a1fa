import type { JsonObject } from '../../machinery/object.ts'

/** Names an object for people and programs. */
export interface ObjectId {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** A part of a cost: the amount that one container brings. */
export interface CostSource {
  /** The container; empty for what the object costs as a whole, such as its number. */
  readonly container: string
  readonly amount: string
  /**
   * `spec`: the template says it. `limits`: the limit of the container stands for the request that it lacks. `LimitRange`: a default of the
   * namespace. `injected`: the container is not in the template. `overhead`: the runtime class of the pod. `pod`: the resources of the pod as a whole.
   */
  readonly from: 'spec' | 'limits' | 'LimitRange' | 'injected' | 'overhead' | 'pod'
}

/** What one object costs under one name of a limit. */
export interface CostLine {
  readonly resource: string
  readonly amount: string
  readonly sources: readonly CostSource[]
  /** Injected containers that add to it by amounts that nobody knows; '' for one without a known name. Absent: there are none. */
  readonly unknown?: readonly string[]
}

/** Objects of one kind that are still to be made. */
export interface Wanted {
  readonly kind: string
  /** How many there are to be, and how many there are. */
  readonly wanted: number
  readonly existing: number
  /** The costs of each. */
  readonly costs: readonly CostLine[]
}

/** One limit of a budget. */
export interface LimitView {
  readonly resource: string
  readonly hard: string
  /** Absent: it has not been counted yet. */
  readonly used?: string
  /** What all that is missing costs; absent where that costs nothing. */
  readonly requested?: string
  /** Is it more than `requested`, by amounts that nobody knows? */
  readonly requestedIsLeast?: true
}

/** A budget of the namespace. */
export interface BudgetView {
  readonly kind: string
  readonly name: string
  /** The pool, or the definition of base quotas, that the budget comes from. */
  readonly from?: { readonly kind: string; readonly name: string }
  /** Does it, or its size, come from a manifest that nobody has applied? */
  readonly planned?: true
  /** Does it count what is to be made? */
  readonly counts: boolean
  /** How many more of the next object fit; absent where that is not limited. */
  readonly fits?: number
  readonly limits: readonly LimitView[]
}

export type CauseType = 'exceeded' | 'missing-values' | 'limit-range' | 'undecided' | 'reported' | 'rejected' | 'waits'

/** A reason for which an object cannot be made. */
export interface Cause {
  readonly type: CauseType
  /** The kind of the object that cannot be made. */
  readonly refused: string
  /** What refuses it: a budget or a LimitRange. */
  readonly by: { readonly kind: string; readonly name: string }
  /** Does that, or its size, come from a manifest that nobody has applied? */
  readonly planned?: true
  readonly text: string
  /** The containers that it is about; injected ones are marked. The name is empty where the API server does not say it. */
  readonly containers: readonly { readonly name: string; readonly injected: boolean }[]
}

/** An obstacle that will appear later, or that may exist and cannot be seen. */
export interface Warning {
  readonly type:
    | 'surge'
    | 'autoscaler'
    | 'retry'
    | 'storage-class'
    | 'exists'
    | 'paused'
    | 'missing-values'
    | 'owners'
    | 'not-ready'
    | 'clusters'
    | 'limit-range'
  readonly text: string
}

/** An owner of objects that use a limit. */
export interface Holder {
  readonly owner: ObjectId
  readonly objects: number
  readonly budget: string
  /** The kind of the budget: those of several kinds may have one name. */
  readonly budgetKind: string
  readonly resource: string
  readonly amount: string
  /** The part of containers that somebody injected. */
  readonly injected?: string
}

/** A right within the namespace. */
export interface Right {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string
}

/** The use of a limit by objects that the reader may not see. */
export interface UnseenUse {
  readonly budget: string
  readonly budgetKind: string
  readonly resource: string
  readonly amount: string
}

/** Something that solves it. */
export interface Remedy {
  /** `create`: create what pods name and does not exist. `set`: say amounts that a quota demands. `within`: ask for amounts that the LimitRanges allow. `limit-range`: create a LimitRange, or change one. `label`: label a namespace. */
  readonly type:
    | 'create'
    | 'set'
    | 'within'
    | 'label'
    | 'lower'
    | 'scale'
    | 'rollout'
    | 'raise'
    | 'claim'
    | 'increase'
    | 'limit-range'
    | 'free'
  readonly text: string
  /** A command that does it. */
  readonly command?: string
  /** A manifest to create. */
  readonly manifest?: JsonObject
  /** The right that the remedy needs. */
  readonly needs: Right
  /** The other rights, where one is not enough. */
  readonly alsoNeeds?: readonly Right[]
  readonly allowed?: boolean
}

/** Why an object, or an object that it makes, cannot be created. `allot explain -o json` prints it. */
export interface Explanation {
  readonly format: 1
  readonly object: ObjectId
  /** `clear`: no budget that was seen is in the way. `unknown`: the budgets could not be seen. */
  readonly verdict: 'blocked' | 'clear' | 'unknown'
  readonly summary: string
  /** The owners of the object, the topmost first, and the object itself. */
  readonly chain: readonly ObjectId[]
  readonly wanted: readonly Wanted[]
  readonly budgets: readonly BudgetView[]
  readonly causes: readonly Cause[]
  readonly warnings: readonly Warning[]
  readonly holders: readonly Holder[]
  /** The rest of the use; left out if all holders are seen. */
  readonly unseenHolders?: readonly UnseenUse[]
  readonly remedies: readonly Remedy[]
  /** The objects that the caller may not read. The explanation leaves them out. */
  readonly notSeen: readonly string[]
}

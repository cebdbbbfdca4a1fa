import type { NewCondition } from './condition.ts'

/** What a condition of a kind means, and what each of its reasons means, with the status that it goes with. */
export interface ConditionMeaning {
  readonly meaning: string
  readonly reasons: Readonly<Record<string, readonly [status: 'True' | 'False', meaning: string]>>
}

/** The conditions that objects of a kind may have, by type. What says them is typed by it, and the reference is made of it. */
export type ConditionTable = Readonly<Record<string, ConditionMeaning>>

export type ReasonIn<Table extends ConditionTable, Type extends keyof Table> = keyof Table[Type]['reasons'] & string

/** A condition with this type and one of these reasons. */
export type ConditionWith<Type extends string, Reason extends string> = Omit<NewCondition, 'type' | 'reason'> & {
  readonly type: Type
  readonly reason: Reason
}

/** A condition of a table, of one type or any: each reason goes with its status. */
export type ConditionIn<Table extends ConditionTable, Type extends keyof Table & string = keyof Table & string> = {
  readonly [One in Type]: {
    readonly [Reason in ReasonIn<Table, One>]: ConditionWith<One, Reason> & {
      readonly status: StatusOf<Table[One]['reasons'][Reason]>
    }
  }[ReasonIn<Table, One>]
}[Type]

type StatusOf<Reason> = Reason extends readonly [infer Status extends 'True' | 'False', string] ? Status : never

/** Is a text, as of a stored condition, a reason of the condition? */
export const hasReason = <const Meaning extends ConditionMeaning>(
  { reasons }: Meaning,
  text: string,
): text is keyof Meaning['reasons'] & string => Object.hasOwn(reasons, text)

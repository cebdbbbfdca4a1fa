import type { Rule } from './data.ts'
import type { ValueType } from './wire-type.ts'

/** A field of a message, under its JSON name. */
export interface MessageField {
  readonly name: string
  readonly rule: Rule
  readonly type: ValueType
}

/** The fields of a message by number. */
export type MessageFields = ReadonlyMap<number, MessageField>

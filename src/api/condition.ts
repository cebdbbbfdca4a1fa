import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { objectsOf, valueAt } from '../machinery/read.ts'
import { cutText, inLines } from '../machinery/text/shown.ts'
import { object } from './definition/object-schema.ts'
import { choice, integer, text } from './definition/scalar-type.ts'
import { optional, type TypeOf } from './definition/schema.ts'

const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$'

/** The most characters of a condition's message. */
export const MAX_MESSAGE = 32_768

/** One condition of a status (`metav1.Condition`). */
export const conditionSchema = object('One fact about the current state of the object.', {
  type: text('The type of the condition, in CamelCase.', { maxLength: 316, pattern: QUALIFIED_NAME }),
  status: choice('Whether it holds: True, False or Unknown.', ['True', 'False', 'Unknown'], 'Unknown'),
  reason: text('Why, as one CamelCase word for programs.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: text('Why, as a sentence for people. It may be empty.', { maxLength: MAX_MESSAGE }),
  lastTransitionTime: text('When the condition was last rewritten.', { format: 'date-time' }),
  observedGeneration: optional(
    integer('The generation of the object that the condition speaks of.', { format: 'int64', minimum: 0 }),
  ),
})

export type Condition = TypeOf<typeof conditionSchema>

/** A condition of our own, which is there, and False, while an object limits nothing of what there is. */
export const EFFECTIVE = 'Effective'

/** A condition to be set; the time comes when it is. */
export type NewCondition = Omit<Condition, 'lastTransitionTime'>

/** The first condition of the type. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** The first condition of the type in the status of an object of any kind. Its fields may have any shape. */
export const conditionIn = (object: KubeObject, type: string): JsonObject | undefined =>
  objectsOf(valueAt(object, 'status', 'conditions')).find((condition) => condition['type'] === type)

/** Do both say the same, whenever they said it? */
export function isSameCondition(a: NewCondition, b: NewCondition): boolean {
  return (
    a.type === b.type &&
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration
  )
}

/**
 * The list with the condition: in its type's place or at the end. Any difference renews the time, also where the status
 * stays (as in Capsule); without one the list that was given comes back. The message is cut where it is too long, and shows what it holds of
 * characters that nobody sees. `now`: RFC 3339, in whole seconds.
 */
export function withCondition(
  conditions: readonly Condition[],
  wanted: NewCondition,
  now: string,
): readonly Condition[] {
  const set = { ...wanted, message: cutText(inLines(wanted.message), MAX_MESSAGE) }
  const at = conditions.findIndex(({ type }) => type === set.type)
  const old = conditions[at]
  if (old !== undefined && isSameCondition(old, set)) return conditions
  const { type, status, reason, message, observedGeneration } = set
  const generation = observedGeneration === undefined ? {} : { observedGeneration }
  const condition: Condition = { type, status, reason, message, lastTransitionTime: now, ...generation }
  return old === undefined ? [...conditions, condition] : conditions.with(at, condition)
}

/** The list without any condition of the type; the one that was given where there is none. */
export function withoutCondition(conditions: readonly Condition[], type: string): readonly Condition[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions
}

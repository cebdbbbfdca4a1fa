import type { FieldError, FieldErrorCode } from '../../../machinery/field-error.ts'
import { invalid } from '../../../machinery/field-error.ts'
import { checkEmbedded } from './check-embedded.ts'
import { checkKeyedLists } from './check-keyed-lists.ts'
import { checkValue } from './check.ts'
import { Correlation } from './correlation.ts'
import { Findings, NOWHERE } from './findings.ts'
import { type RuleEvaluator, evaluateRules } from './rules.ts'
import type { StructuralSchema } from './structural-schema.ts'

export interface ValidateOptions {
  /** Evaluates `x-kubernetes-validations`; without it they are not looked at. */
  readonly evaluate?: RuleEvaluator
  /** Further errors of the object, which are reported after those of its values. */
  readonly besides?: readonly FieldError[]
}

/** After one of these a rule might meet what its types exclude, so upstream evaluates none. */
const BLOCKING: ReadonlySet<FieldErrorCode> = new Set<FieldErrorCode>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
])
const RULES_SKIPPED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/**
 * Returns the errors in a new custom resource after pruning and defaulting, in the words and the order of the real API
 * server. Values come first, then embedded resources, lists of type set and map, and rules. Metadata is validated
 * elsewhere. Errors whose place upstream forgets have the path `<nil>`.
 */
export function validate(
  schema: StructuralSchema,
  object: unknown,
  { evaluate, besides = [] }: ValidateOptions = {},
): readonly FieldError[] {
  const errors = [
    ...validateValue(schema, object),
    ...besides,
    ...checkEmbedded(schema, object),
    ...checkKeyedLists(schema, object),
  ]
  return withRules(schema, object, undefined, errors, evaluate)
}

/**
 * As `validate`, for an update of `old`: what was wrong before and did not change is not an error. Items of lists of type
 * map are compared
 * with those that had the same keys; other lists only as a whole.
 */
export function validateUpdate(
  schema: StructuralSchema,
  object: unknown,
  old: unknown,
  { evaluate, besides = [] }: ValidateOptions = {},
): readonly FieldError[] {
  const values = validateValue(schema, object)
  const listErrors = checkKeyedLists(schema, object)
  const errors = [
    ...(values.length === 0 ? values : ratcheted(schema, object, old)),
    ...besides,
    ...checkEmbedded(schema, object),
    ...(listErrors.length === 0 || checkKeyedLists(schema, old).length > 0 ? [] : listErrors),
  ]
  return withRules(schema, object, old, errors, evaluate)
}

/** The errors in a value by its schema alone: no lists of type set or map, no rules. `path` stands before each error's. */
export function validateValue(schema: StructuralSchema, value: unknown, path = ''): readonly FieldError[] {
  const found = new Findings(path)
  checkValue(schema, value, '', found, undefined)
  return found.distinct()
}

function ratcheted(schema: StructuralSchema, object: unknown, old: unknown): readonly FieldError[] {
  const correlation = new Correlation(schema, object, old, true)
  const found = new Findings('')
  checkValue(schema, object, '', found, correlation)
  const isRight = found.isEmpty && !found.matching.hasSkippedChecks
  return isRight || correlation.isUnchanged() ? [] : found.distinct()
}

function withRules(
  schema: StructuralSchema,
  object: unknown,
  old: unknown,
  errors: readonly FieldError[],
  evaluate: RuleEvaluator | undefined,
): readonly FieldError[] {
  if (evaluate === undefined || !schema.holds.rules) return errors
  if (errors.some(({ code }) => BLOCKING.has(code))) return [...errors, invalid(NOWHERE, null, RULES_SKIPPED)]
  return [...errors, ...evaluateRules(schema, object, old, evaluate)]
}

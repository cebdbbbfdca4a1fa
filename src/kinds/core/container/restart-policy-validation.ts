import { append, type FieldError, notSupported, required, tooMany } from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { absent, listOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'

const POLICIES = ['Always', 'Never', 'OnFailure']
const ACTIONS = ['Restart', 'RestartAllContainers']
const OPERATORS = ['In', 'NotIn']
const MOST_RULES = 20
const MOST_EXIT_CODES = 255

/** One of those listed, which saying nothing is not. */
const oneOf = (value: unknown, allowed: readonly string[], path: string): readonly FieldError[] =>
  allowed.includes(textOf(value)) ? [] : [notSupported(path, textOf(value), allowed)]

/** When a container of its own accord starts again, which it may say for itself (core `validateContainerRestartPolicy`). */
export function validateRestartPolicy(container: JsonObject, path: string): readonly FieldError[] {
  const rules = objectsOf(container.restartPolicyRules)
  const errors: FieldError[] = []
  if (!absent(container.restartPolicy))
    append(errors, oneOf(container.restartPolicy, POLICIES, `${path}.restartPolicy`))
  else if (rules.length > 0)
    errors.push(required(`${path}.restartPolicy`, 'must specify restartPolicy when restart rules are used'))
  if (rules.length > MOST_RULES) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, MOST_RULES))
  rules.forEach((rule, index) => append(errors, validateRule(rule, `${path}.restartPolicyRules[${index}]`)))
  return errors
}

function validateRule(rule: JsonObject, path: string): readonly FieldError[] {
  const errors = [...oneOf(rule.action, ACTIONS, `${path}.action`)]
  const at = `${path}.exitCodes`
  if (absent(rule.exitCodes)) return [...errors, required(at, 'must be specified')]
  const codes = objectOf(rule.exitCodes)
  append(errors, oneOf(codes.operator, OPERATORS, `${at}.operator`))
  const count = listOf(codes.values).length
  return count > MOST_EXIT_CODES ? [...errors, tooMany(`${at}.values`, count, MOST_EXIT_CODES)] : errors
}

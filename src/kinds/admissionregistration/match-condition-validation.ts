import { append, duplicate, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts'
import { admissionRequestShape, compileMatchCondition } from '../../cel/match-condition.ts'
import { CelCompileError } from '../../cel/types/error.ts'
import type { Run } from '../../cel/types/run-budget.ts'
import { isQualifiedName } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { textOf } from '../../machinery/read.ts'

const MOST_CONDITIONS = 64
const REQUEST = admissionRequestShape()

/**
 * The errors in the conditions under which a webhook is asked (admissionregistration `validateMatchConditions`).
 * `work` bounds what it is to compile them, with those of the other webhooks of a configuration.
 */
export function validateMatchConditions(
  conditions: readonly JsonObject[],
  path: string,
  work: Run,
): readonly FieldError[] {
  const errors: FieldError[] =
    conditions.length > MOST_CONDITIONS ? [tooMany(path, conditions.length, MOST_CONDITIONS)] : []
  const names = new Set<string>()
  for (const [index, condition] of conditions.entries()) {
    const at = `${path}[${index}]`
    const name = textOf(condition.name)
    append(errors, validateExpression(textOf(condition.expression).trim(), `${at}.expression`, work))
    if (name === '') errors.push(required(`${at}.name`))
    else for (const problem of isQualifiedName(name)) errors.push(invalid(`${at}.name`, name, problem))
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name))
    names.add(name)
  }
  return errors
}

function validateExpression(expression: string, path: string, work: Run): readonly FieldError[] {
  if (expression === '') return [required(path)]
  try {
    compileMatchCondition(expression, REQUEST, { work })
    return []
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    return [invalid(path, expression, error.message)]
  }
}

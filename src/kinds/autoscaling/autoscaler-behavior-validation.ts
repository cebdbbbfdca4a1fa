import { append, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { amountOf } from '../rule/quantity-field.ts'
import { absent, countOf, numberOf, objectOf, objectsOf, textOf } from '../../machinery/read.ts'

const SELECT_POLICIES = ['Max', 'Min', 'Disabled']
const POLICY_TYPES = ['Pods', 'Percent']
const LONGEST_WINDOW = 3600
const LONGEST_PERIOD = 1800

/** How fast an autoscaler may go up and down (autoscaling `validateBehavior`). */
export const validateBehavior = (behavior: unknown, path: string): readonly FieldError[] =>
  ['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = objectOf(behavior)[direction]
    return absent(rules) ? [] : validateRules(objectOf(rules), `${path}.${direction}`)
  })

function validateRules(rules: JsonObject, path: string): readonly FieldError[] {
  const window = numberOf(rules.stabilizationWindowSeconds)
  const at = `${path}.stabilizationWindowSeconds`
  const policies = objectsOf(rules.policies)
  const tolerance = amountOf(rules.tolerance)
  const errors: FieldError[] = []
  if (window !== undefined && window < 0) errors.push(invalid(at, window, 'must be greater than or equal to zero'))
  if (window !== undefined && window > LONGEST_WINDOW)
    errors.push(invalid(at, window, `must be less than or equal to ${LONGEST_WINDOW}`))
  if (!absent(rules.selectPolicy) && !SELECT_POLICIES.includes(textOf(rules.selectPolicy)))
    errors.push(notSupported(`${path}.selectPolicy`, rules.selectPolicy, SELECT_POLICIES))
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'))
  policies.forEach((policy, index) => append(errors, validatePolicy(policy, `${path}.policies[${index}]`)))
  if (tolerance !== undefined && tolerance.sign() < 0)
    errors.push(invalid(`${path}.tolerance`, tolerance.toString(), 'must be greater than or equal to 0'))
  return errors
}

function validatePolicy(policy: JsonObject, path: string): readonly FieldError[] {
  const type = textOf(policy.type)
  const errors = POLICY_TYPES.includes(type) ? [] : [notSupported(`${path}.type`, type, POLICY_TYPES)]
  for (const field of ['value', 'periodSeconds']) {
    const count = countOf(policy[field])
    if (count <= 0) errors.push(invalid(`${path}.${field}`, count, 'must be greater than zero'))
  }
  const period = countOf(policy.periodSeconds)
  if (period > LONGEST_PERIOD)
    errors.push(invalid(`${path}.periodSeconds`, period, `must be less than or equal to ${LONGEST_PERIOD}`))
  return errors
}

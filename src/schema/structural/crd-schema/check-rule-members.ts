import type { JSONSchemaProps, ValidationRule } from '../../../builtin/apiextensions-v1.ts'
import { absent, textOf } from '../../../machinery/read.ts'
import { type FieldError, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { resolveFieldPath } from './field-path.ts'
import { validationsOf } from './document.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

/**
 * The errors in `x-kubernetes-validations` apart from the expressions themselves, which the evaluator compiles.
 */
export function checkRuleMembers(schema: JSONSchemaProps, path: string, errors: FieldError[]): void {
  validationsOf(schema).forEach((rule, index) => {
    checkRule(schema, rule, `${path}.x-kubernetes-validations[${index}]`, errors)
  })
}

function checkRule(schema: JSONSchemaProps, rule: ValidationRule, path: string, errors: FieldError[]): void {
  const [text, message, expression] = [textOf(rule.rule), textOf(rule.message), textOf(rule.messageExpression)]
  if (text.trim() === '') errors.push(required(`${path}.rule`, 'rule is not specified'))
  else if (message !== '' && message.trim() === '') {
    errors.push(invalid(`${path}.message`, message, 'message must be non-empty if specified'))
  } else if (hasLineBreak(message.trim())) {
    errors.push(invalid(`${path}.message`, message, 'message must not contain line breaks'))
  } else if (hasLineBreak(text.trim()) && message.trim() === '') {
    errors.push(required(`${path}.message`, 'message must be specified if rule contains line breaks'))
  }
  if (expression !== '' && expression.trim() === '') {
    errors.push(required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'))
  }
  if (!absent(rule.reason) && !REASONS.includes(textOf(rule.reason))) {
    errors.push(notSupported(`${path}.reason`, rule.reason, REASONS))
  }
  const fieldPath = textOf(rule.fieldPath)
  if (fieldPath === '') return
  if (fieldPath.trim() === '') {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'fieldPath must be non-empty if specified'))
  }
  if (hasLineBreak(fieldPath)) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'fieldPath must not contain line breaks'))
  }
  if ('problem' in resolveFieldPath(schema, fieldPath)) {
    errors.push(invalid(`${path}.fieldPath`, fieldPath, 'fieldPath must be a valid path'))
  }
}

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text)

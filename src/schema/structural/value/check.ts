import { type FieldError, invalid, required, typeInvalid } from '../../../machinery/field-error.ts'
import { isRawNumber, rawNumber, withUntypedNumbers } from '../../../machinery/json-value.ts'
import { floatText } from '../../../machinery/jsonpath/go-text.ts'
import { type JsonObject, isObject } from '../../../machinery/object.ts'
import { checkLogic } from './check-logic.ts'
import type { Correlation } from './correlation.ts'
import type { Enumeration } from './enumeration.ts'
import type { Findings } from './findings.ts'
import { checkNumber, exactValue, isInteger, isWhole } from './numbers.ts'
import { TOO_MUCH_TEXT } from './pattern.ts'
import type { ValueCheck } from './structural-schema.ts'

type Kind = 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object'

/**
 * Checks a value as kube-openapi's validator does, in its order and its words. Gives the number of checks that passed: of
 * the failed branches of `anyOf` and `oneOf`, upstream reports the one with the most. With a correlation the errors of
 * values that an update left as they were are dropped.
 */
export function checkValue(
  check: ValueCheck,
  value: unknown,
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
): number {
  if (value === null || value === undefined) return checkNull(check, name, found)
  const kind = kindOf(value)
  let passed = 3
  if (check.types.length > 0 || check.format !== '') passed += checkType(check, value, kind, name, found) ? 2 : 1
  if (check.logic?.isIntOrString === true && (kind === 'integer' || kind === 'string')) {
    passed += kind === 'string' ? PASSED_STRING : PASSED_INTEGER
  } else if (check.logic !== undefined) passed += checkLogic(check.logic, value, name, found, correlation, checkValue)
  if (kind === 'string') {
    if (typeof value === 'string') passed += checkText(check, value, name, found)
  } else if (kind === 'integer' || kind === 'number') {
    passed += 2
    if (check.numbers !== undefined) checkNumber(check.numbers, value, name, found)
  } else if (Array.isArray(value)) {
    passed += checkItems(check, value, name, found, correlation)
  }
  if (check.enum?.allows(value) === false) found.add(name, unsupported(value, check.enum))
  if (kind === 'object' && isObject(value)) passed += checkMembers(check, value, name, found, correlation)
  return passed + 1
}

/** The results of `checkValue` for a value of which only the type is checked, and is right. */
const PASSED_STRING = 7
const PASSED_BOOLEAN = 6
const PASSED_INTEGER = 8

/** A child's errors are dropped when the child is as it was before. */
function checkChild(
  check: ValueCheck,
  value: unknown,
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
): number {
  if (correlation === undefined) return checkValue(check, value, name, found, undefined)
  const own = found.fresh()
  const passed = checkValue(check, value, name, own, correlation)
  if (!own.isEmpty && !correlation.isUnchanged()) found.addAll(own)
  return passed
}

function checkNull(check: ValueCheck, name: string, found: Findings): number {
  const isWrong = check.types.length > 0 && !check.nullable
  if (isWrong) found.add(name, wrongType(name, check.types.join(','), 'null'))
  // Upstream's enum never holds null, not even when it lists it.
  if (check.enum !== undefined) found.add(name, unsupported(null, check.enum))
  return isWrong ? 0 : 1
}

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (Array.isArray(value)) return 'array'
  if (typeof value !== 'number' && !isRawNumber(value)) return 'object'
  return isInteger(value) ? 'integer' : 'number'
}

function checkType(check: ValueCheck, value: unknown, kind: Kind, name: string, found: Findings): boolean {
  const { types, format } = check
  if (format === '' && types[0] === kind) return true
  const asType =
    types.includes(kind) ||
    (kind === 'integer' && types.includes('number')) ||
    (kind === 'number' && types.includes('integer') && isWhole(Number(exactValue(value))))
  if (format !== '') {
    if (kind === 'string' || kind === 'array') {
      // Go's validator takes a list for bytes where the schema has a format.
      if (!types.includes('number') && !types.includes('integer')) return true
    } else if (!asType) {
      const shown = kind === 'integer' ? 'int64' : kind === 'number' ? 'float64' : ''
      found.add(name, wrongType(name, format, shown))
      return false
    }
  }
  if (asType) return true
  found.add(name, wrongType(name, types.join(','), kind))
  return false
}

/** The characters of so long a text cost as much as a value to be counted or held against a format: 64. */
const TEXT_SHIFT = 6

/** Of a text's limits upstream reports the first that is broken; the format it checks in any case. */
function checkText(check: ValueCheck, text: string, name: string, found: Findings): number {
  const { maxLength, minLength, pattern, matchesFormat } = check
  if (!found.matching.affordsChecks(text.length >>> TEXT_SHIFT)) return 1
  if (maxLength !== undefined && text.length > maxLength && codePoints(text) > maxLength) {
    found.add(name, limit('FieldValueTooLong', undefined, 'may not be more than', maxLength, 'byte'))
  } else if (minLength !== undefined && (text.length < minLength || codePoints(text) < minLength)) {
    found.add(name, invalid('', text, `${name} in body should be at least ${minLength} chars long`))
  } else if (pattern !== undefined && !found.matching.affords(pattern, text)) {
    found.add(name, invalid('', '', TOO_MUCH_TEXT))
  } else if (pattern !== undefined && !pattern.test(text)) {
    found.add(name, invalid('', text, `${name} in body should match '${pattern.source}'`))
  }
  if (matchesFormat === undefined) return 1
  if (!matchesFormat(text)) found.add(name, wrongType(name, check.format, text))
  return 2
}

function checkItems(
  check: ValueCheck,
  list: readonly unknown[],
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
): number {
  const { items, minItems, maxItems } = check
  let passed = 2
  if (items !== undefined && found.matching.affordsChecks(list.length)) {
    for (let at = 0; at < list.length; at++) {
      if (items.onlyType === 'string' && typeof list[at] === 'string') passed += PASSED_STRING
      else passed += checkChild(items, list[at], `${name}[${at}]`, found, correlation?.item(at))
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    found.add(name, invalid('', list.length, `${name} in body should have at least ${minItems} items`))
  }
  if (maxItems !== undefined && list.length > maxItems) {
    found.add(name, limit('FieldValueTooMany', list.length, 'must have at most', maxItems, 'item'))
  }
  return passed
}

function checkMembers(
  check: ValueCheck,
  object: JsonObject,
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
): number {
  const { properties, additionalProperties, minProperties, maxProperties } = check
  const keys = Object.keys(object)
  let passed = 1
  if (minProperties !== undefined && keys.length < minProperties) {
    found.add(name, invalid('', keys.length, `${name} in body should have at least ${minProperties} properties`))
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    found.add(name, limit('FieldValueTooMany', keys.length, 'must have at most', maxProperties, 'item'))
  }
  if (!found.matching.affordsChecks(keys.length)) return passed
  for (const key of keys) {
    const child = properties.get(key) ?? additionalProperties
    if (child === undefined || child === true) continue
    if (child === false) {
      found.add(name, invalid('', key, `${name}.${key} in body is a forbidden property`))
      continue
    }
    const member = object[key]
    if (child.onlyType !== '' && typeof member === child.onlyType) {
      passed += child.onlyType === 'string' ? PASSED_STRING : PASSED_BOOLEAN
      continue
    }
    const path = name === '' && properties.has(key) ? key : `${name}.${key}`
    passed += checkChild(child, member, path, found, correlation?.field(key))
  }
  for (const key of check.required) {
    if (Object.hasOwn(object, key)) continue
    if (!found.matching.affordsChecks(1)) break
    found.add(`${name}.${key}`, required(''))
  }
  return passed
}

function wrongType(name: string, expected: string, shown: string): FieldError {
  return typeInvalid('', shown, `${name} in body must be of type ${expected}: ${JSON.stringify(shown)}`)
}

function unsupported(value: unknown, { detail }: Enumeration): FieldError {
  const plain = withUntypedNumbers(value)
  const shown = typeof plain === 'number' && !isInteger(value) ? rawNumber(floatText(plain)) : plain
  return { code: 'FieldValueNotSupported', path: '', value: shown, detail }
}

function limit(
  code: 'FieldValueTooLong' | 'FieldValueTooMany',
  value: number | undefined,
  phrase: string,
  max: number,
  unit: string,
): FieldError {
  const detail = `${phrase} ${max} ${unit}${max === 1 ? '' : 's'}`
  return value === undefined ? { code, path: '', detail } : { code, path: '', value, detail }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

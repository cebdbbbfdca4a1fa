import { append, duplicate, type FieldError, invalid, required, tooMany } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { compileStructural } from '../../schema/structural/compile.ts'
import { resolveFieldPath } from '../../schema/structural/crd-schema/field-path.ts'
import { defaultEvaluator, ruleErrors } from './custom-rules.ts'
import { absent, objectOf, objectsOf, textOf } from '../../machinery/read.ts'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const SELECTABLE_TYPES = ['string', 'boolean', 'integer']
const MOST_SELECTABLE = 8
const LONGEST_WARNING = 256

/** The schema of a version, or of all of them, at `path` (which ends in `schema` or `validation`). */
export function validateSchema(schema: unknown, hasStatus: boolean, path: string): readonly FieldError[] {
  const root = objectOf(schema).openAPIV3Schema
  if (absent(root)) return []
  const at = `${path}.openAPIV3Schema`
  const compiled = compileStructural(objectOf(root), { path: at, hasStatus, evaluate: defaultEvaluator() })
  return compiled.ok ? ruleErrors(compiled.schema, at) : compiled.errors
}

/** `deprecationWarning` of a version. */
export function validateDeprecation(version: JsonObject, path: string): readonly FieldError[] {
  const text = version.deprecationWarning
  if (typeof text !== 'string') return []
  const error = (detail: string): FieldError => invalid(`${path}.deprecationWarning`, text, detail)
  if (version.deprecated !== true) return [error('can only be set for deprecated versions')]
  const bytes = new TextEncoder()
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text)
  return [
    ...(bytes.encode(text).length > LONGEST_WARNING ? [error(`must be <= ${LONGEST_WARNING} characters long`)] : []),
    ...(text === '' ? [error('must not be an empty string')] : []),
    ...(odd === null
      ? []
      : [
          error(
            `must only contain printable UTF-8 characters; non-printable character found at index ${bytes.encode(text.slice(0, odd.index)).length}`,
          ),
        ]),
  ]
}

/** `subresources` of a version, or of all of them: the paths of the scale. */
export function validateSubresources(subresources: unknown, path: string): readonly FieldError[] {
  const { scale } = objectOf(subresources)
  if (absent(scale)) return []
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = objectOf(scale)
  const selector = textOf(labelSelectorPath)
  return [
    ...validateScalePath(textOf(specReplicasPath), ['.spec'], `${path}.scale.specReplicasPath`),
    ...validateScalePath(textOf(statusReplicasPath), ['.status'], `${path}.scale.statusReplicasPath`),
    ...(selector === '' ? [] : validateScalePath(selector, ['.spec', '.status'], `${path}.scale.labelSelectorPath`)),
  ]
}

function validateScalePath(text: string, roots: readonly string[], path: string): readonly FieldError[] {
  if (text === '') return [required(path)]
  const errors = validateSimplePath(text, path)
  if (errors.length > 0 || roots.some((root) => text.startsWith(`${root}.`))) return errors
  return [invalid(path, text, `should be a json path under ${roots.length > 1 ? 'either ' : ''}${roots.join(' or ')}`)]
}

const validateSimplePath = (text: string, path: string): readonly FieldError[] =>
  text.startsWith('.') ? [] : [invalid(path, text, 'must be a simple json path starting with .')]

/** `additionalPrinterColumns` of a version, or of all of them. */
export function validateColumns(columns: unknown, path: string): readonly FieldError[] {
  return objectsOf(columns).flatMap((column, index) => validateColumn(column, `${path}[${index}]`))
}

function validateColumn(column: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const [type, format, jsonPath] = [textOf(column.type), textOf(column.format), textOf(column.jsonPath)]
  const types = `must be one of ${COLUMN_TYPES.join(',')}`
  if (textOf(column.name) === '') errors.push(required(`${path}.name`))
  if (type === '') errors.push(required(`${path}.type`, types))
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, types))
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.push(invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`))
  // The member is called jsonPath, but complaints have always called it otherwise.
  if (jsonPath === '') errors.push(required(`${path}.JSONPath`))
  else append(errors, validateSimplePath(jsonPath, `${path}.JSONPath`))
  return errors
}

/** `selectableFields` of a version, or of all of them, by the schema that goes with them. */
export function validateSelectable(fields: unknown, schema: unknown, path: string): readonly FieldError[] {
  const list = objectsOf(fields)
  if (list.length === 0) return []
  const root = objectOf(schema).openAPIV3Schema
  if (absent(root)) {
    const detail = 'selectableFields may only be set when version.schema.openAPIV3Schema is not included'
    return [invalid(path, '', detail)]
  }
  const errors: FieldError[] = []
  const seen = new Set<string>()
  list.forEach((field, index) => {
    const at = `${path}[${index}].jsonPath`
    const text = textOf(field.jsonPath)
    if (text === '') return errors.push(required(at))
    const found = resolveFieldPath(objectOf(root), text, { brackets: false })
    if ('problem' in found) return errors.push(invalid(at, text, `is an invalid path: ${found.problem}`))
    if (found.root === 'metadata') errors.push(invalid(at, text, 'must not point to fields in metadata'))
    if (!SELECTABLE_TYPES.includes(textOf(found.schema.type))) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.'
      errors.push(invalid(at, text, detail))
    }
    if (seen.has(found.path)) errors.push(duplicate(at, text))
    return seen.add(found.path)
  })
  if (seen.size > MOST_SELECTABLE) errors.push(tooMany(path, seen.size, MOST_SELECTABLE))
  return errors
}

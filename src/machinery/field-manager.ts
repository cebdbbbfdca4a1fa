import { invalid, tooLong } from './field-error.ts'
import type { FieldError } from './field-error.ts'
import type { JsonObject } from './object.ts'
import { utf8Length } from './names.ts'
import { textOf } from './read.ts'

const MANAGER_LIMIT = 128
const SUBRESOURCE_LIMIT = 256

/** The errors in the name of a field manager at `path`: at most 128 bytes, all printable (`ValidateFieldManager`). */
export function validateFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (utf8Length(manager) > MANAGER_LIMIT) errors.push(tooLong(path, MANAGER_LIMIT))
  if (/^[ -~]*$/.test(manager)) return errors
  let offset = 0
  for (const character of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      errors.push(invalid(path, manager, `invalid character ${codePoint(character)} (at position ${offset})`))
    }
    offset += utf8Length(character)
  }
  return errors
}

/** The errors in `metadata.managedFields` at `path` (apimachinery `ValidateManagedFields`). */
export function validateManagedFields(entries: readonly JsonObject[] | undefined, path: string): FieldError[] {
  return (entries ?? []).flatMap((entry, index) => validateEntry(entry, `${path}[${index}]`))
}

function validateEntry(entry: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  const operation = textOf(entry.operation)
  if (operation !== 'Apply' && operation !== 'Update') {
    errors.push(invalid(`${path}.operation`, operation, 'must be `Apply` or `Update`'))
  }
  const fieldsType = textOf(entry.fieldsType)
  if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
    errors.push(invalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
  }
  errors.push(...validateFieldManager(textOf(entry.manager), `${path}.manager`))
  if (utf8Length(textOf(entry.subresource)) > SUBRESOURCE_LIMIT) {
    errors.push(tooLong(`${path}.subresource`, SUBRESOURCE_LIMIT))
  }
  return errors
}

/** The code point as Go writes it with `%#U`, of a character that cannot be printed. */
function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

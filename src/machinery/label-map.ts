import { areEnough, invalid, tooLong } from './field-error.ts'
import type { FieldError } from './field-error.ts'
import { isQualifiedName, isValidLabelKey, isValidLabelValue, utf8Length } from './names.ts'

/** Keys and values of all annotations together, in bytes: 256 KiB. */
export const ANNOTATIONS_LIMIT = 256 * 1024

type TextMap = Readonly<Record<string, string>>

/** The errors in a map of labels at `path` (apimachinery `ValidateLabels`): every error stands at the map itself. */
export function validateLabels(labels: TextMap | null | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  for (const [key, value] of Object.entries(labels ?? {})) {
    if (areEnough(errors)) break
    for (const text of isValidLabelKey(key)) errors.push(invalid(path, key, text))
    for (const text of isValidLabelValue(value)) errors.push(invalid(path, value, text))
  }
  return errors
}

/**
 * The errors in a map of annotations at `path` (apimachinery `ValidateAnnotations`): keys are qualified names but for
 * the case of their prefix, values are free, all together are at most {@link ANNOTATIONS_LIMIT} bytes.
 */
export function validateAnnotations(annotations: TextMap | null | undefined, path: string): FieldError[] {
  const errors: FieldError[] = []
  let units = 0
  for (const [key, value] of Object.entries(annotations ?? {})) {
    units += key.length + value.length
    if (areEnough(errors)) continue
    for (const text of isQualifiedName(key.toLowerCase())) errors.push(invalid(path, key, text))
  }
  if (isOver(annotations, units)) errors.push(tooLong(path, ANNOTATIONS_LIMIT))
  return errors
}

/** A unit of UTF-16 takes one to three bytes in UTF-8: only between these bounds is it worth counting. */
function isOver(annotations: TextMap | null | undefined, units: number): boolean {
  if (units * 3 <= ANNOTATIONS_LIMIT) return false
  if (units > ANNOTATIONS_LIMIT) return true
  let bytes = 0
  for (const [key, value] of Object.entries(annotations ?? {})) bytes += utf8Length(key) + utf8Length(value)
  return bytes > ANNOTATIONS_LIMIT
}

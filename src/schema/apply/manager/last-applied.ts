import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { goJson } from '../../../machinery/jsonpath/go-json.ts'
import { utf8Length } from '../../../machinery/names.ts'
import { compareShaped } from '../field/compare-objects.ts'
import { difference, EMPTY, type FieldSet, union } from '../field/field-set.ts'
import { fieldSetOf } from '../field/field-set-of.ts'
import { UntypedValueError } from '../field/list-item.ts'
import type { MergeShape } from '../field/merge-shape.ts'
import { typeErrors } from '../field/validate-typed.ts'

/** The only manager whose applies take over from, and keep up, the annotation of client-side apply. */
export const KUBECTL = 'kubectl'
const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
const MAX_ANNOTATIONS = 256 * 1024

/**
 * Returns the fields that the last client-side apply set and nobody has changed since. They cause no conflicts, because the same user
 * now applies on the server (apimachinery's `lastAppliedManager`).
 */
export function unchangedSinceClientSideApply(shape: MergeShape, live: JsonObject, apiVersion: string): FieldSet {
  const text = annotationsOf(live)[ANNOTATION]
  if (typeof text !== 'string' || text === '') return EMPTY
  try {
    const last: unknown = JSON.parse(text)
    if (!isObject(last) || last['apiVersion'] !== apiVersion) return EMPTY
    if (typeErrors(shape, last).length > 0 || typeErrors(shape, live).length > 0) return EMPTY
    const { added, modified, removed } = compareShaped(shape, last, live)
    return difference(fieldSetOf(shape, last), union(union(added, modified), removed))
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UntypedValueError) return EMPTY
    throw error
  }
}

/** The object with its annotation of client-side apply brought up to what has been applied, where it has one. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object)
  const old = annotations[ANNOTATION]
  if (typeof old !== 'string' || old === '') return object
  const text = `${goJson(withoutAnnotation(applied))}\n`
  const updated: Record<string, unknown> = { ...annotations, [ANNOTATION]: text }
  const size = Object.entries(updated).reduce((sum, [key, value]) => sum + utf8Length(key + String(value)), 0)
  return withAnnotations(object, size > MAX_ANNOTATIONS ? without(annotations, ANNOTATION) : updated)
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied)
  return ANNOTATION in annotations ? withAnnotations(applied, without(annotations, ANNOTATION)) : applied
}

function annotationsOf(object: JsonObject): JsonObject {
  const { metadata } = object
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined
  return isObject(annotations) ? annotations : {}
}

const withAnnotations = (object: JsonObject, annotations: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(isObject(object['metadata']) ? object['metadata'] : {}), annotations },
})

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

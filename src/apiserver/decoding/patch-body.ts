import { invalid as invalidField } from '../../machinery/field-error.ts'
import { duplicateFields, JsonTextError, parseJson } from '../../machinery/json-text.ts'
import { BeyondFloatError, isTree, refuseBeyondFloat } from '../../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { jsonPatch } from '../../schema/patch/json-patch.ts'
import { mergePatch } from '../../schema/patch/merge.ts'
import { printed } from '../../schema/patch/error.ts'
import { strategicMerge } from '../../schema/patch/strategic-merge.ts'
import { conversionError, DecodeError } from '../../schema/type/decode-error.ts'
import { refuseLongPatch } from './patch-length.ts'
import { badRequest, failure, invalid, unsupportedMediaType } from '../../machinery/status.ts'
import { objectOf } from '../../machinery/read.ts'
import type { TimeSlice } from '../../runtime/tasks/time-slice.ts'
import { ordered, withMetadata } from '../resource/metadata.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import { bodyKind, kindProblem } from './body-kind.ts'
import { decodedObject, type FieldValidation, type ReadObject, type ReadValue } from './read-object.ts'
import { UnreadableBody } from './unreadable-body.ts'

export const APPLY = 'application/apply-patch+yaml'
const STRATEGIC = 'application/strategic-merge-patch+json'

/** One of the classic forms of a patch. */
export interface PatchForm {
  readonly apply: (original: KubeObject, patch: unknown, resource: Resource) => unknown
  /** How a message shows a result that is not an object of the kind: usually as the text that the patch makes. */
  readonly shown: (patched: unknown, patch: unknown) => string
  /** Is the result never written as text and read again, so that it keeps its kind whatever the patch says? */
  readonly converts?: boolean
}

const FORMS: Readonly<Record<string, PatchForm>> = {
  'application/json-patch+json': {
    apply: jsonPatch,
    shown: (patched, patch) => JSON.stringify(sortedAt(patched, visited(patch))),
  },
  'application/merge-patch+json': {
    apply: mergePatch,
    shown: (patched, patch) => JSON.stringify(sortedAt(patched, patch)),
  },
  [STRATEGIC]: {
    apply: (original, patch, { type }) => {
      if (type === undefined) throw unsupportedMediaType(patchTypes(true))
      return strategicMerge(type, original, patch)
    },
    shown: (_patched, patch) => printed(patch),
    converts: true,
  },
}

const patchTypes = (custom: boolean): readonly string[] => [
  ...Object.keys(FORMS).filter((name) => !(custom && name === STRATEGIC)),
  APPLY,
]

/** The form that a content type names. Throws 415. */
export function patchForm(type: string, resource: Resource): PatchForm {
  const custom = resource.type === undefined
  const form = Object.hasOwn(FORMS, type) && !(custom && type === STRATEGIC) ? FORMS[type] : undefined
  if (form !== undefined) return form
  // Before a built-in kind is asked, upstream's router refuses what no patch may be.
  if (!custom) throw failure(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})
  throw unsupportedMediaType(patchTypes(custom))
}

/** The body of a patch of an object of a kind. A long one is read in turns, where `slice` says so. Rejects with 400, and 413 for too many values. */
export async function readPatch(
  form: PatchForm,
  text: string,
  validation: FieldValidation,
  kind: string,
  slice: TimeSlice | undefined,
): Promise<ReadValue> {
  try {
    const value = parseJson(text)
    if (slice !== undefined) await slice.next()
    refuseLongPatch(value, kind, text.length)
    // Upstream reads the patch itself to find duplicates, and a strategic one to merge it; else only what the patch makes.
    if (form.converts === true || validation !== 'Ignore') refuseBeyondFloat(value)
    return { value, duplicates: validation === 'Ignore' ? [] : duplicateFields(text, value) }
  } catch (error) {
    if (!(error instanceof JsonTextError || error instanceof BeyondFloatError)) throw error
    throw badRequest(form.converts === true ? error.message : `error decoding patch: ${error.message}`)
  }
}

/** The object that a patch makes of `current`. Throws 422 where the result is not an object of the kind. */
export function patchedObject(
  registry: Registry,
  resource: Resource,
  form: PatchForm,
  current: KubeObject,
  { value: patch, duplicates }: ReadValue,
  validation: FieldValidation,
): ReadObject {
  const patched = form.apply(current, patch, resource)
  try {
    if (form.converts === true)
      return decodedObject(resource, { ...objectOf(patched), ...kindAndVersion(resource) }, duplicates, validation, {
        converts: true,
      })
    const problem = resource.served.custom === true ? undefined : kindProblem(registry, resource, bodyKind(patched))
    if (problem !== undefined) throw new DecodeError(problem, '')
    if (!isObject(patched)) throw badRequest('the result of the patch must be an object')
    return decodedObject(resource, patched, duplicates, validation)
  } catch (error) {
    if (!(error instanceof UnreadableBody || error instanceof DecodeError)) throw error
    const detail = form.converts === true && error instanceof DecodeError ? conversionError(error) : error.message
    const shown = form.shown(form.apply(withMetadata(current, ordered(current.metadata)), patch, resource), patch)
    throw invalid({ group: '', kind: '' }, '', [invalidField('patch', shown, detail)])
  }
}

const kindAndVersion = ({ served: { kind }, apiVersion }: Resource): JsonObject => ({ kind, apiVersion })

/** With the members of those objects in order which the patch has opened; the others stay as they were stored. */
function sortedAt(value: unknown, patch: unknown): unknown {
  if (!isTree(value) || !isTree(patch)) return value
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, sortedAt(value[name], patch[name])]))
}

/** The places that a JSON patch visits, as a tree. */
function visited(patch: unknown): unknown {
  const tree: Record<string, unknown> = {}
  for (const operation of Array.isArray(patch) ? (patch as readonly unknown[]) : []) {
    const path = isTree(operation) && typeof operation['path'] === 'string' ? operation['path'] : ''
    let at = tree
    for (const token of path.split('/').slice(1, -1)) {
      const next = isTree(at[token]) ? { ...at[token] } : {}
      at[token] = next
      at = next
    }
  }
  return tree
}

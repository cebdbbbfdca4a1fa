import { sentence } from '../../machinery/field-error.ts'
import { BeyondFloatError, withUntypedNumbers } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { decode } from '../../schema/type/decode.ts'
import { DecodeError } from '../../schema/type/decode-error.ts'
import type { Type } from '../../schema/type/type.ts'
import { badRequest, internalError } from '../../machinery/status.ts'
import { coerceEmbedded } from '../../schema/structural/defaults/coerce-embedded.ts'
import { prune } from '../../schema/structural/defaults/prune-unknown.ts'
import type { StructuralSchema } from '../../schema/structural/value/structural-schema.ts'
import type { Resource } from '../resource/registry.ts'
import type { BodyKind } from './body-kind.ts'

/** A custom resource as it was sent, without what its schema does not know, and that. */
export interface CustomBody {
  readonly object: KubeObject
  readonly unknown: readonly string[]
}

/** A whole object is of the version on the URL. Throws 400. */
export function checkCustomVersion({ apiVersion }: Resource, sent: BodyKind): void {
  if (sent.apiVersion !== '' && sent.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${sent.apiVersion}) does not match the expected API version (${apiVersion})`,
    )
}

/**
 * Reads a custom resource. Upstream requires its kind, which nothing fills in. One of another kind is kept
 * as it is, to be refused with the errors of its fields. Throws DecodeError, 400 and 500.
 */
export function readCustom(
  { served, apiVersion, decoding }: Resource,
  value: JsonObject,
  schema: StructuralSchema,
): CustomBody {
  const { kind, apiVersion: version } = value
  if ((kind ?? '') === '') throw new DecodeError(`Object 'Kind' is missing in '${JSON.stringify(value)}'`, '')
  if ((version ?? '') === '') throw internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
  const { object: decoded, unknown } = decode(decoding, untyped(value))
  // Decoding gives what the type says: an object with metadata. Only that may be missing.
  const typed = decoded as KubeObject
  const object = typed.metadata === undefined ? { ...typed, metadata: {} } : typed
  if (kind !== served.kind || version !== apiVersion) return { object, unknown: [] }
  const pruned = prune(schema, object)
  const { object: coerced, unknown: strange, error } = coerceEmbedded(schema, pruned.object, metadataType(decoding))
  if (error !== undefined) throw new DecodeError(sentence(error), error.path)
  // Fields are taken from an object, so it stays one.
  return { object: coerced as KubeObject, unknown: [...unknown, ...pruned.unknown, ...strange] }
}

/** With its numbers as an API server keeps them. Throws DecodeError for one that it cannot. */
function untyped(value: JsonObject): unknown {
  try {
    return withUntypedNumbers(value)
  } catch (error) {
    throw error instanceof BeyondFloatError ? new DecodeError(error.message, '') : error
  }
}

function metadataType(decoding: Type): Type {
  const type = decoding.kind === 'object' ? decoding.fields.get('metadata')?.type : undefined
  return type ?? decoding
}

import type { JsonObject } from '../../machinery/object.ts'
import { WeightAllowance } from '../../machinery/value-weight.ts'
import type { MessageSet } from './message-set.ts'
import { ProtobufError } from './error.ts'
import { type MessageTarget, messageType, readMessage } from './read-message.ts'
import type { MessageFields } from './message-fields.ts'
import { LENGTH_DELIMITED, readerOf, STRING, type ValueType } from './wire-type.ts'

export interface TypeMeta {
  readonly apiVersion: string
  readonly kind: string
}

/** Every object starts with it. */
export const PREFIX = [0x6b, 0x38, 0x73, 0x00]

/**
 * Reads the object of a request's body in Kubernetes' protobuf envelope: four bytes, then `runtime.Unknown`, which
 * names the kind and holds the object's message. `fallback` names the kind if the envelope does not.
 *
 * Returns the JSON that Go would print of the same object. Go clients write a field without a pointer even when it is
 * zero. Such a zero is left out if JSON leaves it out. An absent field stays absent. Time and memory are linear in the
 * bytes. Throws `ProtobufError`, and 413 as soon as it has read too many values.
 */
export function decodeProtobuf(
  messages: MessageSet,
  bytes: Uint8Array,
  fallback?: TypeMeta,
): { readonly value: JsonObject } {
  if (bytes.length <= PREFIX.length || PREFIX.some((byte, at) => bytes[at] !== byte))
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${PREFIX.join(' ')}]`,
    )
  try {
    return { value: readObject(messages, readEnvelope(bytes.subarray(PREFIX.length)), fallback) }
  } catch (error) {
    throw isLibraryError(error) ? new ProtobufError(error.message) : error
  }
}

/** A message that is read or written by itself. */
const RAW: ValueType = {
  wire: LENGTH_DELIMITED,
  read: (reader) => reader.bytes(),
  write: (writer, value) => void writer.bytes(value instanceof Uint8Array ? value : new Uint8Array()),
}
const TYPE_META: MessageFields = new Map([
  [1, { name: 'apiVersion', rule: 'omitempty', type: STRING }],
  [2, { name: 'kind', rule: 'omitempty', type: STRING }],
])
export const ENVELOPE: MessageFields = new Map([
  [1, { name: 'typeMeta', rule: '', type: messageType(() => TYPE_META) }],
  [2, { name: 'raw', rule: '', type: RAW }],
  [3, { name: 'contentEncoding', rule: 'omitempty', type: STRING }],
])

interface Envelope {
  readonly typeMeta?: Partial<TypeMeta>
  readonly raw?: Uint8Array
  readonly contentEncoding?: string
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const envelope: MessageTarget = {}
  readMessage(ENVELOPE, readerOf(bytes), envelope, { depth: 0, allowance: new WeightAllowance() })
  return envelope
}

function readObject(
  messages: MessageSet,
  { typeMeta = {}, raw, contentEncoding }: Envelope,
  fallback?: TypeMeta,
): JsonObject {
  const apiVersion = typeMeta.apiVersion ?? fallback?.apiVersion
  const kind = typeMeta.kind ?? fallback?.kind
  if (kind === undefined) throw new ProtobufError("Object 'Kind' is missing")
  if (apiVersion === undefined) throw new ProtobufError("Object 'apiVersion' is missing")
  if (contentEncoding !== undefined)
    throw new ProtobufError(`unknown content encoding ${JSON.stringify(contentEncoding)}`)
  const fields = messages.fieldsOf(apiVersion, kind)
  if (fields === undefined)
    throw new ProtobufError(`${kind} of ${apiVersion} has no protobuf encoding: send it as JSON`)
  const value: MessageTarget = { kind, apiVersion }
  if (raw !== undefined) readMessage(fields, readerOf(raw), value, { depth: 0, allowance: new WeightAllowance() })
  return value
}

/** protobufjs throws plain errors, and a coded TypeError for a string of invalid UTF-8. */
function isLibraryError(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof ProtobufError) return false
  if (error instanceof TypeError) return 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
  return error instanceof RangeError || error.name === 'Error'
}

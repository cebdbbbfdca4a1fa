import { isObject, type JsonObject } from '../../machinery/object.ts'
import { ENVELOPE, PREFIX } from './decode.ts'
import type { MessageSet } from './message-set.ts'
import { LENGTH_DELIMITED, newWriter, STRING } from './wire-type.ts'
import { writeMessage } from './write-message.ts'

/**
 * An object, a list or a Status in Kubernetes' protobuf envelope, as `decodeProtobuf` reads it. `undefined` for a kind
 * that has no protobuf encoding.
 */
export function encodeProtobuf(messages: MessageSet, value: JsonObject): Buffer | undefined {
  const { apiVersion, kind } = value
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const fields = messages.answerFieldsOf(apiVersion, kind)
  if (fields === undefined) return undefined
  const message = newWriter()
  writeMessage(fields, message, value)
  const envelope = newWriter()
  writeMessage(ENVELOPE, envelope, { typeMeta: { apiVersion, kind }, raw: message.finish() })
  return Buffer.concat([Uint8Array.from(PREFIX), envelope.finish()])
}

/** An event of a watch: its length in four bytes, its type, and its object in an envelope. */
export function encodeWatchEvent(messages: MessageSet, event: JsonObject): Buffer | undefined {
  const { type, object } = event
  const raw = isObject(object) ? encodeProtobuf(messages, object) : undefined
  if (raw === undefined) return undefined
  const writer = newWriter()
  const [first, second] = [1, 2].map((number) => (number << 3) | LENGTH_DELIMITED)
  STRING.write(writer.uint32(first ?? 0), type)
  writer
    .uint32(second ?? 0)
    .fork()
    .uint32(first ?? 0)
    .bytes(raw)
    .ldelim()
  const bytes = writer.finish()
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

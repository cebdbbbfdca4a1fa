import { parseJson } from '../../machinery/json-text.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { Exchange, Transcoding } from '../../runtime/http/exchange.ts'
import { parseMediaType } from '../../runtime/http/media-type.ts'
import { encodeProtobuf, encodeWatchEvent } from './encode.ts'
import { PROTOBUF } from './is-protobuf.ts'
import { listInProtobuf } from './list.ts'
import type { MessageSet } from './message-set.ts'

const METADATA: ReadonlySet<string | undefined> = new Set(['PartialObjectMetadata', 'PartialObjectMetadataList'])

/**
 * Which JSON to make for a client that takes protobuf and nothing else that is spoken here; `undefined` for any other.
 * Objects are stored as JSON, so a client that accepts JSON gets it. A table has no protobuf.
 */
export function jsonBehindProtobuf(accept: string | undefined): string | undefined {
  if (accept?.includes(PROTOBUF) !== true) return undefined
  const types = accept.split(',').map(parseMediaType)
  if (types.some(({ type }) => /^(application|\*)\/(json|yaml|\*)$/.test(type))) return undefined
  const wanted = types.find(
    ({ type, parameters: { as } }) => type === PROTOBUF && (as === undefined || METADATA.has(as)),
  )
  if (wanted === undefined) return undefined
  const { as, g = '', v = '' } = wanted.parameters
  return as === undefined ? 'application/json' : `application/json;as=${as};g=${g};v=${v}`
}

/** Has this exchange answered in protobuf if its client takes nothing else. Other kinds are answered as JSON. */
export function answerInProtobuf(messages: MessageSet, exchange: Exchange): void {
  const accept = jsonBehindProtobuf(exchange.headers.accept)
  if (accept !== undefined) exchange.transcode(accept, protobufOf(messages))
}

type Encode = (messages: MessageSet, value: JsonObject) => Buffer | undefined

function protobufOf(messages: MessageSet): Transcoding {
  const written = (encode: Encode) => (json: string) => {
    const value = parseJson(json)
    return isObject(value) ? encode(messages, value) : undefined
  }
  return {
    contentType: PROTOBUF,
    streamType: `${PROTOBUF};stream=watch`,
    body: written(encodeProtobuf),
    list: (fields, texts) => listInProtobuf(messages, fields, texts),
    frame: written(encodeWatchEvent),
  }
}

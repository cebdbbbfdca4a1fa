import { parseJson } from '../../machinery/json-text.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { TimeSlice } from '../../runtime/tasks/time-slice.ts'
import { ENVELOPE, PREFIX } from './decode.ts'
import type { MessageField, MessageFields } from './message-fields.ts'
import type { MessageSet } from './message-set.ts'
import { LENGTH_DELIMITED, newWriter } from './wire-type.ts'
import { writeMessage } from './write-message.ts'

/** The part of an envelope that holds the object: what precedes its bytes is its tag and its length. */
const RAW_TAG = (2 << 3) | LENGTH_DELIMITED
/** Lists up to so many bytes are kept from the first time that they are made. */
const LITTLE_BYTES = 1024 * 1024

/**
 * A list in Kubernetes' protobuf envelope, as `encodeProtobuf` makes it, in parts. The envelope begins with the length of all: what
 * does not fit into a little memory is made twice, first to learn how long it is. `undefined` for a kind without protobuf.
 * @param fields those of the list but for its items
 * @param texts the items as JSON, which stay the same whenever they are gone through
 */
export async function listInProtobuf(
  messages: MessageSet,
  fields: JsonObject,
  texts: Iterable<string>,
): Promise<Iterable<Buffer> | undefined> {
  const { apiVersion, kind } = fields
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const list = partsOf(messages.answerFieldsOf(apiVersion, kind))
  if (list === undefined) return undefined
  const head = encoded(list.others, fields)
  const itemsOf = function* (): Generator<Buffer> {
    for (const text of texts) yield encoded(list.items, { items: [parseJson(text)] })
  }
  const slice = new TimeSlice()
  let length = head.length
  let kept: Buffer[] | undefined = []
  for (const item of itemsOf()) {
    length += item.length
    if (length > LITTLE_BYTES) kept = undefined
    kept?.push(item)
    const turn = slice.next()
    if (turn !== undefined) await turn
  }
  const envelope = newWriter()
  writeMessage(ENVELOPE, envelope, { typeMeta: { apiVersion, kind } })
  const begun = Buffer.concat([Uint8Array.from(PREFIX), envelope.uint32(RAW_TAG).uint32(length).finish(), head])
  return {
    *[Symbol.iterator]() {
      yield begun
      yield* kept ?? itemsOf()
    },
  }
}

/** The fields of a list, if its items are written last. */
function partsOf(
  fields: MessageFields | undefined,
): { readonly others: MessageFields; readonly items: MessageFields } | undefined {
  const all: readonly (readonly [number, MessageField])[] = [...(fields ?? [])]
  const last = all.at(-1)
  if (last?.[1].name !== 'items' || last[1].rule !== 'repeated') return undefined
  return { others: new Map(all.slice(0, -1)), items: new Map([last]) }
}

function encoded(fields: MessageFields, value: unknown): Buffer {
  const writer = newWriter()
  if (isObject(value)) writeMessage(fields, writer, value)
  return Buffer.from(writer.finish())
}

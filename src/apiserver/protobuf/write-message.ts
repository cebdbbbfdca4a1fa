import type { MessageField, MessageFields } from './message-fields.ts'
import { LENGTH_DELIMITED, type ProtobufWriter, type ValueType } from './wire-type.ts'

const tag = (number: number, wire: number): number => ((number << 3) | wire) >>> 0
const KEY = tag(1, LENGTH_DELIMITED)

/** Writes the members of a JSON object that the message has fields for. Null and absent fields are left out, as Go leaves out nil ones. */
export function writeMessage(
  fields: MessageFields,
  writer: ProtobufWriter,
  source: Readonly<Record<string, unknown>>,
): void {
  for (const [number, field] of fields)
    if (field.rule === 'inline') writeOne(field.type, number, writer, source)
    else writeField(field, number, writer, Object.hasOwn(source, field.name) ? source[field.name] : undefined)
}

function writeField({ rule, type }: MessageField, number: number, writer: ProtobufWriter, value: unknown): void {
  if (value === undefined || value === null) return
  if (rule === 'repeated') {
    for (const item of Array.isArray(value) ? value : []) writeOne(type, number, writer, item)
  } else if (rule === 'map') {
    for (const [key, item] of Object.entries(value)) {
      writer.uint32(tag(number, LENGTH_DELIMITED)).fork().uint32(KEY).string(key)
      writeOne(type, 2, writer, item)
      writer.ldelim()
    }
  } else writeOne(type, number, writer, value)
}

function writeOne(type: ValueType, number: number, writer: ProtobufWriter, value: unknown): void {
  writer.uint32(tag(number, type.wire))
  type.write(writer, value)
}

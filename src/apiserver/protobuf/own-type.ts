import { numberText } from '../../machinery/json-value.ts'
import { JsonTextError, MAX_DEPTH, parseJson } from '../../machinery/json-text.ts'
import { ProtobufError } from './error.ts'
import { MAX_MESSAGE_DEPTH, type MessageTarget, messageType } from './read-message.ts'
import type { MessageField } from './message-fields.ts'
import { INT32, INT64, LENGTH_DELIMITED, readerOf, STRING, type ValueType } from './wire-type.ts'
import { textOf } from '../../machinery/read.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

/** The fields of the well-known types, under names of our own. */
interface Members {
  readonly text?: string
  readonly seconds?: unknown
  readonly nanos?: number
  readonly type?: unknown
  readonly number?: number
}

/** Go's zero time, the first second of the year 1, in seconds of Unix time: it is written as an empty message, and as null. */
const ZERO_TIME = -62_135_596_800
const SECONDS = field(1, 'seconds', INT64)

/** Types whose JSON is not that of their fields, as their Go types marshal themselves. */
export const OWN_TYPES: ReadonlyMap<string, ValueType> = new Map([
  [
    'io.k8s.apimachinery.pkg.api.resource.Quantity',
    own([field(1, 'text', STRING)], ({ text = '0' }) => text, quantityMembers),
  ],
  [
    `${META}.Time`,
    own([SECONDS], ({ seconds = ZERO_TIME }) => timeText(seconds, 0)?.replace('.000000', '') ?? null, timeMembers),
  ],
  [
    `${META}.MicroTime`,
    own(
      [SECONDS, field(2, 'nanos', INT32)],
      ({ seconds = ZERO_TIME, nanos = 0 }) => timeText(seconds, nanos) ?? null,
      timeMembers,
    ),
  ],
  [
    'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    own(
      [field(1, 'type', INT64), field(2, 'number', INT32), field(3, 'text', STRING)],
      intOrString,
      intOrStringMembers,
    ),
  ],
  [`${META}.FieldsV1`, embeddedJson()],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', embeddedJson()],
  [`${EXTENSIONS}.JSON`, embeddedJson()],
])

interface Union {
  readonly shown: (members: Readonly<MessageTarget>) => unknown
  readonly members: (value: unknown) => Readonly<MessageTarget>
}

/** As `OWN_TYPES`, for messages that the data describes: of their fields, JSON shows the one that is set. */
export const UNIONS: ReadonlyMap<string, Union> = new Map([
  [
    `${EXTENSIONS}.JSONSchemaPropsOrArray`,
    {
      shown: ({ schema, jSONSchemas }) => jSONSchemas ?? schema ?? null,
      members: (value) => (Array.isArray(value) ? { jSONSchemas: value } : { schema: value }),
    },
  ],
  [
    `${EXTENSIONS}.JSONSchemaPropsOrBool`,
    {
      shown: ({ schema, allows }) => schema ?? allows ?? false,
      // Go takes a schema for leave to hold what it describes.
      members: (value) => (typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }),
    },
  ],
  [
    `${EXTENSIONS}.JSONSchemaPropsOrStringArray`,
    {
      shown: ({ schema, property }) => property ?? schema ?? null,
      members: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
    },
  ],
])

function field(number: number, name: keyof Members, type: ValueType): readonly [number, MessageField] {
  return [number, { name, rule: '', type }]
}

function own(
  fields: readonly (readonly [number, MessageField])[],
  convert: (members: Members) => unknown,
  membersOf: (value: unknown) => Members,
): ValueType {
  const byNumber = new Map(fields)
  const message = messageType(() => byNumber)
  return {
    wire: LENGTH_DELIMITED,
    read: (reader, within) => convert(message.read(reader, within) as Members),
    write: (writer, value) => message.write(writer, membersOf(value)),
  }
}

/** A quantity may be written as a number. */
function quantityMembers(value: unknown): Members {
  return { text: typeof value === 'string' ? value : (numberText(value) ?? '0') }
}

function timeMembers(value: unknown): Members {
  const text = textOf(value)
  const milliseconds = Date.parse(text)
  if (Number.isNaN(milliseconds)) return {}
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? ''
  return { seconds: Math.floor(milliseconds / 1000), nanos: Number(fraction.padEnd(9, '0')) }
}

function intOrStringMembers(value: unknown): Members {
  return typeof value === 'string' ? { type: 1, text: value } : { type: 0, number: Number(numberText(value) ?? 0) }
}

/** RFC 3339 with microseconds; `undefined` for the zero time. */
function timeText(seconds: unknown, nanos: number): string | undefined {
  if (seconds === ZERO_TIME && nanos === 0) return undefined
  // A number that JavaScript cannot hold is an invalid time too.
  const time = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN)
  const year = time.getUTCFullYear()
  if (!(year >= 0 && year <= 9999) || nanos < 0 || nanos > 999_999_999) throw new ProtobufError('time out of range')
  return time.toISOString().replace('.000Z', `.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`)
}

function intOrString({ type = 0, number = 0, text = '' }: Members): unknown {
  if (type === 0) return number
  if (type === 1) return text
  throw new ProtobufError('impossible type of an IntOrString')
}

/** A message whose only field holds JSON as bytes. */
function embeddedJson(): ValueType {
  return {
    wire: LENGTH_DELIMITED,
    read: (reader, within) => {
      const holder = readerOf(reader.bytes())
      let text = ''
      while (holder.pos < holder.len) {
        const tag = holder.tag()
        if (tag === ((1 << 3) | LENGTH_DELIMITED)) text = holder.stringVerify()
        else holder.skipType(tag & 7, 0, tag >>> 3)
      }
      return text === '' ? null : jsonOf(text, within.depth)
    },
    write: (writer, value) =>
      void writer
        .fork()
        .uint32((1 << 3) | LENGTH_DELIMITED)
        .string(JSON.stringify(value))
        .ldelim(),
  }
}

function jsonOf(text: string, depth: number): unknown {
  try {
    return parseJson(text, { maxDepth: MAX_DEPTH - 2 * Math.min(depth, MAX_MESSAGE_DEPTH) })
  } catch (error) {
    if (error instanceof JsonTextError) throw new ProtobufError(`embedded JSON: ${error.message}`)
    throw error
  }
}

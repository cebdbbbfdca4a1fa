import { isTree, setOwn } from '../../machinery/json-value.ts'
import { ProtobufError } from './error.ts'
import type { MessageField, MessageFields } from './message-fields.ts'
import { LENGTH_DELIMITED, type ProtobufReader, readerOf, type ValueType, type Within } from './wire-type.ts'
import { writeMessage } from './write-message.ts'

export type MessageTarget = Record<string, unknown>

/** Only schemas of custom resources nest without a bound; in JSON each of their levels takes two. */
export const MAX_MESSAGE_DEPTH = 400

/** Whatever type is read from it is zero: an absent value of a map entry. */
const ZEROS = new Uint8Array(8)

/**
 * Reads a message up to the reader's end into `target`, under the JSON names of its fields. Unknown fields are skipped,
 * as Go does; a field that comes again replaces a scalar, extends a list, is merged into a message.
 */
export function readMessage(
  fields: MessageFields,
  reader: ProtobufReader,
  target: MessageTarget,
  within: Within,
): void {
  if (within.depth > MAX_MESSAGE_DEPTH) throw new ProtobufError('exceeded max depth')
  within.allowance.takeObject()
  while (reader.pos < reader.len) {
    const tag = reader.tag()
    const number = tag >>> 3
    const wire = tag & 7
    const field = fields.get(number)
    if (field === undefined) reader.skipType(wire, 0, number)
    else readField(field, wire, reader, target, within)
  }
}

/** The type of a value that is a message. `fields` is asked when it is read, because messages refer back to themselves. */
export function messageType(fields: () => MessageFields): ValueType {
  return {
    wire: LENGTH_DELIMITED,
    read: (reader, { depth, allowance }, previous) => {
      const target: MessageTarget = isTree(previous) ? previous : {}
      readMessage(fields(), readerOf(reader.bytes()), target, { depth: depth + 1, allowance })
      return target
    },
    write: (writer, value) => {
      writer.fork()
      if (isTree(value)) writeMessage(fields(), writer, value)
      writer.ldelim()
    },
  }
}

function readField(
  field: MessageField,
  wire: number,
  reader: ProtobufReader,
  target: MessageTarget,
  within: Within,
): void {
  const { name, rule, type } = field
  if (rule === 'map') {
    expectWire(name, wire, LENGTH_DELIMITED)
    readEntry(type, reader, memberOf(target, name), name, within)
  } else if (rule === 'repeated') readItems(field, wire, reader, target, within)
  else if (rule === 'inline') {
    expectWire(name, wire, type.wire)
    type.read(reader, within, target)
  } else {
    expectWire(name, wire, type.wire)
    const value = type.read(reader, within, target[name])
    if (value !== null && !(rule === 'omitempty' && value === type.zero)) target[name] = value
    else if (Object.hasOwn(target, name)) delete target[name]
  }
}

function readItems(
  { name, type }: MessageField,
  wire: number,
  reader: ProtobufReader,
  target: MessageTarget,
  within: Within,
): void {
  const old = target[name]
  const items: unknown[] = Array.isArray(old) ? old : (target[name] = [])
  if (wire === LENGTH_DELIMITED && type.wire !== LENGTH_DELIMITED) {
    const packed = readerOf(reader.bytes())
    while (packed.pos < packed.len) {
      within.allowance.takeScalar()
      items.push(type.read(packed, within))
    }
    return
  }
  expectWire(name, wire, type.wire)
  within.allowance.takeScalar()
  items.push(type.read(reader, within))
}

function readEntry(type: ValueType, reader: ProtobufReader, map: MessageTarget, name: string, within: Within): void {
  within.allowance.takeScalar()
  const entry = readerOf(reader.bytes())
  let key = ''
  let value: unknown
  let found = false
  while (entry.pos < entry.len) {
    const tag = entry.tag()
    const number = tag >>> 3
    const wire = tag & 7
    if (number === 1) {
      expectWire(name, wire, LENGTH_DELIMITED)
      key = entry.stringVerify()
    } else if (number === 2) {
      expectWire(name, wire, type.wire)
      value = type.read(entry, within)
      found = true
    } else entry.skipType(wire, 0, number)
  }
  setOwn(map, key, found ? value : type.read(readerOf(ZEROS), within))
}

function memberOf(target: MessageTarget, name: string): MessageTarget {
  const old = target[name]
  if (isTree(old)) return old
  const made: MessageTarget = {}
  target[name] = made
  return made
}

function expectWire(name: string, wire: number, expected: number): void {
  if (wire !== expected) throw new ProtobufError(`wrong wire type ${wire} for field ${name}`)
}

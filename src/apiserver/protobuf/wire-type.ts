import protobuf from 'protobufjs/minimal.js'
import { numberText, rawNumber } from '../../machinery/json-value.ts'
import type { WeightAllowance } from '../../machinery/value-weight.ts'
import { ProtobufError } from './error.ts'
import { textOf } from '../../machinery/read.ts'

export type ProtobufReader = protobuf.Reader
export type ProtobufWriter = protobuf.Writer

export const newWriter = (): ProtobufWriter => protobuf.Writer.create()

export const readerOf = (bytes: Uint8Array): ProtobufReader => protobuf.Reader.create(bytes)

/** The encoding after a tag: a varint, eight bytes, or a length and as many bytes. */
export type WireType = 0 | 1 | 2
export const LENGTH_DELIMITED = 2

/** The serverContext of a value: the depth of messages, and the total that was read of the same body. */
export interface Within {
  readonly depth: number
  readonly allowance: WeightAllowance
}

export interface ValueType {
  readonly wire: WireType
  /** The value that `omitempty` leaves out; absent for types that it never leaves out. */
  readonly zero?: string | number | boolean
  /**
   * Reads one value behind its tag; gives null where Go prints null. `within` is what it stands in, `previous`
   * is what an earlier occurrence of the same field gave: messages are merged into it.
   */
  read(reader: ProtobufReader, within: Within, previous?: unknown): unknown
  /** Writes what follows the tag: the value as `read` gives it. A value of another type is written as zero. */
  write(writer: ProtobufWriter, value: unknown): void
}

const wireNumber = (value: unknown): number => Number(numberText(value) ?? 0)

export const STRING: ValueType = {
  wire: LENGTH_DELIMITED,
  zero: '',
  read: (reader) => reader.stringVerify(),
  write: (writer, value) => void writer.string(textOf(value)),
}
export const INT32: ValueType = {
  wire: 0,
  zero: 0,
  read: (reader) => reader.int32(),
  write: (writer, value) => void writer.int32(wireNumber(value)),
}
export const INT64: ValueType = { wire: 0, zero: 0, read: readInt64, write: writeInt64 }
const BYTES: ValueType = {
  wire: LENGTH_DELIMITED,
  zero: '',
  read: (reader) => base64(reader.bytes()),
  write: (writer, value) => void writer.bytes(Buffer.from(textOf(value), 'base64')),
}
const BOOL: ValueType = {
  wire: 0,
  zero: false,
  read: (reader) => reader.bool(),
  write: (writer, value) => void writer.bool(value === true),
}
const DOUBLE: ValueType = {
  wire: 1,
  zero: 0,
  read: readDouble,
  write: (writer, value) => void writer.double(wireNumber(value)),
}

/** The types of the data that are neither messages nor lists. */
export const SCALARS: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['string', STRING],
  ['bytes', BYTES],
  ['bool', BOOL],
  ['int32', INT32],
  ['int64', INT64],
  ['double', DOUBLE],
])

const base64 = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64')

/** A number, or a `RawNumber` where a number would lose digits. */
function readInt64(reader: ProtobufReader): unknown {
  const { high, low } = reader.int64()
  const number = high * 2 ** 32 + (low >>> 0)
  if (Number.isSafeInteger(number)) return number
  return rawNumber(String((BigInt(high) << 32n) + BigInt(low >>> 0)))
}

function writeInt64(writer: ProtobufWriter, value: unknown): void {
  const text = numberText(value) ?? '0'
  const bits = BigInt(/^-?\d+$/.test(text) ? text : Math.trunc(Number(text)))
  const half = (number: bigint): number => Number(BigInt.asIntN(32, number))
  writer.int64({ low: half(bits), high: half(bits >> 32n), unsigned: false })
}

function readDouble(reader: ProtobufReader): number {
  const value = reader.double()
  if (!Number.isFinite(value)) throw new ProtobufError(`JSON has no number ${value}`)
  return value
}

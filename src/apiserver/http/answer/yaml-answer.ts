import { stringify } from 'yaml'
import { isInt64Text, isRawNumber } from '../../../machinery/json-value.ts'
import { parseJson } from '../../../machinery/json-text.ts'

// Clients written in Go read YAML 1.1, where `yes` is a boolean unless it is quoted.
const OPTIONS = { version: '1.1', sortMapEntries: true, indentSeq: false } as const

/** Only with so many digits may a number be beyond those that JavaScript keeps. */
const LONG = /\d{16}/

/** The YAML of a JSON text, with all digits of its numbers of 64 bits. */
export function yamlOf(json: string): string {
  return LONG.test(json) ? stringify(parseJson(json), wholeDigits, OPTIONS) : stringify(JSON.parse(json), OPTIONS)
}

function wholeDigits(_key: unknown, value: unknown): unknown {
  if (!isRawNumber(value)) return value
  return isInt64Text(value.rawJSON) ? BigInt(value.rawJSON) : Number(value.rawJSON)
}

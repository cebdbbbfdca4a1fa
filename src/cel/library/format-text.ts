import { extentOf, TEXT_UNIT } from '../types/call-work.ts'
import { CelList, CelMap, type Result } from '../types/value.ts'
import type { Run } from '../types/run-budget.ts'
import { CelDuration, CelTimestamp, CelUint, Failure, TypeValue } from '../types/scalar.ts'
import { typeOfValue } from '../types/value-type.ts'
import { decodeUtf8, encodeUtf8, toHex } from './encoding.ts'
import { goQuote } from '../../machinery/go/quote.ts'
import { formatDouble } from './number-text.ts'
import { exactFixed, exactScientific } from './decimal-digits.ts'
import { formatDuration, formatTimestamp } from './time-text.ts'
import { compareText } from '../../machinery/text/compare.ts'

/** One `%` of a pattern. */
export interface Clause {
  /** The text before it. */
  readonly before: string
  readonly letter: string
  readonly precision: number
}

/** More digits than these nobody reads; upstream has no bound. */
const MAX_PRECISION = 1000
const PARSE = 'could not parse formatting clause'

/** A failure wording what is wrong with a pattern that has come to its `index`th clause. */
export type ParsedPattern = { readonly clauses: readonly Clause[]; readonly after: string } | Failure

/** Splits a pattern at its clauses; `count` is how many arguments there are. */
export function parsePattern(pattern: string, count: number): ParsedPattern {
  const clauses: Clause[] = []
  let before = ''
  let at = 0
  while (at < pattern.length) {
    const percent = pattern.indexOf('%', at)
    if (percent < 0) break
    before += pattern.slice(at, percent)
    at = percent + 1
    if (pattern[at] === '%') {
      before += '%'
      at++
      continue
    }
    if (clauses.length >= count) return new Failure(`index ${clauses.length} out of range`)
    if (at >= pattern.length) return new Failure('unexpected end of string')
    const [whole = '', dot = '', digits = '', letter = ''] = /^(\.?)(\d*)(.?)/su.exec(pattern.slice(at, at + 30)) ?? []
    if (dot !== '' && letter === '')
      return new Failure(`${PARSE}: error while parsing precision: could not find end of precision specifier`)
    if (dot !== '' && (digits === '' || Number(digits) > MAX_PRECISION)) {
      const why = digits === '' ? 'strconv.Atoi: parsing "": invalid syntax' : 'precision too large'
      return new Failure(`${PARSE}: error while parsing precision: error while converting precision to integer: ${why}`)
    }
    const found = dot === '' && digits !== '' ? digits.charAt(0) : letter
    if (!/^[sdfebxXo]$/.test(found)) return new Failure(`${PARSE}: unrecognized formatting clause "${found}"`)
    clauses.push({ before, letter: found, precision: dot === '' ? 6 : Number(digits) })
    before = ''
    at += whole.length
  }
  return { clauses, after: before + pattern.slice(Math.min(at, pattern.length)) }
}

/** The kinds of value that a clause takes, and the message for any other. */
export const CLAUSES: { readonly [letter: string]: { readonly kinds: readonly string[]; readonly refusal: string } } = {
  s: {
    kinds: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    refusal:
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ',
  },
  d: { kinds: ['int', 'uint'], refusal: 'decimal clause can only be used on integers, was given ' },
  f: { kinds: ['double', 'string'], refusal: 'fixed-point clause can only be used on doubles, was given ' },
  e: { kinds: ['double', 'string'], refusal: 'scientific clause can only be used on doubles, was given ' },
  b: { kinds: ['int', 'uint', 'bool'], refusal: 'only integers and bools can be formatted as binary, was given ' },
  x: {
    kinds: ['int', 'uint', 'string', 'bytes'],
    refusal: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  },
  X: {
    kinds: ['int', 'uint', 'string', 'bytes'],
    refusal: 'only integers, byte buffers, and strings can be formatted as hex, was given ',
  },
  o: { kinds: ['int', 'uint'], refusal: 'octal clause can only be used on integers, was given ' },
}

/** Thrown inside, with the words of the failure. */
class FormatError extends Error {}

/** `pattern.format(args)`. The cost is that of the length of the result. */
export function formatText(pattern: string, args: CelList, run: Run): Result {
  const parsed = parsePattern(pattern, args.size)
  if (parsed instanceof Failure) return parsed
  let text = ''
  try {
    for (const [at, clause] of parsed.clauses.entries()) {
      const arg = args.at(at)
      const part = clause.before + (arg instanceof Failure ? fail(arg.message) : formatClause(clause, arg, run))
      run.work(part.length / 10)
      text += part
    }
  } catch (error) {
    if (error instanceof FormatError) return new Failure(`error during formatting: ${error.message}`)
    throw error
  }
  return text + parsed.after
}

function fail(message: string): never {
  throw new FormatError(message)
}

function formatClause({ letter, precision }: Clause, arg: Exclude<Result, Failure>, run: Run): string {
  const value = arg instanceof CelUint ? arg.value : arg
  switch (letter) {
    case 's':
      return stringOf(value, run)
    case 'f':
    case 'e': {
      const special = typeof value === 'string' && /^(?:NaN|-?Infinity)$/.test(value) ? Number(value) : value
      if (typeof special !== 'number') break
      run.work(20 + 2 * precision)
      return letter === 'f' ? exactFixed(special, precision) : exactScientific(special, precision)
    }
    case 'x':
    case 'X': {
      run.work(TEXT_UNIT * extentOf(value))
      const hex = hexOf(value)
      if (hex === undefined) break
      return letter === 'X' ? hex.toUpperCase() : hex
    }
    default: {
      if (letter === 'b' && typeof value === 'boolean') return value ? '1' : '0'
      if (typeof value !== 'bigint') break
      const bases: { readonly [letter: string]: number } = { d: 10, b: 2, o: 8 }
      return value.toString(bases[letter])
    }
  }
  return fail(`${CLAUSES[letter]?.refusal}${typeOfValue(arg).name}`)
}

function hexOf(value: Exclude<Result, Failure>): string | undefined {
  if (typeof value === 'bigint') return value.toString(16)
  if (typeof value === 'string') return toHex(encodeUtf8(value))
  return value instanceof Uint8Array ? toHex(value) : undefined
}

function stringOf(value: Exclude<Result, Failure>, run: Run): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return formatDouble(value, 6)
  if (value === null) return 'null'
  if (value instanceof CelList || value instanceof CelMap) return nested(value, run)
  if (value instanceof CelUint) return String(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatDuration(value)
  if (value instanceof TypeValue) return value.name
  if (value instanceof Uint8Array) return decodeUtf8(value) ?? fail('could not convert argument to string')
  return fail(`${CLAUSES['s']?.refusal}${typeOfValue(value).name}`)
}

/** Of quoting one character, and of writing and sorting one entry of a map. */
const QUOTE_WORK = 2
const ENTRY_WORK = 20

/** A value as a literal, as it stands inside a list or map. */
function nested(value: Exclude<Result, Failure>, run: Run): string {
  run.work(10)
  if (typeof value === 'string') {
    run.work(QUOTE_WORK * value.length)
    return goQuote(value)
  }
  if (typeof value === 'number') {
    return Number.isFinite(value) ? exactFixed(value, 6).replaceAll(',', '') : goQuote(formatDouble(value))
  }
  if (value instanceof CelList)
    return `[${value
      .values()
      .map((one) => member(one, run))
      .join(', ')}]`
  if (value instanceof CelMap) {
    run.work(ENTRY_WORK * value.size)
    const entries = value.keys().map((key) => [mapKeyText(key), member(value.find(key) ?? null, run)] as const)
    const sorted = entries.toSorted(([a], [b]) => compareText(a, b))
    return `{${sorted.map(([key, one]) => `${key}:${one}`).join(', ')}}`
  }
  if (value instanceof Uint8Array) return `b${goQuote(stringOf(value, run))}`
  if (value instanceof CelTimestamp) return `timestamp(${goQuote(formatTimestamp(value))})`
  if (value instanceof CelDuration) return `duration(${goQuote(formatDuration(value))})`
  if (typeof value === 'object' && value !== null && !(value instanceof CelUint) && !(value instanceof TypeValue)) {
    return fail(`no formatting function for ${typeOfValue(value).name}`)
  }
  return stringOf(value, run)
}

const member = (value: Result, run: Run): string =>
  value instanceof Failure ? fail(value.message) : nested(value, run)

function mapKeyText(key: Exclude<Result, Failure>): string {
  if (typeof key === 'string') return goQuote(key)
  if (typeof key === 'boolean' || typeof key === 'bigint') return String(key)
  return key instanceof CelUint
    ? String(key.value)
    : fail(`no formatting function for map key of type ${typeOfValue(key).name}`)
}

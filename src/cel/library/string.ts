import type { Library } from './declaration.ts'
import { free, int, list, member, text } from './declaration.ts'
import { TEXT_UNIT } from '../types/call-work.ts'
import type { Run } from '../types/run-budget.ts'
import { CelList } from '../types/value.ts'
import { BOOL, DYN, INT, STRING, listOf } from '../types/cel-type.ts'
import { Failure, codePoints, runes } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import { typeOfValue } from '../types/value-type.ts'
import { formatText } from './format-text.ts'

const outOfRange = (index: bigint): Failure => new Failure(`index out of range: ${index}`)

const joinRunes = (part: string | readonly string[]): string => (typeof part === 'string' ? part : part.join(''))

/** Where a text is in another from a place on, in code points; -1 where it is not. */
function indexOf(value: string, part: string, from: bigint): Result {
  if (part === '') return from
  if (from < 0n) return outOfRange(from)
  const all = runes(value)
  if (from >= BigInt(all.length)) return -1n
  if (typeof all === 'string') return BigInt(all.indexOf(part, Number(from)))
  const at = value.indexOf(part, all.slice(0, Number(from)).join('').length)
  return at < 0 ? -1n : BigInt(codePoints(value.slice(0, at)))
}

/** Where a text is last in another, up to a place. */
function lastIndexOf(value: string, part: string, to: bigint): Result {
  if (part === '') return to
  if (to < 0n) return outOfRange(to)
  const all = runes(value)
  if (to >= BigInt(all.length)) return -1n
  if (typeof all === 'string') return BigInt(all.lastIndexOf(part, Number(to)))
  const at = value.lastIndexOf(part, all.slice(0, Number(to)).join('').length)
  return at < 0 ? -1n : BigInt(codePoints(value.slice(0, at)))
}

function substring(value: string, start: bigint, end: bigint | undefined): Result {
  const all = runes(value)
  const size = BigInt(all.length)
  const stop = end ?? size
  if (end !== undefined && start > stop) return new Failure(`invalid substring range. start: ${start}, end: ${stop}`)
  if (start < 0n || start > size) return outOfRange(start)
  if (stop < 0n || stop > size) return outOfRange(stop)
  return joinRunes(all.slice(Number(start), Number(stop)))
}

function charAt(value: string, index: bigint, run: Run): Result {
  // The cost is 1, however far the text must be gone through.
  run.work(value.length / 20)
  const all = runes(value)
  if (index < 0n || index > BigInt(all.length)) return outOfRange(index)
  return all[Number(index)] ?? ''
}

/** As many times as `limit` says; a negative one is none. The length of what comes of it is paid for before it is made. */
function replace(value: string, old: string, by: string, limit: bigint, run: Run): string {
  const most = limit < 0n ? Infinity : Number(limit)
  const places = old === '' ? codePoints(value) + 1 : Math.floor(value.length / old.length)
  if (by.length > old.length) run.work((Math.min(places, most) * (by.length - old.length)) / TEXT_UNIT)
  if (most === Infinity && old !== '') return value.replaceAll(old, () => by)
  const parts = old === '' ? ['', ...Array.from(value)] : value.split(old)
  let result = ''
  for (const [at, part] of parts.entries()) {
    if (old === '') result += part + (at < most ? by : '')
    else result += (at === 0 ? '' : at <= most ? by : old) + part
  }
  return result
}

function split(value: string, separator: string, limit: bigint): CelList {
  if (limit === 0n) return CelList.empty
  const parts = separator === '' ? Array.from(value) : value.split(separator)
  if (limit < 0n || BigInt(parts.length) <= limit) return new CelList(parts)
  const count = Number(limit) - 1
  return new CelList([...parts.slice(0, count), parts.slice(count).join(separator)])
}

function join(values: CelList, separator: string, run: Run): Result {
  const parts: string[] = []
  for (const value of values.values()) {
    if (value instanceof Failure) return value
    if (typeof value !== 'string') return new Failure(`join: invalid input: ${typeOfValue(value).name}`)
    run.work((value.length + separator.length) / TEXT_UNIT)
    parts.push(value)
  }
  return parts.join(separator)
}

/** The letters of ASCII alone. */
const lower = (value: string): string => value.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase())
const upper = (value: string): string => value.replaceAll(/[a-z]+/g, (part) => part.toUpperCase())

// The white space of Unicode, which Go trims; JavaScript trims U+FEFF too, and not U+0085.
const SPACE = String.raw`[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]`
const LEADING = new RegExp(`^${SPACE}+`)
const IS_SPACE = new RegExp(SPACE)

function trim(value: string): string {
  let end = value.length
  while (end > 0 && IS_SPACE.test(value.charAt(end - 1))) end--
  return value.slice(0, end).replace(LEADING, '')
}

const QUOTED: { readonly [character: string]: string } = {
  '\u0007': String.raw`\a`,
  '\b': String.raw`\b`,
  '\f': String.raw`\f`,
  '\n': String.raw`\n`,
  '\r': String.raw`\r`,
  '\t': String.raw`\t`,
  '\v': String.raw`\v`,
  '\\': '\\\\',
  '"': String.raw`\"`,
}

const quote = (value: string): string => `"${Array.from(value.toWellFormed(), (one) => QUOTED[one] ?? one).join('')}"`

/** The functions of strings: the language's, and cel-go's extension in version 2. */
export const strings: Library = [
  ['contains', [member('contains_string', [text, text], BOOL, ([value, part]) => value.includes(part))]],
  ['startsWith', [member('starts_with_string', [text, text], BOOL, ([value, part]) => value.startsWith(part))]],
  ['endsWith', [member('ends_with_string', [text, text], BOOL, ([value, part]) => value.endsWith(part))]],
  ['charAt', [member('string_char_at_int', [text, int], STRING, ([value, index], run) => charAt(value, index, run))]],
  [
    'indexOf',
    [
      member('string_index_of_string', [text, text], INT, ([value, part]) => indexOf(value, part, 0n)),
      member('string_index_of_string_int', [text, text, int], INT, ([value, part, from]) => indexOf(value, part, from)),
    ],
  ],
  [
    'lastIndexOf',
    [
      member('string_last_index_of_string', [text, text], INT, ([value, part]) => {
        const size = codePoints(value)
        return part === '' ? BigInt(size) : size === 0 ? -1n : lastIndexOf(value, part, BigInt(size - 1))
      }),
      member('string_last_index_of_string_int', [text, text, int], INT, ([value, part, to]) =>
        lastIndexOf(value, part, to),
      ),
    ],
  ],
  ['lowerAscii', [member('string_lower_ascii', [text], STRING, ([value]) => lower(value))]],
  ['upperAscii', [member('string_upper_ascii', [text], STRING, ([value]) => upper(value))]],
  [
    'replace',
    [
      member('string_replace_string_string', [text, text, text], STRING, ([value, old, by], run) =>
        replace(value, old, by, -1n, run),
      ),
      member('string_replace_string_string_int', [text, text, text, int], STRING, ([value, old, by, limit], run) =>
        replace(value, old, by, limit, run),
      ),
    ],
  ],
  [
    'split',
    [
      member('string_split_string', [text, text], listOf(STRING), ([value, separator]) => split(value, separator, -1n)),
      member('string_split_string_int', [text, text, int], listOf(STRING), ([value, separator, limit]) =>
        split(value, separator, limit),
      ),
    ],
  ],
  [
    'substring',
    [
      member('string_substring_int', [text, int], STRING, ([value, start]) => substring(value, start, undefined)),
      member('string_substring_int_int', [text, int, int], STRING, ([value, start, end]) =>
        substring(value, start, end),
      ),
    ],
  ],
  ['trim', [member('string_trim', [text], STRING, ([value]) => trim(value))]],
  [
    'join',
    [
      member('list_join', [list(STRING)], STRING, ([values], run) => join(values, '', run)),
      member('list_join_string', [list(STRING), text], STRING, ([values, separator], run) =>
        join(values, separator, run),
      ),
    ],
  ],
  [
    'format',
    [member('string_format', [text, list(DYN)], STRING, ([pattern, args], run) => formatText(pattern, args, run))],
  ],
  ['strings.quote', [free('strings_quote', [text], STRING, ([value]) => quote(value))]],
]

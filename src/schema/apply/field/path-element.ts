import { isRawNumber, isTree, numberText } from '../../../machinery/json-value.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'

/**
 * One step of a path as `fieldsV1` spells it: `f:name` a field, `k:{"name":"x"}` the item of an associative list with
 * these keys, `v:"x"` a value of a set, `i:0` a place in a list.
 */
export type PathElement = string

/** Stands for the path itself where it also has children. */
export const SELF = '.'

export const fieldElement = (name: string): PathElement => `f:${name}`
export const valueElement = (value: unknown): PathElement => `v:${elementJson(value)}`

/** `keys` must come in the order of their names. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  let text = 'k:{'
  for (let at = 0; at < keys.length; at++) {
    const [name, value] = keys[at] ?? ['', null]
    text += `${at === 0 ? '' : ','}${elementJson(name)}:${elementJson(value)}`
  }
  return `${text}}`
}

/** Text that stands in JSON as it is. */
const PLAIN = /^[\w ./:@=+-]*$/

const ESCAPED = /[<>&\u2028\u2029]/g

/** A value as Go writes it inside a path element: `<`, `>` and `&` escaped, names in order. */
function elementJson(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return `"${value}"`
    const text = JSON.stringify(value)
    return text.search(ESCAPED) < 0 ? text : text.replace(ESCAPED, escaped)
  }
  if (isRawNumber(value))
    return String(Number(value.rawJSON)) === value.rawJSON ? value.rawJSON : exactText(value.rawJSON)
  if (Array.isArray(value)) return `[${value.map(elementJson).join(',')}]`
  if (isTree(value)) {
    const members = Object.keys(value).toSorted(byCodePoint)
    return `{${members.map((name) => `${JSON.stringify(name)}:${elementJson(value[name])}`).join(',')}}`
  }
  return JSON.stringify(value ?? null)
}

/** Whole numbers keep their digits; a fraction is a float64, whatever its spelling: `1.0` is `1`. */
const exactText = (text: string): string => (/^-?\d+$/.test(text) ? text : String(Number(text)))

const escaped = (char: string): string => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** Thrown for a path element, or for fields, that cannot be read; the message is worded as upstream words it. */
export class FieldSetError extends Error {
  override readonly name = 'FieldSetError'
}

/** The canonical spelling of an element that somebody else wrote; `undefined` for a type of element that nobody knows. */
export function canonicalElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new FieldSetError('key must be 2 characters long:')
  if (text[1] !== ':') throw new FieldSetError(`missing colon: ${text}`)
  switch (text.charAt(0)) {
    case 'f':
      return text
    case 'v':
      return valueElement(finite(text))
    case 'k': {
      const keys = finite(text)
      if (!isTree(keys)) throw new FieldSetError(`key is not an object: ${text}`)
      return keyElement(Object.entries(keys).toSorted(([a], [b]) => byCodePoint(a, b)))
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new FieldSetError(`invalid index: ${text}`)
      return `i:${Number(text.slice(2))}`
    default:
      return undefined
  }
}

function parsed(element: string): unknown {
  try {
    return JSON.parse(element.slice(2))
  } catch {
    throw new FieldSetError(`invalid path element: ${element}`)
  }
}

/** The value of an element that somebody else wrote. A number that no float64 can hold is none, as upstream reads it. */
function finite(element: string): unknown {
  const value = parsed(element)
  if (isBeyondFloat(value)) throw new FieldSetError(`invalid path element: ${element}`)
  return value
}

const isBeyondFloat = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(isBeyondFloat)

/** The order of elements in `fieldsV1`: `.`, fields by name, keys, values, places. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  if (a === SELF || b === SELF) return a === SELF ? -1 : 1
  if (a[0] !== b[0]) return TYPES.indexOf(a[0] ?? '') - TYPES.indexOf(b[0] ?? '')
  switch (a.charAt(0)) {
    case 'k':
      return compareNames(a, b) ?? compareKeys(parsed(a), parsed(b))
    case 'v':
      return compareValues(parsed(a), parsed(b))
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2))
    default:
      return byCodePoint(a, b)
  }
}

const TYPES = 'fkvi'

/** The usual case, one key that is a plain string, without parsing. */
function compareNames(a: PathElement, b: PathElement): number | undefined {
  const start = a.indexOf('":"') + 3
  if (start < 3 || !b.startsWith(a.slice(0, start))) return undefined
  if (a.indexOf('"', start) !== a.length - 2 || b.indexOf('"', start) !== b.length - 2) return undefined
  return a.includes('\\') || b.includes('\\') ? undefined : byCodePoint(a.slice(start, -2), b.slice(start, -2))
}

function compareKeys(a: unknown, b: unknown): number {
  const left = isTree(a) ? Object.entries(a) : []
  const right = isTree(b) ? Object.entries(b) : []
  for (let at = 0; at < left.length && at < right.length; at++) {
    const [name = '', value] = left[at] ?? []
    const [other = '', otherValue] = right[at] ?? []
    const order = byCodePoint(name, other) || compareValues(value, otherValue)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** Numbers, strings, booleans, the rest; upstream orders lists and maps too, but no element has such a value. */
export function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return byCodePoint(a, b)
  return rank(a) - rank(b)
}

function rank(value: unknown): number {
  if (typeof value === 'number') return 0
  if (typeof value === 'string') return 1
  return typeof value === 'boolean' ? 2 + Number(value) : 4
}

/** An element as messages print it: `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  switch (element.charAt(0)) {
    case 'k': {
      const keys = parsed(element)
      const shown = isTree(keys) ? Object.entries(keys).map(([name, value]) => `${name}=${valueText(value)}`) : []
      return `[${shown.join(',')}]`
    }
    case 'v':
      return `[=${valueText(parsed(element))}]`
    case 'i':
      return `[${element.slice(2)}]`
    default:
      return `.${element.slice(2)}`
  }
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`
  if (isTree(value))
    return Object.entries(value)
      .map(([name, item]) => `${name}=${valueText(item)}`)
      .join('')
  return numberText(value) ?? JSON.stringify(value ?? null)
}

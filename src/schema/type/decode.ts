import { badRequest } from '../../machinery/status.ts'
import { isTree, setOwn, withUntypedNumbers } from '../../machinery/json-value.ts'
import { MOST_AMOUNTS, tooManyAmounts } from '../../machinery/value-weight.ts'
import type { GroupVersionKind } from '../../machinery/group-version.ts'
import { DecodeError, type PathSegment, pathText, unmarshalError } from './decode-error.ts'
import { readLeaf } from './decode-leaf.ts'
import type { Field, LeafType, ListType, MapType, ObjectType, Type } from './type.ts'

export interface Decoded {
  /** Shares whatever did not change with the input; fields in the order of the schema. */
  readonly object: unknown
  /** `unknown field "spec.foo"`, each once, at most 100. */
  readonly unknown: readonly string[]
}

export interface DecodeOptions {
  /** Refuse unknown fields, as `fieldValidation=Strict` does. */
  readonly strict?: boolean
  /** More complaints that strict decoding makes, such as `duplicateFields` gives. */
  readonly duplicates?: readonly string[]
  /**
   * Are numbers those of an object that is already a tree of maps and lists? Then a whole float64 stands for the whole number,
   * `1.0` for 1, which a text of JSON cannot say.
   */
  readonly converts?: boolean
}

/** Upstream's strict decoder collects no more than this. */
const MAX_UNKNOWN = 100

interface State {
  readonly root: Type
  readonly path: PathSegment[]
  readonly unknown: Set<string>
  readonly converts: boolean
  /** In lists of resources, until now. */
  amounts: number
}

/**
 * Decodes an object as an API server does when it reads it into a Go type and writes it back. Unknown fields, nulls and
 * fields that `omitempty` omits are dropped. Quantities, times and bytes get their canonical spelling. Required fields
 * are not checked. Throws `DecodeError` if a value has the wrong type and, if strict, for unknown fields. Throws 413
 * for too many amounts.
 */
export function decode(type: Type, value: unknown, options: DecodeOptions = {}): Decoded {
  const state: State = { root: type, path: [], unknown: new Set(), converts: options.converts === true, amounts: 0 }
  const object = read(type, value, state)
  const unknown = [...state.unknown]
  if (options.strict === true) {
    const complaints = [...(options.duplicates ?? []), ...unknown]
    if (complaints.length > 0) throw new DecodeError(`strict decoding error: ${complaints.join(', ')}`, '')
  }
  return { object, unknown }
}

/**
 * `decode` for a request's body, whose errors become the 400 that a client sees:
 * `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal …`. The `DecodeError` is their cause.
 */
export function decodeObject(
  type: Type,
  value: unknown,
  given: Pick<GroupVersionKind, 'version' | 'kind'>,
  options: DecodeOptions = {},
): Decoded {
  try {
    return decode(type, value, options)
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    const { kind, version } = given
    const refused = badRequest(
      `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${error.message}`,
    )
    refused.cause = error
    throw refused
  }
}

function read(type: Type, value: unknown, state: State): unknown {
  if (type.kind === 'object') return readObject(type, value, state)
  if (type.kind === 'string' && typeof value === 'string') return value
  if (type.kind === 'list') return readList(type, value, state)
  if (type.kind === 'map') return readMap(type, value, state)
  const given = state.converts && takesNumbers(type) ? withUntypedNumbers(value) : value
  return readLeaf(type, given, state.root, state.path)
}

/** A message about another type shows the number as it was. */
const takesNumbers = ({ kind }: LeafType): boolean => kind !== 'string' && kind !== 'boolean' && kind !== 'bytes'

function readObject(type: ObjectType, value: unknown, state: State): unknown {
  if (!isTree(value)) throw unmarshalError(state.root, state.path, value, type)
  const { fields } = type
  const names = Object.keys(value)
  const known: Field[] = []
  const values: unknown[] = []
  let kept = 0
  let same = true
  let extra: [string, unknown][] | undefined
  for (const name of names) {
    const old = value[name]
    const field = fields.get(name)
    if (field === undefined) {
      if (type.keepsUnknown) (extra ??= []).push([name, old])
      else {
        same = false
        complain(state, name)
      }
      continue
    }
    if (old === null) {
      same = false
      continue
    }
    state.path.push(name)
    const item = read(field.type, old, state)
    state.path.pop()
    if (item !== old) same = false
    if (item === undefined) continue
    if (field.omitsEmpty && isEmpty(item)) {
      same = false
      continue
    }
    // Insertion sort: objects have few fields and often come in order.
    let place = kept++
    for (; place > 0; place--) {
      const before = known[place - 1]
      if (before === undefined || before.index < field.index) break
      known[place] = before
      values[place] = values[place - 1]
      same = false
    }
    known[place] = field
    values[place] = item
  }
  if (same) return value
  const result: Record<string, unknown> = {}
  for (let at = 0; at < kept; at++) setOwn(result, known[at]?.name ?? '', values[at])
  for (const [name, item] of extra ?? []) setOwn(result, name, item)
  return result
}

function isEmpty(item: unknown): boolean {
  if (typeof item !== 'object' || item === null) return item === '' || item === 0 || item === false
  for (const _member in item) return false
  return true
}

function readMap(type: MapType, value: unknown, state: State): unknown {
  if (!isTree(value)) throw unmarshalError(state.root, state.path, value, type)
  let result: Record<string, unknown> | undefined
  const keys = Object.keys(value)
  if (type.values.kind === 'quantity' && (state.amounts += keys.length) > MOST_AMOUNTS) throw tooManyAmounts()
  for (const key of keys) {
    const old = value[key]
    state.path.push(key)
    const item = old === null ? zero(type.values) : (read(type.values, old, state) ?? null)
    state.path.pop()
    if (item === old) continue
    result ??= { ...value }
    setOwn(result, key, item)
  }
  return result ?? value
}

function readList(type: ListType, value: unknown, state: State): unknown {
  if (!Array.isArray(value)) throw unmarshalError(state.root, state.path, value, type)
  let result: unknown[] | undefined
  for (let at = 0; at < value.length; at++) {
    const old: unknown = value[at]
    state.path.push(at)
    const item = old === null ? zero(type.items) : (read(type.items, old, state) ?? null)
    state.path.pop()
    if (item === old) continue
    result ??= value.slice()
    result[at] = item
  }
  return result ?? value
}

/** Go's JSON of the zero value, which it keeps where a null stands inside a map or list. */
const ZEROS: Readonly<Record<Exclude<Type['kind'], 'object'>, unknown>> = {
  string: '',
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
  intOrString: 0,
  quantity: '0',
  map: null,
  list: null,
  time: null,
  microTime: null,
  // Absent bytes are read as empty ones.
  bytes: '',
  any: null,
}

const zero = (type: Type): unknown => (type.kind === 'object' ? {} : ZEROS[type.kind])

function complain(state: State, name: string): void {
  if (state.unknown.size < MAX_UNKNOWN) state.unknown.add(`unknown field "${pathText([...state.path, name])}"`)
}

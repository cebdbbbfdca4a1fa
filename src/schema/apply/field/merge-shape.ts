import { isRawNumber } from '../../../machinery/json-value.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import type { Field, ListType, MapType, ObjectType, Type } from '../../type/type.ts'
import { type PathElement, fieldElement } from './path-element.ts'

/**
 * A type as server-side apply sees it: which of the three forms a value may have (an untyped place allows all), and
 * what is owned as a whole.
 */
export interface MergeShape {
  readonly map: MapShape | undefined
  readonly list: ListShape | undefined
  readonly scalar: ScalarKind | undefined
  /** Where anything may stand, ownership is not adjusted to changes of the schema. */
  readonly deduced: boolean
}

export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped'
export type Form = 'map' | 'list' | 'scalar'

export interface MapShape {
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, FieldShape>
  /** The shape at names that are not fields; `undefined` where there must be none. */
  readonly others: MergeShape | undefined
}

export interface FieldShape {
  readonly element: PathElement
  /** The place of the name among those of the struct, as `fieldsV1` orders them. */
  readonly rank: number
  readonly shape: MergeShape
  /** Taken for a key that the item of a list leaves out. */
  readonly default: unknown
}

export interface ListShape {
  readonly atomic: boolean
  /** In order of their names; empty for a set. */
  readonly keys: readonly string[]
  /** The keys as the schema lists them, for messages. */
  readonly declaredKeys: readonly string[]
  readonly items: MergeShape
}

interface Building {
  map: MapShape | undefined
  list: ListShape | undefined
  scalar: ScalarKind | undefined
  deduced: boolean
}

const NO_FIELDS: ReadonlyMap<string, FieldShape> = new Map()

/** Anything, owned as a whole. */
const UNTYPED: MergeShape = untyped(true)
/** Anything; objects are owned by their fields. Also the type of kinds without a schema. */
export const DEDUCED: MergeShape = untyped(false)

function untyped(atomic: boolean): MergeShape {
  const shape: Building = { map: undefined, list: undefined, scalar: 'untyped', deduced: true }
  shape.map = { atomic, fields: NO_FIELDS, others: shape }
  shape.list = { atomic: true, keys: [], declaredKeys: [], items: atomic ? shape : UNTYPED }
  return shape
}

/** By Go type: what the schema calls anything and is not a deduced value. The second is an object of any fields. */
const ANYTHING: ReadonlyMap<string, MergeShape> = new Map([
  ['runtime.RawExtension', UNTYPED],
  ['map[string]interface {}', { ...DEDUCED, list: undefined, scalar: undefined }],
])

/** Types are compiled once and live as long as their schema, and so do their shapes. */
const shapes = new WeakMap<Type, MergeShape>()
const preserving = new WeakMap<Type, MergeShape>()

/** The shape of a type; the same object for the same type. */
export const shapeOf = (type: Type): MergeShape => build(type, false)

/** `preserves`: an object around this one keeps unknown fields, which holds for all objects inside it. */
function build(type: Type, preserves: boolean): MergeShape {
  const memo = preserves ? preserving : shapes
  const known = memo.get(type)
  if (known !== undefined) return known
  if (type.kind === 'any' && type.object === undefined && type.list === undefined)
    return ANYTHING.get(type.goType) ?? DEDUCED
  const shape: Building = { map: undefined, list: undefined, scalar: undefined, deduced: false }
  // Registered before what is inside, because types may contain themselves.
  memo.set(type, shape)
  if (type.kind === 'any') {
    shape.scalar = 'untyped'
    shape.map = type.object === undefined ? DEDUCED.map : build(type.object, preserves).map
    shape.list = type.list === undefined ? DEDUCED.list : build(type.list, preserves).list
  } else if (type.kind === 'object') {
    shape.map = structShape(type, preserves)
    shape.deduced = shape.map.fields.size === 0 && shape.map.others === DEDUCED
  } else if (type.kind === 'map') shape.map = mapShape(type, preserves)
  else if (type.kind === 'list') shape.list = listShape(type, preserves)
  else shape.scalar = SCALARS[type.kind]
  return shape
}

const SCALARS: Readonly<Record<Exclude<Type['kind'], 'object' | 'map' | 'list' | 'any'>, ScalarKind>> = {
  string: 'string',
  bytes: 'string',
  boolean: 'boolean',
  int32: 'numeric',
  int64: 'numeric',
  double: 'numeric',
  quantity: 'untyped',
  intOrString: 'untyped',
  time: 'untyped',
  microTime: 'untyped',
}

function structShape(type: ObjectType, inherited: boolean): MapShape {
  const preserves = inherited || type.keepsUnknown
  const fields = new Map<string, FieldShape>()
  const names = [...type.fields.keys()].toSorted(byCodePoint)
  for (const field of type.fields.values()) {
    const shape = build(field.type, preserves)
    fields.set(field.name, {
      element: fieldElement(field.name),
      rank: names.indexOf(field.name),
      shape,
      default: defaultOf(type, field),
    })
  }
  return { atomic: type.atomic, fields, others: preserves || fields.size === 0 ? DEDUCED : undefined }
}

/** The schema's own default; those of built-in types are not in their data. */
function defaultOf(type: ObjectType, field: Field): unknown {
  if (field.default !== undefined) return field.default
  const fact = KEY_DEFAULTS.get(type.name)?.[field.name]
  if (fact !== undefined || type.name === '' || !field.required) return fact
  if (field.type.kind === 'string') return ''
  return field.type.kind === 'int32' || field.type.kind === 'int64' ? 0 : undefined
}

function mapShape(type: MapType, preserves: boolean): MapShape {
  return { atomic: type.atomic, fields: NO_FIELDS, others: build(type.values, preserves) }
}

function listShape(type: ListType, preserves: boolean): ListShape {
  return {
    atomic: type.listType === 'atomic',
    keys: type.keys.toSorted(),
    declaredKeys: type.keys,
    items: build(type.items, preserves),
  }
}

/** The shape at a name inside a map or struct; `undefined` for a field that does not exist. */
export const childShape = (map: MapShape, name: string): MergeShape | undefined =>
  map.fields.get(name)?.shape ?? map.others
export const childElement = (map: MapShape, name: string): PathElement =>
  map.fields.get(name)?.element ?? fieldElement(name)

/** The form of a value: its own where the shape allows that, else the first that the shape has; so also for null. */
export function formOf(shape: MergeShape, value: unknown): Form {
  if (typeof value !== 'object') {
    if (shape.scalar !== undefined) return 'scalar'
  } else if (Array.isArray(value)) {
    if (shape.list !== undefined) return 'list'
  } else if (value !== null && shape.map !== undefined) {
    return shape.scalar !== undefined && isRawNumber(value) ? 'scalar' : 'map'
  }
  if (shape.map !== undefined) return 'map'
  return shape.scalar === undefined ? 'list' : 'scalar'
}

/** The facts about built-in types that server-side apply uses and the schema data leaves out. */

/** Definition → field → the default of a field that is a key of lists; other required keys default to their zero value. */
const KEY_DEFAULTS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['io.k8s.api.core.v1.ContainerPort', { protocol: 'TCP' }],
  ['io.k8s.api.core.v1.ServicePort', { protocol: 'TCP' }],
  ['io.k8s.api.core.v1.LocalObjectReference', { name: '' }],
])

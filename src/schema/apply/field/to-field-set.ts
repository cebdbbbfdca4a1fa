import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { isTree } from '../../../machinery/json-value.ts'
import { type FieldSet, MEMBER } from './field-set.ts'
import { inOrder } from './in-order.ts'
import { itemElement, UntypedValueError } from './list-item.ts'
import { compareElements, compareValues, type PathElement, SELF } from './path-element.ts'
import { type FieldShape, formOf, type ListShape, type MapShape, type MergeShape } from './merge-shape.ts'

type Members = Readonly<Record<string, unknown>>
type Node = Record<PathElement, FieldSet>

/**
 * Everything in a value that came or went as a whole, the value itself included: the node for its path. Each new object
 * passes here, so the node is written in order in one pass. Throws `UntypedValueError`.
 */
export function toFieldSet(shape: MergeShape, value: unknown): FieldSet {
  if (typeof value !== 'object' || value === null) return MEMBER
  if (Array.isArray(value)) {
    return shape.list === undefined || shape.list.atomic || value.length === 0 ? MEMBER : wholeItems(shape.list, value)
  }
  const { map } = shape
  if (map === undefined || map.atomic || formOf(shape, value) !== 'map') return MEMBER
  const members = value as Members
  return map.fields.size > 0 && map.others === undefined ? wholeStruct(map, members) : wholeMap(map, members)
}

/**
 * Throws what `toFieldSet` throws of the value, of which nothing is made: long lists are not put in order. It looks into duplicates of items too.
 */
export function refuseUntyped(shape: MergeShape, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    const { list } = shape
    if (list === undefined || list.atomic) return
    for (const item of value) {
      // Most items of sets are texts, whose elements would be spelled for nothing.
      if (list.keys.length > 0 || !isScalar(item)) itemElement(list, item)
      refuseUntyped(list.items, item)
    }
    return
  }
  const { map } = shape
  if (map === undefined || map.atomic || formOf(shape, value) !== 'map') return
  const members = value as Members
  for (const name in members) {
    const inside = map.fields.get(name)?.shape ?? map.others
    if (inside === undefined) throw undeclared(name)
    refuseUntyped(inside, members[name])
  }
}

function wholeStruct(map: MapShape, members: Members): FieldSet {
  const fields: FieldShape[] = []
  const values: unknown[] = []
  for (const name of Object.keys(members)) {
    const field = map.fields.get(name)
    if (field === undefined) throw undeclared(name)
    // Insertion sort: structs have few fields.
    let place = fields.length
    fields.push(field)
    values.push(undefined)
    for (; place > 0; place--) {
      const before = fields[place - 1]
      if (before === undefined || before.rank < field.rank) break
      fields[place] = before
      values[place] = values[place - 1]
    }
    fields[place] = field
    values[place] = members[name]
  }
  if (fields.length === 0) return MEMBER
  const node: Node = { [SELF]: MEMBER }
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at]
    if (field !== undefined) node[field.element] = toFieldSet(field.shape, values[at])
  }
  return node
}

function wholeMap(map: MapShape, members: Members): FieldSet {
  const names = inOrder(Object.keys(members), byCodePoint)
  if (names.length === 0) return MEMBER
  const node: Node = { [SELF]: MEMBER }
  for (const name of names) {
    const field = map.fields.get(name)
    const inside = field?.shape ?? map.others
    if (inside === undefined) throw undeclared(name)
    node[`f:${name}`] = toFieldSet(inside, members[name])
  }
  return node
}

export const undeclared = (name: string): UntypedValueError =>
  new UntypedValueError(`.${name}: field not declared in schema`)

function wholeItems(list: ListShape, items: readonly unknown[]): FieldSet {
  const node: Node = { [SELF]: MEMBER }
  for (const item of inOrder(items, (a, b) => compareItems(list, a, b))) {
    const element = itemElement(list, item)
    // Of duplicates only the place itself counts.
    node[element] = element in node ? MEMBER : toFieldSet(list.items, item)
  }
  return node
}

/** The order of the items' elements, mostly without spelling these. */
function compareItems(list: ListShape, a: unknown, b: unknown): number {
  if (list.keys.length === 0) return isScalar(a) && isScalar(b) ? compareValues(a, b) : 0
  if (!isTree(a) || !isTree(b)) return 0
  for (const key of list.keys) {
    const left = a[key]
    const right = b[key]
    if (left === right) continue
    if (isScalar(left) && isScalar(right)) return compareValues(left, right)
    return compareElements(itemElement(list, a), itemElement(list, b))
  }
  return 0
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number'

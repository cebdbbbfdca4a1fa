import { isTree } from '../../../machinery/json-value.ts'
import { EMPTY, type FieldSet, MEMBER, nodeOf } from './field-set.ts'
import { itemElement } from './list-item.ts'
import { type PathElement, SELF } from './path-element.ts'
import { childElement, childShape, formOf, type ListShape, type MapShape, type MergeShape } from './merge-shape.ts'

/**
 * Returns the fields that an applied value owns: its leaves (scalars, nulls, atomic and empty objects), the items of associative
 * lists, and the entries of maps, but not the structs and lists around them. Throws `UntypedValueError`.
 */
export function fieldSetOf(shape: MergeShape, value: unknown): FieldSet {
  return claimed(shape, value) ?? EMPTY
}

function claimed(shape: MergeShape, value: unknown): FieldSet | undefined {
  switch (formOf(shape, value)) {
    case 'map':
      if (shape.map === undefined || shape.map.atomic) return MEMBER
      return isTree(value) ? claimedFields(shape.map, value) : undefined
    case 'list':
      if (shape.list === undefined || shape.list.atomic) return MEMBER
      return Array.isArray(value) ? claimedItems(shape.list, value) : undefined
    case 'scalar':
    default:
      return MEMBER
  }
}

function claimedFields(map: MapShape, value: Readonly<Record<string, unknown>>): FieldSet | undefined {
  const children: [PathElement, FieldSet][] = []
  for (const name of Object.keys(value)) {
    const item = value[name]
    const shape = childShape(map, name)
    if (shape === undefined) continue
    const inside = claimed(shape, item)
    const member = item === null || isEmptyTree(item) || !map.fields.has(name)
    const child = inside === undefined ? (member ? MEMBER : undefined) : member ? asMember(inside) : inside
    if (child !== undefined) children.push([childElement(map, name), child])
  }
  return nodeOf(false, children)
}

function claimedItems(list: ListShape, items: readonly unknown[]): FieldSet | undefined {
  const children = new Map<PathElement, FieldSet>()
  for (const item of items) {
    const element = itemElement(list, item)
    // Of duplicates only the place itself is owned.
    const inside = children.has(element) ? undefined : claimed(list.items, item)
    children.set(element, inside === undefined ? MEMBER : asMember(inside))
  }
  return nodeOf(false, [...children])
}

function asMember(node: FieldSet): FieldSet {
  return node === MEMBER || SELF in node ? node : { [SELF]: MEMBER, ...node }
}

const isEmptyTree = (value: unknown): boolean => isTree(value) && Object.keys(value).length === 0

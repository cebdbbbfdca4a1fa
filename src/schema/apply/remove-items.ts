import { isTree, setOwn } from '../../machinery/json-value.ts'
import { type FieldSet, hasChildren, isEmpty, isMember } from './field/field-set.ts'
import { itemElement } from './field/list-item.ts'
import {
  childElement,
  childShape,
  formOf,
  type ListShape,
  type MapShape,
  type MergeShape,
} from './field/merge-shape.ts'

/**
 * Returns a value without the fields, entries and items that the set names. A container that loses all of its parts stays as an empty
 * object or list. Shares what does not change.
 */
export function removeItems(shape: MergeShape, value: unknown, set: FieldSet): unknown {
  if (isEmpty(set)) return value
  switch (formOf(shape, value)) {
    case 'map':
      if (!isTree(value) || shape.map === undefined) return null
      return shape.map.atomic ? {} : withoutFields(shape.map, value, set)
    case 'list':
      if (!Array.isArray(value) || shape.list === undefined) return null
      return shape.list.atomic ? [] : withoutItems(shape.list, value, set)
    case 'scalar':
    default:
      return value
  }
}

function withoutFields(map: MapShape, value: Readonly<Record<string, unknown>>, set: FieldSet): unknown {
  let changed = false
  const result: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const old = value[name]
    const node = set[childElement(map, name)]
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const shape = childShape(map, name)
    const item = node === undefined || shape === undefined ? old : removeItems(shape, old, node)
    if (item !== old) changed = true
    setOwn(result, name, item)
  }
  return changed ? result : value
}

function withoutItems(list: ListShape, items: readonly unknown[], set: FieldSet): unknown {
  const result: unknown[] = []
  let changed = false
  for (const old of items) {
    const node = set[itemElement(list, old)]
    if (node !== undefined && isMember(node)) {
      changed = true
      continue
    }
    const item = node === undefined || !hasChildren(node) ? old : removeItems(list.items, old, node)
    if (item !== old) changed = true
    result.push(item)
  }
  return changed ? result : items
}

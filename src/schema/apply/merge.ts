import type { Type } from '../type/type.ts'
import { isTree, setOwn } from '../../machinery/json-value.ts'
import { itemElement } from './field/list-item.ts'
import { mergeOrder } from './merge-order.ts'
import { childShape, formOf, type ListShape, type MapShape, type MergeShape, shapeOf } from './field/merge-shape.ts'

/**
 * The live value with the applied one laid over it. Nothing is removed; what both have is the applied one's. Items of
 * associative lists are merged by their keys and come in the order of the applied list, others keep their neighbours.
 * Shares what does not change with its arguments. Throws `UntypedValueError`.
 *
 * @public for tests of types alone
 */
export const merge = (type: Type, live: unknown, applied: unknown): unknown => mergeShaped(shapeOf(type), live, applied)

/** `undefined` stands for an absent value. */
export function mergeShaped(shape: MergeShape, live: unknown, applied: unknown): unknown {
  if (applied === undefined || applied === live) return live
  if (live === undefined) return applied
  switch (formOf(shape, applied)) {
    case 'map':
      return shape.map === undefined || shape.map.atomic ? applied : mergeFields(shape.map, live, applied)
    case 'list':
      return shape.list === undefined || shape.list.atomic ? applied : mergeItems(shape.list, live, applied)
    case 'scalar':
    default:
      return applied
  }
}

function mergeFields(map: MapShape, live: unknown, applied: unknown): unknown {
  const left = isTree(live) ? live : {}
  const right = isTree(applied) ? applied : {}
  const names = Object.keys(right)
  // An empty object changes only what is empty itself, and so does null.
  if (names.length === 0) return Object.keys(left).length === 0 ? applied : live
  let result: Record<string, unknown> | undefined = isTree(live) ? undefined : {}
  for (const name of names) {
    const old = Object.hasOwn(left, name) ? left[name] : undefined
    const shape = childShape(map, name)
    const merged = shape === undefined ? right[name] : mergeShaped(shape, old, right[name])
    if (merged === old) continue
    result ??= { ...left }
    setOwn(result, name, merged)
  }
  return result ?? live
}

function mergeItems(list: ListShape, live: unknown, applied: unknown): unknown {
  const left: readonly unknown[] = Array.isArray(live) ? live : []
  const right: readonly unknown[] = Array.isArray(applied) ? applied : []
  if (right.length === 0) return left.length === 0 ? applied : live
  const result = mergeOrder(
    left.map((item) => ({ element: itemElement(list, item), value: item })),
    right.map((item) => ({ element: itemElement(list, item), value: item })),
  ).map(({ live: old, applied: item }) => mergeShaped(list.items, old, item))
  const same = Array.isArray(live) && result.length === left.length && result.every((item, at) => item === left[at])
  return same ? live : result
}

import {
  difference,
  type FieldSet,
  intersection,
  isEmpty,
  isMember,
  isSubset,
  MEMBER,
  nodeOf,
  union,
} from './field/field-set.ts'
import { fieldSetOf } from './field/field-set-of.ts'
import { type PathElement, SELF } from './field/path-element.ts'
import { removeItems } from './remove-items.ts'
import type { MergeShape } from './field/merge-shape.ts'

/**
 * Returns the merged object without fields that the applier set last time, does not set now, and that no other manager
 * owns. `held`: the fields that all managers own now, with those that the applier sets now.
 */
export function pruneFields(shape: MergeShape, merged: unknown, last: FieldSet, held: FieldSet): unknown {
  if (isSubset(last, held)) return merged
  const lastNamed = withNamedFields(shape, last)
  const all = withNamedFields(shape, fieldSetOf(shape, merged))
  const remaining = (value: unknown): FieldSet => withNamedFields(shape, fieldSetOf(shape, value))
  const dropped = removeItems(shape, merged, lastNamed)
  const kept = union(remaining(dropped), withNamedFields(shape, held))
  const pruned = removeItems(shape, merged, difference(all, kept))
  // Restore fields that were removed with an owned parent, but were not the applier's.
  return removeItems(shape, merged, intersection(difference(all, remaining(pruned)), lastNamed))
}

/** The set with each struct field that has a path below it. */
function withNamedFields(shape: MergeShape | undefined, node: FieldSet): FieldSet {
  const children: [PathElement, FieldSet][] = []
  for (const element in node) {
    const old = node[element]
    if (element === SELF || old === undefined) continue
    const name = element.startsWith('f:') ? element.slice(2) : undefined
    const field = name === undefined ? undefined : shape?.map?.fields.get(name)
    const inside = name === undefined ? shape?.list?.items : (field?.shape ?? shape?.map?.others)
    const child = withNamedFields(inside, old)
    children.push([
      element,
      field === undefined || SELF in child || isEmpty(child) ? child : { [SELF]: MEMBER, ...child },
    ])
  }
  return nodeOf(isMember(node), children) ?? MEMBER
}

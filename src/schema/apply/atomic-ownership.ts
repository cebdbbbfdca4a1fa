import { EMPTY, type FieldSet, hasChildren, isMember, MEMBER, nodeOf } from './field/field-set.ts'
import { type PathElement, SELF } from './field/path-element.ts'
import { childShape, type MergeShape } from './field/merge-shape.ts'

/**
 * A set as it must be since its schema changed: a manager that owned parts of a field owns all of it once the field is
 * atomic. The same set
 * where nothing changed. (What was atomic and is granular now needs no change: the parts are owned when they change.)
 */
export function reconcileWithSchema(shape: MergeShape, set: FieldSet): FieldSet {
  return reconcileNode(shape, set, true) ?? EMPTY
}

function reconcileNode(shape: MergeShape, node: FieldSet, root: boolean): FieldSet | undefined {
  const { map, list } = shape
  if (!hasChildren(node)) return node
  if (map !== undefined) {
    if (shape.deduced) return node
    if (map.atomic) return root ? node : MEMBER
    return reconcileChildren(node, root, (element) =>
      element.startsWith('f:') ? childShape(map, element.slice(2)) : map.others,
    )
  }
  if (shape.scalar !== undefined || list === undefined) return node
  if (list.atomic) return root ? node : MEMBER
  return reconcileChildren(node, root, () => list.items)
}

function reconcileChildren(
  node: FieldSet,
  root: boolean,
  shapeAt: (element: PathElement) => MergeShape | undefined,
): FieldSet | undefined {
  let same = true
  const children: [PathElement, FieldSet][] = []
  for (const element in node) {
    const old = node[element]
    if (element === SELF || old === undefined) continue
    const shape = shapeAt(element)
    const child = shape === undefined ? old : reconcileNode(shape, old, false)
    if (child !== old) same = false
    if (child !== undefined) children.push([element, child])
  }
  return same ? node : nodeOf(!root && isMember(node), children)
}

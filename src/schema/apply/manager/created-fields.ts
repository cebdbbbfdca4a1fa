import { isTree } from '../../../machinery/json-value.ts'
import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { compareShaped } from '../field/compare-objects.ts'
import { difference, EMPTY, type FieldSet, isEmpty, isMember, recursiveDifference, union } from '../field/field-set.ts'
import { inOrder } from '../field/in-order.ts'
import { STRIPPED } from './field-manager-conflicts.ts'
import { UntypedValueError } from '../field/list-item.ts'
import { fieldElement, type PathElement, SELF } from '../field/path-element.ts'
import type { MergeShape } from '../field/merge-shape.ts'
import { refuseUntyped, toFieldSet, undeclared } from '../field/to-field-set.ts'

type Members = Readonly<Record<string, unknown>>

/**
 * Returns the fields that the manager of a new object owns: those beyond `zero`, except fields that no manager owns or the request
 * cannot set. The same as a comparison of the two with these fields taken away, in one pass: every create takes this way.
 * Undefined for a value that is not owned by its fields, and for an object with errors: the comparison decides which of them count.
 */
export function createdFields(
  shape: MergeShape,
  zero: unknown,
  created: unknown,
  resetFields: FieldSet = EMPTY,
): FieldSet | undefined {
  if (!isOwnedByFields(shape, zero) || !isOwnedByFields(shape, created)) return undefined
  try {
    return beyond(shape, zero, created, STRIPPED, resetFields)
  } catch (error) {
    if (error instanceof UntypedValueError) return undefined
    throw error
  }
}

const isOwnedByFields = ({ map }: MergeShape, value: unknown): value is Members =>
  map?.atomic === false && isTree(value)

function beyond(shape: MergeShape, zero: Members, created: Members, stripped: FieldSet, reset: FieldSet): FieldSet {
  const node: Record<PathElement, FieldSet> = {}
  for (const name of inOrder(Object.keys(created), byCodePoint)) {
    const field = shape.map?.fields.get(name)
    const inside = field?.shape ?? shape.map?.others
    if (inside === undefined) throw undeclared(name)
    const element = field?.element ?? fieldElement(name)
    const value = created[name]
    const barred = reset[element]
    // Nothing of a whole field that the request cannot set is owned, but it has to have its type.
    if (barred !== undefined && isMember(barred)) {
      refuseUntyped(inside, value)
      continue
    }
    let child: FieldSet | undefined
    if (!Object.hasOwn(zero, name)) child = without(toFieldSet(inside, value), stripped[element])
    // Go writes a list without items as null: the items came, the list was there.
    else if (zero[name] === null && Array.isArray(value))
      child = without(itemsOf(toFieldSet(inside, value)), stripped[element])
    else if (zero[name] === value) continue
    else if (isOwnedByFields(inside, zero[name]) && isOwnedByFields(inside, value)) {
      const below = beyond(inside, zero[name], value, stripped[element] ?? EMPTY, EMPTY)
      if (!isEmpty(below)) child = below
    } else {
      const { added, modified } = compareShaped(shape, { [name]: zero[name] }, { [name]: value })
      const changed = union(modified, added)[element]
      if (changed !== undefined) child = without(changed, stripped[element])
    }
    if (child !== undefined && barred !== undefined) child = recursiveDifference(at(child), at(barred))[PLACE]
    if (child !== undefined) node[element] = child
  }
  return node
}

/** The node of a list without the list itself; one that counts as a whole stays. */
function itemsOf(list: FieldSet): FieldSet {
  if (isEmpty(list)) return list
  const { [SELF]: _list, ...items } = list
  return items
}

const PLACE = fieldElement('')
/** A set with the node of one place. */
const at = (node: FieldSet): FieldSet => ({ [PLACE]: node })

/** The node without the paths of another; undefined where nothing remains. */
const without = (node: FieldSet, taken: FieldSet | undefined): FieldSet | undefined =>
  taken === undefined ? node : difference(at(node), at(taken))[PLACE]

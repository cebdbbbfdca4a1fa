import { isTree, jsonEqual } from '../../../machinery/json-value.ts'
import { EMPTY, type FieldSet, MEMBER, nodeOf, unionNode } from './field-set.ts'
import { itemElement, itemsByElement } from './list-item.ts'
import type { PathElement } from './path-element.ts'
import { isSameNumber } from './same-number.ts'
import { undeclared, toFieldSet } from './to-field-set.ts'
import {
  childElement,
  childShape,
  type Form,
  formOf,
  type ListShape,
  type MapShape,
  type MergeShape,
} from './merge-shape.ts'

/** No path is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/**
 * Returns the differences between two values of a shape. An added or removed field counts with all its parts, atomic parts as one; an item
 * that is there more than once counts as a whole. Throws `UntypedValueError`.
 */
export function compareShaped(shape: MergeShape, old: unknown, updated: unknown): Comparison {
  const nodes = compareNodes(shape, old, updated)
  // A root that changed its form has no path of its own.
  return { added: nodes?.added ?? EMPTY, modified: nodes?.modified ?? EMPTY, removed: nodes?.removed ?? EMPTY }
}

/** As a comparison, but each set is the node of the place compared: an empty one says that the place itself changed. */
interface Nodes {
  readonly added: FieldSet | undefined
  readonly modified: FieldSet | undefined
  readonly removed: FieldSet | undefined
}

const MODIFIED: Nodes = { added: undefined, modified: MEMBER, removed: undefined }

/** Both values are there, though either may be null. */
function compareNodes(shape: MergeShape, old: unknown, updated: unknown): Nodes | undefined {
  if (old === updated) return undefined
  const before = formOf(shape, old)
  const after = formOf(shape, updated)
  const nodes = compareAs(after, shape, old, updated)
  if (before === after) return nodes
  const others = compareAs(before, shape, old, updated)
  return {
    added: either(others?.added, nodes?.added),
    modified: either(others?.modified, nodes?.modified),
    removed: either(others?.removed, nodes?.removed),
  }
}

function either(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? (a ?? b) : unionNode(a, b)
}

/** A value of another form than `form` counts as absent. */
function compareAs(form: Form, shape: MergeShape, old: unknown, updated: unknown): Nodes | undefined {
  if (form === 'map' && shape.map !== undefined && !shape.map.atomic) {
    const left = isTree(old) ? old : {}
    const right = isTree(updated) ? updated : {}
    const changes = new Changes()
    compareFields(shape.map, left, right, changes)
    if (!changes.compared) return jsonEqual(old, updated, isSameNumber) ? undefined : MODIFIED
    return changes.nodes()
  }
  if (form === 'list' && shape.list !== undefined && !shape.list.atomic) {
    const left = Array.isArray(old) ? old : []
    const right = Array.isArray(updated) ? updated : []
    // Whether a list is empty or null is worth a change, but only then.
    if (left.length === 0 && right.length === 0) return jsonEqual(old, updated, isSameNumber) ? undefined : MODIFIED
    const changes = new Changes()
    compareItems(shape.list, left, right, changes)
    return changes.nodes()
  }
  return jsonEqual(old, updated, isSameNumber) ? undefined : MODIFIED
}

/** Gathers what changed below one place. */
class Changes {
  /** Was there anything to compare? */
  compared = false
  private added: [PathElement, FieldSet][] | undefined
  private modified: [PathElement, FieldSet][] | undefined
  private removed: [PathElement, FieldSet][] | undefined

  add(element: PathElement, node: FieldSet): void {
    ;(this.added ??= []).push([element, node])
  }
  modify(element: PathElement, node: FieldSet): void {
    ;(this.modified ??= []).push([element, node])
  }
  remove(element: PathElement, node: FieldSet): void {
    ;(this.removed ??= []).push([element, node])
  }
  inside(element: PathElement, nodes: Nodes): void {
    if (nodes.added !== undefined) this.add(element, nodes.added)
    if (nodes.modified !== undefined) this.modify(element, nodes.modified)
    if (nodes.removed !== undefined) this.remove(element, nodes.removed)
  }
  nodes(): Nodes | undefined {
    if (this.added === undefined && this.modified === undefined && this.removed === undefined) return undefined
    return {
      added: nodeOf(false, this.added ?? []),
      modified: nodeOf(false, this.modified ?? []),
      removed: nodeOf(false, this.removed ?? []),
    }
  }
}

type Members = Readonly<Record<string, unknown>>

function compareFields(map: MapShape, old: Members, updated: Members, changes: Changes): void {
  let shared = 0
  for (const name of Object.keys(updated)) {
    changes.compared = true
    const value = updated[name]
    const isOld = Object.hasOwn(old, name)
    if (isOld) shared++
    if (isOld && old[name] === value) continue
    const field = map.fields.get(name)
    const shape = field?.shape ?? map.others
    if (shape === undefined) throw undeclared(name)
    if (!isOld) changes.add(childElement(map, name), toFieldSet(shape, value))
    else {
      const nodes = compareNodes(shape, old[name], value)
      if (nodes !== undefined) changes.inside(field?.element ?? childElement(map, name), nodes)
    }
  }
  const names = Object.keys(old)
  if (names.length === shared) {
    if (shared > 0) changes.compared = true
    return
  }
  changes.compared = true
  for (const name of names) {
    if (Object.hasOwn(updated, name)) continue
    const shape = childShape(map, name)
    if (shape === undefined) throw undeclared(name)
    changes.remove(childElement(map, name), toFieldSet(shape, old[name]))
  }
}

function compareItems(list: ListShape, old: readonly unknown[], updated: readonly unknown[], changes: Changes): void {
  // The usual cases, without a look at all keys.
  if (jsonEqual(old, updated, isSameNumber)) return
  if (old.length === 0 && updated.length === 1) {
    changes.add(itemElement(list, updated[0]), toFieldSet(list.items, updated[0]))
    return
  }
  const left = itemsByElement(list, old)
  const right = itemsByElement(list, updated)
  for (const [element, before] of left) {
    const after = right.get(element) ?? []
    if (before.length > 1 && after.length > 1) {
      if (!jsonEqual(before, after, isSameNumber)) changes.modify(element, MEMBER)
    } else if (before.length > 1) {
      if (after.length === 1) changes.add(element, toFieldSet(list.items, after[0]))
      changes.remove(element, MEMBER)
    } else if (after.length > 1) {
      changes.remove(element, toFieldSet(list.items, before[0]))
      changes.add(element, MEMBER)
    } else if (after.length === 0) changes.remove(element, toFieldSet(list.items, before[0]))
    else {
      const nodes = compareNodes(list.items, before[0], after[0])
      if (nodes !== undefined) changes.inside(element, nodes)
    }
  }
  for (const [element, after] of right) {
    if (left.has(element)) continue
    changes.add(element, after.length > 1 ? MEMBER : toFieldSet(list.items, after[0]))
  }
}

import { inOrder } from './in-order.ts'
import {
  canonicalElement,
  compareElements,
  elementText,
  FieldSetError,
  fieldElement,
  type PathElement,
  SELF,
} from './path-element.ts'

/**
 * A set of paths as a tree, in the very form of `fieldsV1`: below each element stand the elements that follow it. A path
 * belongs to the set when its node is empty or has a `.`. Elements are canonical and in order; nodes are shared between
 * sets and never changed. The root is not a path: an empty root is the empty set.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet
}

/** The node of a path without children. */
export const MEMBER: FieldSet = Object.freeze({})
export const EMPTY: FieldSet = MEMBER

export function isEmpty(set: FieldSet): boolean {
  for (const _element in set) return false
  return true
}

/** Does the path whose node this is belong to the set? */
export const isMember = (node: FieldSet): boolean => SELF in node || isEmpty(node)
/** Do paths below the one whose node this is belong to the set? */
export function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== SELF) return true
  return false
}

/** A node of children, which may come in any order. `undefined` where nothing remains. */
export function nodeOf(member: boolean, children: readonly (readonly [PathElement, FieldSet])[]): FieldSet | undefined {
  if (children.length === 0) return member ? MEMBER : undefined
  const node: Record<string, FieldSet> = member ? { [SELF]: MEMBER } : {}
  for (const [element, child] of inOrder(children, ([a], [b]) => compareElements(a, b))) node[element] = child
  return node
}

/** The set of paths that are given as names of fields: `fieldSet(['status'], ['metadata', 'labels'])`. */
export function fieldSet(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce<FieldSet>((set, path) => {
    const node = path.reduceRight<FieldSet>((child, name) => ({ [fieldElement(name)]: child }), MEMBER)
    return union(set, node)
  }, EMPTY)
}

/** Reads `fieldsV1` as anybody may have written it. Throws `FieldSetError`. */
export function canonicalFields(fields: unknown): FieldSet {
  return canonicalNode(fields) ?? EMPTY
}

function canonicalNode(fields: unknown): FieldSet | undefined {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new FieldSetError('fields are not an object')
  const children = new Map<PathElement, FieldSet>()
  let member = false
  for (const [text, value] of Object.entries(fields)) {
    if (text === SELF) {
      member = true
      continue
    }
    const element = canonicalElement(text)
    if (element === undefined) continue
    const child = canonicalNode(value) ?? MEMBER
    const known = children.get(element)
    children.set(element, known === undefined ? child : unionNode(known, child))
  }
  return nodeOf(member, [...children])
}

/** The paths of either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(a)) return b
  return isEmpty(b) ? a : unionNode(a, b)
}

/** The paths of all the sets, put together in pairs: one by one, the growing set would be copied for each of them. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let left = sets
  while (left.length > 1) {
    const pairs: FieldSet[] = []
    for (let at = 0; at < left.length; at += 2) pairs.push(union(left[at] ?? EMPTY, left[at + 1] ?? EMPTY))
    left = pairs
  }
  return left[0] ?? EMPTY
}

/** As `union`, of two nodes that stand for the same path, where an empty one is a member. */
export function unionNode(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  const children: [PathElement, FieldSet][] = []
  let same = true
  for (const element in a) {
    if (element === SELF) continue
    const left = a[element] ?? MEMBER
    const right = b[element]
    const child = right === undefined ? left : unionNode(left, right)
    if (child !== left) same = false
    children.push([element, child])
  }
  for (const element in b) {
    if (element === SELF || element in a) continue
    same = false
    children.push([element, b[element] ?? MEMBER])
  }
  const member = isMember(a) || isMember(b)
  if (same && member === isMember(a)) return a
  return nodeOf(member, children) ?? MEMBER
}

/** The paths of `a` that `b` does not have; what is below a path of `b` stays. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (subtract(a, b, false) ?? EMPTY)
}

/** As `difference`, but what is below a path of `b` goes too. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? a : (subtract(a, b, true) ?? EMPTY)
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const member = isMember(a) && !isMember(b)
  // The set to subtract mostly has few elements, and mostly none of `a`.
  let changed: Map<PathElement, FieldSet | undefined> | undefined
  for (const element in b) {
    const left = a[element]
    if (element === SELF || left === undefined) continue
    const right = b[element] ?? MEMBER
    const child = recursive && isMember(right) ? undefined : subtract(left, right, recursive)
    if (child !== left) (changed ??= new Map()).set(element, child)
  }
  if (changed === undefined && member === isMember(a)) return a
  const children: [PathElement, FieldSet][] = []
  for (const element in a) {
    if (element === SELF) continue
    const child = changed?.has(element) === true ? changed.get(element) : a[element]
    if (child !== undefined) children.push([element, child])
  }
  return nodeOf(member, children)
}

/** The paths that both sets have. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return isEmpty(a) || isEmpty(b) ? EMPTY : (common(a, b) ?? EMPTY)
}

function common(a: FieldSet, b: FieldSet): FieldSet | undefined {
  const children: [PathElement, FieldSet][] = []
  for (const element in a) {
    if (element === SELF) continue
    const right = b[element]
    const child = right === undefined ? undefined : common(a[element] ?? MEMBER, right)
    if (child !== undefined) children.push([element, child])
  }
  return nodeOf(isMember(a) && isMember(b), children)
}

export const isSubset = (a: FieldSet, b: FieldSet): boolean => isEmpty(difference(a, b))

/** The paths as messages print them: of each place first what belongs to the set itself, then what is below. */
export function pathTexts(set: FieldSet): string[] {
  const found: string[] = []
  const visit = (node: FieldSet, path: string): void => {
    const children = Object.entries(node).filter(([element]) => element !== SELF)
    for (const [element, child] of children) if (isMember(child)) found.push(path + elementText(element))
    for (const [element, child] of children) visit(child, path + elementText(element))
  }
  visit(set, '')
  return found
}

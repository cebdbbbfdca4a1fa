import type { Comparison } from '../field/compare-objects.ts'
import {
  difference,
  EMPTY,
  type FieldSet,
  fieldSet,
  intersection,
  isEmpty,
  recursiveDifference,
  union,
} from '../field/field-set.ts'
import type { Manager, Managers } from './managers.ts'

/** The fields that belong to the server or name the object, which no manager owns (apimachinery's `stripMetaManager`). */
export const STRIPPED = fieldSet(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
)

/** A set without what nobody can own. */
export const owned = (fields: FieldSet): FieldSet => difference(fields, STRIPPED)

/** A comparison, or a set, without the fields that the request cannot change, such as `status` of the main resource. */
export function withoutReset(fields: FieldSet, resetFields: FieldSet | undefined): FieldSet {
  return resetFields === undefined ? fields : recursiveDifference(fields, resetFields)
}

export interface Transfer {
  /** Without those that own nothing any more. */
  readonly managers: Managers
  /** By the key of the manager: what was its own and has changed. */
  readonly conflicts: ReadonlyMap<string, FieldSet>
}

const NOTHING_TAKEN: Transfer = { managers: new Map(), conflicts: new Map() }

/** Removes the changed and removed fields of an operation from all managers but the one with the key `self`. */
export function takeFromOthers(managers: Managers, changes: Comparison, self: string | undefined): Transfer {
  if (managers.size === 0) return NOTHING_TAKEN
  const changed = union(changes.modified, changes.added)
  const conflicts = new Map<string, FieldSet>()
  const result = new Map<string, Manager>()
  for (const [key, manager] of managers) {
    const conflict = key === self ? EMPTY : intersection(manager.fields, changed)
    if (!isEmpty(conflict)) conflicts.set(key, conflict)
    const kept = difference(manager.fields, conflict)
    const fields = key === self ? kept : difference(kept, changes.removed)
    if (isEmpty(fields)) continue
    result.set(key, fields === manager.fields ? manager : { ...manager, fields })
  }
  return { managers: result, conflicts }
}

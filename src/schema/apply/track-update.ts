import { jsonEqual } from '../../machinery/json-value.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { Type } from '../type/type.ts'
import { capUpdateManagers } from './manager/cap-managers.ts'
import { compareShaped } from './field/compare-objects.ts'
import { createdFields } from './manager/created-fields.ts'
import { EMPTY, type FieldSet, isEmpty, union } from './field/field-set.ts'
import { UntypedValueError } from './field/list-item.ts'
import { type Manager, managerKey, type Managers, readManagers, writeManagers } from './manager/managers.ts'
import { owned, takeFromOthers, withoutReset } from './manager/field-manager-conflicts.ts'
import { FieldSetError } from './field/path-element.ts'
import { reconcileWithSchema } from './atomic-ownership.ts'
import { isSameNumber } from './field/same-number.ts'
import { type MergeShape, shapeOf } from './field/merge-shape.ts'
import { zeroObject } from './zero-object.ts'

export interface UpdateTracking {
  readonly type: Type
  /** The stored object, or `undefined` when it is created. */
  readonly live: JsonObject | undefined
  /** The object as the client wants it: decoded and defaulted, before admission. */
  readonly updated: JsonObject
  /** See `managerName`; an empty one becomes `unknown`. */
  readonly manager: string
  readonly apiVersion: string
  /** All versions of the kind that are served; managers of others are forgotten. Without it all are kept. */
  readonly versions?: ReadonlySet<string> | undefined
  /** Empty for the main resource. */
  readonly subresource: string
  /** RFC 3339 with seconds. */
  readonly time: string
  /** Fields that this request cannot change, so that nobody comes to own them by it. */
  readonly resetFields?: FieldSet | undefined
}

/**
 * The `metadata.managedFields` of an object that a create, an update or a patch (other than apply) has made: the
 * manager owns what it changed, the others lose that. Empty where nothing is tracked: no managed fields on a stored
 * object, or reset by the client (apimachinery's `FieldManager.Update`). Changes none of its arguments.
 */
export function trackUpdate(request: UpdateTracking): readonly JsonObject[] {
  const { live, updated } = request
  const stored = managedFieldsOf(live) ?? []
  const sent = request.subresource === '' ? managedFieldsOf(updated) : undefined
  if (isReset(sent)) return live === undefined ? tracked(request, new Map()) : []
  const managers = managersOf(stored, sent)
  // An object that was never tracked is not tracked from the middle of its life on.
  if (managers.size === 0 && live !== undefined) return []
  return tracked(request, managers)
}

function tracked(request: UpdateTracking, managers: Managers): readonly JsonObject[] {
  try {
    return writeManagers(capUpdateManagers(afterUpdate(request, managers)))
  } catch (error) {
    // Upstream too would rather know nothing than refuse the request.
    if (error instanceof UntypedValueError) return []
    throw error
  }
}

const BUILT_IN = 'io.k8s.api.'

/** The owners of fields after an update. Throws `UntypedValueError`. */
export function afterUpdate(request: UpdateTracking, all: Managers): Managers {
  const managers = servedManagers(all, request.versions)
  const { type, live, updated, resetFields } = request
  const shape = shapeOf(type)
  if (live === undefined && managers.size === 0) {
    const created = createdFields(shape, zeroObject(type), withoutManagedFields(updated), resetFields)
    if (created !== undefined) return withUpdater(managers, request, created)
  }
  const before = withoutManagedFields(live === undefined ? zeroObject(type) : withZeros(type, live, updated))
  const changes = compareShaped(shape, before, withoutManagedFields(updated))
  const effective = {
    added: withoutReset(changes.added, resetFields),
    modified: withoutReset(changes.modified, resetFields),
    removed: withoutReset(changes.removed, resetFields),
  }
  // The schemas of custom resources change under stored objects; for built-in ones the next apply is soon enough.
  const current =
    type.kind === 'object' && type.name.startsWith(BUILT_IN) ? managers : reconcileManagers(shape, managers)
  const { managers: others } = takeFromOthers(current, effective, undefined)
  return withUpdater(others, request, owned(union(effective.modified, effective.added)))
}

/** The managers with the one whose update took these fields. */
function withUpdater(others: Managers, request: UpdateTracking, taken: FieldSet): Managers {
  if (isEmpty(taken)) return others
  const { manager, apiVersion, subresource, time } = request
  const identity = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update' as const,
    apiVersion,
    subresource,
  }
  const key = managerKey(identity)
  const result = new Map(others)
  result.set(key, { ...identity, time, fields: union(taken, others.get(key)?.fields ?? EMPTY) })
  return result
}

/** The stored object with the structs that Go always writes, such as `status`, where only the updated one has them. */
function withZeros(type: Type, live: JsonObject, updated: JsonObject): JsonObject {
  let result: Record<string, unknown> | undefined
  for (const name in updated) {
    if (live[name] !== undefined || !isObject(updated[name])) continue
    const zero = zeroObject(type)[name]
    if (isObject(zero)) (result ??= { ...live })[name] = zero
  }
  return result ?? live
}

/** The managers without those that wrote in a version which is not served any more. */
export function servedManagers(managers: Managers, versions: ReadonlySet<string> | undefined): Managers {
  if (versions === undefined) return managers
  for (const { apiVersion } of managers.values()) {
    if (versions.has(apiVersion)) continue
    return new Map([...managers].filter(([, manager]) => versions.has(manager.apiVersion)))
  }
  return managers
}

/** The managers with what they own brought in line with the schema of today. */
export function reconcileManagers(shape: MergeShape, managers: Managers): Managers {
  if (managers.size === 0) return managers
  const result = new Map<string, Manager>()
  for (const [key, manager] of managers) {
    const fields = reconcileWithSchema(shape, manager.fields)
    result.set(key, fields === manager.fields ? manager : { ...manager, fields })
  }
  return result
}

/** Clients may edit managed fields; what they leave out or get wrong stays as it was. */
function managersOf(stored: readonly JsonObject[], sent: readonly JsonObject[] | undefined): Managers {
  if (sent !== undefined && sent.length > 0 && !jsonEqual(sent, stored, isSameNumber)) {
    const managers = readOrNone(sent, false)
    if (managers.size > 0) return managers
  }
  return readOrNone(stored, true)
}

function readOrNone(entries: readonly JsonObject[], trusted: boolean): Managers {
  try {
    return readManagers(entries, trusted)
  } catch (error) {
    if (error instanceof FieldSetError) return new Map()
    throw error
  }
}

/** An empty list, or one empty entry, is how a client asks to forget all managers. */
function isReset(entries: readonly JsonObject[] | undefined): boolean {
  const [first] = entries ?? []
  if (entries === undefined || entries.length > 1) return false
  return first === undefined || Object.keys(first).length === 0
}

export function managedFieldsOf(object: JsonObject | undefined): readonly JsonObject[] | undefined {
  const metadata = object?.['metadata']
  const entries = isObject(metadata) ? metadata['managedFields'] : undefined
  return Array.isArray(entries) ? entries.filter(isObject) : undefined
}

export function withoutManagedFields(object: JsonObject): JsonObject {
  const metadata = object['metadata']
  if (!isObject(metadata) || metadata['managedFields'] === undefined) return object
  const { managedFields: _managedFields, ...rest } = metadata
  return { ...object, metadata: rest }
}

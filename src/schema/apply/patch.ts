import { jsonEqual } from '../../machinery/json-value.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status.ts'
import type { Type } from '../type/type.ts'
import { compareShaped } from './field/compare-objects.ts'
import { type Conflict, conflictsOf } from './manager/conflict-error.ts'
import { difference, EMPTY, type FieldSet, isEmpty, union } from './field/field-set.ts'
import { fieldSetOf } from './field/field-set-of.ts'
import { KUBECTL, unchangedSinceClientSideApply, withLastApplied } from './manager/last-applied.ts'
import { UntypedValueError } from './field/list-item.ts'
import { type Manager, managerKey, type Managers, readManagers, writeManagers } from './manager/managers.ts'
import { mergeShaped } from './merge.ts'
import { owned, takeFromOthers, withoutReset } from './manager/field-manager-conflicts.ts'
import { FieldSetError } from './field/path-element.ts'
import { pruneFields } from './prune-fields.ts'
import { isSameNumber } from './field/same-number.ts'
import { type MergeShape, shapeOf } from './field/merge-shape.ts'
import { appliedSubject } from './subject.ts'
import {
  afterUpdate,
  managedFieldsOf,
  reconcileManagers,
  servedManagers,
  withoutManagedFields,
} from './track-update.ts'
import { typeErrors, typeErrorText } from './field/validate-typed.ts'
import { unclassified } from '../patch/error.ts'

export interface ApplyRequest {
  readonly type: Type
  /** The stored object, or `undefined` when the apply creates it. */
  readonly live: JsonObject | undefined
  /** The request's body as it was sent, without defaults. */
  readonly applied: JsonObject
  readonly manager: string
  readonly force: boolean
  /** `apps/v1` */
  readonly apiVersion: string
  /** All versions of the kind that are served; managers of others are forgotten. Without it all are kept. */
  readonly versions?: ReadonlySet<string> | undefined
  /** When given, the body must be of it. */
  readonly kind?: string | undefined
  /** Empty for the main resource. */
  readonly subresource: string
  /** RFC 3339 with seconds. */
  readonly time: string
  /** Fields that this request cannot change, so that nobody comes to own them by it. */
  readonly resetFields?: FieldSet | undefined
}

export interface Applied {
  /** Not yet decoded or defaulted; its metadata carries the managed fields. The live object's parts where unchanged. */
  readonly object: JsonObject
  readonly managedFields: readonly JsonObject[]
}

export interface Conflicted {
  /** At least one; `conflictError` makes the 409 of them. */
  readonly conflicts: readonly Conflict[]
}

/**
 * Server-side apply: merges the applied configuration into the live object, removes what its manager applied before,
 * applies no more and nobody else owns, and records the new owners of fields (apimachinery's `FieldManager.Apply`). Throws
 * `ApiError` for a body that cannot be applied. Changes none of its arguments.
 */
export function applyPatch(request: ApplyRequest): Applied | Conflicted {
  const shape = shapeOf(request.type)
  checkBody(request, shape)
  const managers = managersBefore(request, shape)
  try {
    return outcomeOf(request, shape, managers)
  } catch (error) {
    if (error instanceof UntypedValueError) throw unclassified(`failed to merge config: ${error.message}`)
    throw error
  }
}

function outcomeOf(request: ApplyRequest, shape: MergeShape, managers: Managers): Applied | Conflicted {
  const result = applyOnce(request, shape, managers, request.force)
  const isKubectl = request.manager === KUBECTL
  if (!('taken' in result)) return isKubectl ? annotated(request, result) : result
  if (!isKubectl) return { conflicts: conflictsOf(result.taken) }
  const allowed = unchangedSinceClientSideApply(shape, withoutManagedFields(request.live ?? {}), request.apiVersion)
  const taken = result.taken.flatMap(([manager, fields]) => pairOf(manager, difference(fields, allowed)))
  if (taken.length > 0) return { conflicts: conflictsOf(taken) }
  const forced = applyOnce(request, shape, managers, true)
  return 'taken' in forced ? { conflicts: conflictsOf(forced.taken) } : annotated(request, forced)
}

function annotated({ applied }: ApplyRequest, { object, managedFields }: Applied): Applied {
  return { object: withLastApplied(object, applied), managedFields }
}

function checkBody({ applied, apiVersion, kind }: ApplyRequest, shape: MergeShape): void {
  const given = appliedSubject(applied)
  if (given.apiVersion !== apiVersion || (kind !== undefined && applied['kind'] !== kind)) {
    throw badRequest(`invalid object type: ${given.kind}`)
  }
  if (managedFieldsOf(applied) !== undefined) throw badRequest('metadata.managedFields must be nil')
  const errors = typeErrors(shape, applied)
  if (errors.length === 0) return
  throw unclassified(`failed to create typed patch object (${given.subject}): ${typeErrorText(errors)}`)
}

/** The fields of an object without managers belong to its last writer, under a name of its own. */
function managersBefore(request: ApplyRequest, shape: MergeShape): Managers {
  const { live } = request
  if (live === undefined) return new Map()
  try {
    const managers = readManagers(managedFieldsOf(live) ?? [], true)
    if (managers.size > 0) return reconcileManagers(shape, servedManagers(managers, request.versions))
    return afterUpdate({ ...request, live: undefined, updated: live, manager: 'before-first-apply' }, managers)
  } catch (error) {
    if (error instanceof FieldSetError) throw unclassified(`failed to decode managed fields: ${error.message}`)
    if (error instanceof UntypedValueError)
      throw unclassified(`failed to create manager for existing fields: ${error.message}`)
    throw error
  }
}

/** The fields of other managers that an apply would change without `force`. */
interface Taken {
  readonly taken: readonly (readonly [Manager, FieldSet])[]
}

function applyOnce(request: ApplyRequest, shape: MergeShape, before: Managers, force: boolean): Applied | Taken {
  const live = withoutManagedFields(request.live ?? {})
  const applied = withoutManagedFields(request.applied)
  const identity = {
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply' as const,
    apiVersion: request.apiVersion,
    subresource: request.subresource,
  }
  const self = managerKey(identity)
  const last = before.get(self)
  const wanted = withoutReset(fieldSetOf(shape, applied), request.resetFields)
  const withWanted = new Map(before).set(self, { ...identity, time: last?.time, fields: wanted })
  const merged = mergeShaped(shape, live, applied)
  const object = last === undefined ? merged : pruneFields(shape, merged, last.fields, heldBy(withWanted.values()))
  const { managers, conflicts } = takeFromOthers(withWanted, changesOf(request, shape, live, object), self)
  if (!force && conflicts.size > 0) {
    return { taken: [...conflicts].flatMap(([key, fields]) => pairOf(before.get(key), fields)) }
  }
  const changed = request.live === undefined || !jsonEqual(live, object, isSameNumber)
  const result = new Map(managers)
  result.delete(self)
  const fields = owned(wanted)
  if (!isEmpty(fields)) result.set(self, { ...identity, time: changed ? request.time : last?.time, fields })
  return withManagedFields(isObject(object) ? object : {}, writeManagers(result))
}

function changesOf(
  request: ApplyRequest,
  shape: MergeShape,
  live: JsonObject,
  object: unknown,
): ReturnType<typeof compareShaped> {
  const { added, modified, removed } = compareShaped(shape, live, object)
  return {
    added: withoutReset(added, request.resetFields),
    modified: withoutReset(modified, request.resetFields),
    removed: withoutReset(removed, request.resetFields),
  }
}

const pairOf = (manager: Manager | undefined, fields: FieldSet): [Manager, FieldSet][] =>
  manager === undefined || isEmpty(fields) ? [] : [[manager, fields]]

const heldBy = (managers: Iterable<Manager>): FieldSet =>
  [...managers].reduce<FieldSet>((held, { fields }) => union(held, fields), EMPTY)

function withManagedFields(object: JsonObject, managedFields: readonly JsonObject[]): Applied {
  if (managedFields.length === 0) return { object, managedFields }
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  return { object: { ...object, metadata: { ...metadata, managedFields } }, managedFields }
}

import type { AllocatedDeviceStatus, ResourceClaim, ResourceClaimStatus } from '../../builtin/resource-v1.ts'
import { append, type FieldError, forbidden, invalid } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { all, at, type Change, each, fill, set, setOrDrop } from '../rule/change.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { absent, countOf, objectsOf, specOf, statusOf, textOf, valueAt } from '../../machinery/read.ts'
import type { Strategy } from '../strategy/strategy.ts'

const exactCount: Change = (request) => {
  const counted = all(fill({ allocationMode: 'ExactCount' }), each('tolerations', fill({ operator: 'Equal' })))(request)
  return counted.allocationMode === 'ExactCount' && !countOf(counted.count) ? set(counted, 'count', 1) : counted
}
/** In v1 and v1beta2 a request stands under `exactly` or `firstAvailable`; in v1beta1 it is the entry itself. */
const deviceRequest: Change = (request) => {
  const nested = all(at('exactly', exactCount), each('firstAvailable', exactCount))(request)
  return textOf(request.deviceClassName) === '' ? nested : exactCount(nested)
}
const claimSpec: Change = at('devices', each('requests', deviceRequest))

/** The spec is immutable (resource `ValidateResourceClaimUpdate` and `ValidateResourceClaimTemplateUpdate`). */
const validateUpdate = (object: ResourceClaim, old: ResourceClaim): readonly FieldError[] =>
  semanticallyEqual(specOf(object), specOf(old)) ? [] : [invalid('spec', specOf(object), 'field is immutable')]

/** The errors in the new status of a claim (resource `validateResourceClaimStatusUpdate`). */
function validateStatus(object: ResourceClaim, old: ResourceClaim): readonly FieldError[] {
  const [status, before] = [statusOf(object), statusOf(old)]
  const errors: FieldError[] = []
  append(errors, validateReservations(object, old))
  const isChanged = !absent(status.allocation) && !absent(before.allocation)
  if (isChanged && !semanticallyEqual(status.allocation, before.allocation))
    errors.push(invalid('status.allocation', status.allocation, 'field is immutable'))
  return errors
}

function validateReservations(object: ResourceClaim, old: ResourceClaim): readonly FieldError[] {
  const path = 'status.reservedFor'
  const { reservedFor, allocation } = statusOf(object)
  const reserved = objectsOf(reservedFor)
  if (reserved.length === 0) return []
  if (absent(allocation)) return [forbidden(path, 'may not be specified when `allocated` is not set')]
  if (object.metadata.deletionTimestamp === undefined) return []
  const before = new Set(objectsOf(statusOf(old).reservedFor).map(({ uid }) => uid))
  return reserved.every(({ uid }) => before.has(uid))
    ? []
    : [forbidden(path, 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set')]
}

/** The status without reports about devices that are not allocated any more. */
function withoutFreed(object: ResourceClaim, old: ResourceClaim): KubeObject {
  const status = statusOf(object)
  const held = new Set(allocatedOf(status).map(deviceKey))
  const freed = new Set(
    allocatedOf(statusOf(old))
      .map(deviceKey)
      .filter((key) => !held.has(key)),
  )
  const devices = objectsOf(status.devices)
  const left = devices.filter((device) => !freed.has(deviceKey(device)))
  if (left.length === devices.length) return object
  return set(object, 'status', setOrDrop(status, 'devices', left.length === 0 ? undefined : left))
}

const allocatedOf = (status: ResourceClaimStatus): readonly JsonObject[] =>
  objectsOf(valueAt(status, 'allocation', 'devices', 'results'))

/** The identity of a device of a claim. */
export const deviceKey = ({ driver, pool, device, shareID }: AllocatedDeviceStatus): string =>
  JSON.stringify([textOf(driver), textOf(pool), textOf(device), textOf(shareID)])

const base = lifecycle({ status: {} })

/** Devices that are asked for, and what became of that. */
export const resourceClaim: Strategy = {
  ...base,
  statusKeeps: 'metadata',
  defaults: at('spec', claimSpec),
  validateUpdate,
  prepareForStatusUpdate: (object, old, context) =>
    withoutFreed(base.prepareForStatusUpdate(object, old, context), old),
  validateStatusUpdate: validateStatus,
}

export const resourceClaimTemplate: Strategy = {
  defaults: at('spec', at('spec', claimSpec)),
  validateUpdate,
}

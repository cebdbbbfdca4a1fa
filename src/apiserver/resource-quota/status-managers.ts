import type { QuantityTexts, ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { fieldSet } from '../../schema/apply/field/field-set.ts'
import { trackUpdate } from '../../schema/apply/track-update.ts'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { textOf } from '../../machinery/read.ts'
import type { Type } from '../../schema/type/type.ts'

/** The managers that count and that charge: the names under which a cluster's programs write quotas. */
export type StatusManager = 'kube-controller-manager' | 'kube-apiserver'

const OUTSIDE_STATUS = fieldSet(['spec'], ['metadata'])

/** A quota with a new status, and its field owners after `manager` wrote that at `time`. */
export function withStatusOf(
  type: Type,
  old: ResourceQuota,
  status: ResourceQuota['status'],
  manager: StatusManager,
  time: string,
): ResourceQuota {
  const { managedFields: entries = [], ...metadata } = old.metadata
  const updated = { ...old, metadata, ...(status === undefined ? {} : { status }) }
  // An object without managed fields gets none by a write of its status.
  if (entries.length === 0) return updated
  const managedFields =
    again(entries, old.status, status, manager, time) ??
    trackUpdate({
      type,
      live: old,
      updated,
      manager,
      apiVersion: 'v1',
      subresource: 'status',
      time,
      resetFields: OUTSIDE_STATUS,
    })
  return { ...updated, metadata: { ...metadata, managedFields } }
}

/**
 * The usual case on the way of every admission, without looking at the whole object: the usage changes of resources whose
 * usage the same manager wrote last. Only the time of its entry is new, which then comes last.
 */
function again(
  entries: readonly JsonObject[],
  old: ResourceQuota['status'],
  status: ResourceQuota['status'],
  manager: StatusManager,
  time: string,
): readonly JsonObject[] | undefined {
  if (old?.used === undefined || status?.used === undefined || old.hard !== status.hard) return undefined
  const mine = entries.find((one) => one['manager'] === manager && isOfStatus(one) && one['operation'] === 'Update')
  const owned = member(member(mine?.['fieldsV1'], 'f:status'), 'f:used')
  if (mine === undefined || !isObject(owned) || !ownsChanges(owned, old.used, status.used)) return undefined
  if (mine['time'] === time) return entries
  const others = entries.filter((one) => one !== mine)
  const isLast = others.every((one) => textOf(one['time']) < time && !(isOfStatus(one) && one['operation'] === 'Apply'))
  return isLast ? [...others, { ...mine, time }] : undefined
}

function ownsChanges(owned: JsonObject, before: QuantityTexts, after: QuantityTexts): boolean {
  for (const name in after) if (before[name] !== after[name] && !Object.hasOwn(owned, `f:${name}`)) return false
  for (const name in before) if (after[name] === undefined) return false
  return true
}

const isOfStatus = (entry: JsonObject): boolean => entry['subresource'] === 'status'
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

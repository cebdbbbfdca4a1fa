import { byCodePoint } from '../../../machinery/jsonpath/code-point-order.ts'
import { type FieldSet, unionOf } from '../field/field-set.ts'
import { type Manager, managerKey, type Managers, seconds } from './managers.ts'

/** More managers of updates than these are not remembered one by one. */
const MAX_UPDATE_MANAGERS = 10
const OLD_CHANGES = 'ancient-changes'

/**
 * No more than ten managers of updates: the oldest of each apiVersion become one, `ancient-changes`, with the time of
 * the newest that went into it (apimachinery's `capManagersManager`).
 */
export function capUpdateManagers(managers: Managers): Managers {
  if (managers.size <= MAX_UPDATE_MANAGERS) return managers
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers
  const oldest = updaters
    .map(([key, manager]) => ({ key, manager, at: seconds(manager.time) }))
    .toSorted((a, b) => a.at - b.at || byCodePoint(a.key, b.key))
  const result = new Map(managers)
  const firstOf = new Map<string, readonly [string, Manager]>()
  /** The sets of each bucket. They are united at the end, because a growing set would be copied each time. */
  const parts = new Map<string, FieldSet[]>()
  let count = updaters.length
  for (const { key, manager } of oldest) {
    if (count <= MAX_UPDATE_MANAGERS) break
    const { apiVersion } = manager
    const first = firstOf.get(apiVersion)
    if (first === undefined) {
      firstOf.set(apiVersion, [key, manager])
      continue
    }
    const identity = { manager: OLD_CHANGES, operation: 'Update' as const, apiVersion, subresource: '' }
    const bucketKey = managerKey(identity)
    let bucket = result.get(bucketKey)
    if (bucket === undefined) {
      const [firstKey, { fields }] = first
      result.delete(firstKey)
      bucket = { ...identity, time: manager.time, fields }
    }
    if (key !== bucketKey) result.delete(key)
    const known = parts.get(bucketKey)
    if (known === undefined) parts.set(bucketKey, [bucket.fields, manager.fields])
    else known.push(manager.fields)
    result.set(bucketKey, { ...bucket, time: manager.time })
    count--
  }
  for (const [key, sets] of parts) {
    const bucket = result.get(key)
    if (bucket !== undefined) result.set(key, { ...bucket, fields: unionOf(sets) })
  }
  return result
}

import { byCodePoint } from '../jsonpath/code-point-order.ts'
import { union } from './field-set.ts'
import { type Manager, managerKey, type Managers, seconds } from './managers.ts'

/** More managers of updates than these are not remembered one by one. */
const MAX_UPDATE_MANAGERS = 10
const OLD_CHANGES = 'ancient-changes'

/**
 * No more than ten managers of updates: the oldest of each apiVersion become one, `ancient-changes`, with the time of
 * the newest that went into it (apimachinery's `capManagersManager`).
 */
export function capUpdateManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers
  const oldest = updaters.toSorted(
    ([a, left], [b, right]) => seconds(left.time) - seconds(right.time) || byCodePoint(a, b),
  )
  const result = new Map(managers)
  const firstOf = new Map<string, readonly [string, Manager]>()
  let count = updaters.length
  for (const [key, manager] of oldest) {
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
    result.set(bucketKey, { ...bucket, time: manager.time, fields: union(manager.fields, bucket.fields) })
    count--
  }
  return result
}

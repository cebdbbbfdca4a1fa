import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { isSameNumber } from './field/same-number.ts'

/**
 * Returns the object to store instead of `stored`. If only the times of its managed fields differ, the stored times are
 * kept. So a write without an effect makes no new version (apiserver's `IgnoreManagedFieldsTimestampsTransformer`).
 */
export function keepTimestamps(stored: KubeObject, updated: KubeObject): KubeObject {
  const before = stored.metadata.managedFields ?? []
  const after = updated.metadata.managedFields ?? []
  if (after.length === 0 || before.length !== after.length) return updated
  if (after.every((entry, at) => entry['time'] === before[at]?.['time'])) return updated
  if (!after.every((entry, at) => jsonEqual(timeless(entry), timeless(before[at] ?? {}), isSameNumber))) return updated
  const restored = { ...updated, metadata: { ...updated.metadata, managedFields: before } }
  return jsonEqual(restored, stored, isSameNumber) ? restored : updated
}

function timeless(entry: JsonObject): JsonObject {
  const { time: _time, ...rest } = entry
  return rest
}

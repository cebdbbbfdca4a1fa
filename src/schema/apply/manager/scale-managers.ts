import type { JsonObject } from '../../../machinery/object.ts'
import { difference, type FieldSet, fieldSet, isEmpty, isSubset } from '../field/field-set.ts'
import { type Manager, managerKey, type Managers, readManagers, writeManagers } from './managers.ts'

export const SCALE_VERSION = 'autoscaling/v1'

/** Where the replicas are in an object and in its Scale. */
export interface ScaledObject {
  /** `apps/v1` */
  readonly apiVersion: string
  /** The path of the replicas in each served version, as `fieldSet` makes it; undefined in a version without a scale. */
  readonly paths: ReadonlyMap<string, FieldSet | undefined>
}

const IN_SCALE = fieldSet(['spec', 'replicas'])

/** The owners of the replicas of an object, as managers of its Scale (apimachinery's `ScaleHandler.ToSubresource`). */
export function managersOfScale(entries: readonly JsonObject[], { paths }: ScaledObject): readonly JsonObject[] {
  const found = [...readManagers(entries, true).values()].filter(({ apiVersion, fields }) => {
    const path = paths.get(apiVersion)
    return path !== undefined && isSubset(path, fields)
  })
  return writeManagers(keyed(found.map((one) => ({ ...one, apiVersion: SCALE_VERSION, fields: IN_SCALE }))))
}

/**
 * The managers of an object after a write to its Scale left `scale` as those of the Scale: a manager that is not among them has
 * lost the replicas (apimachinery's `ScaleHandler.ToParent`). A manager that gained them there has no time, as upstream.
 */
export function managersOfScaled(
  entries: readonly JsonObject[],
  scale: readonly JsonObject[],
  { apiVersion, paths }: ScaledObject,
): readonly JsonObject[] {
  const before = readManagers(entries, true)
  const gained = new Map(readManagers(scale, true))
  const after = new Map<string, Manager>()
  for (const [key, manager] of before) {
    if (!paths.has(manager.apiVersion)) continue
    const path = paths.get(manager.apiVersion)
    const keeps = path === undefined || !isSubset(path, manager.fields) || gained.delete(key)
    const fields = keeps ? manager.fields : difference(manager.fields, path)
    if (!isEmpty(fields)) after.set(key, { ...manager, fields })
  }
  const path = paths.get(apiVersion)
  for (const [key, manager] of gained) {
    if (path === undefined || !isSubset(IN_SCALE, manager.fields)) continue
    after.set(key, { ...manager, apiVersion, time: before.get(key)?.time, fields: path })
  }
  return writeManagers(after)
}

const keyed = (managers: readonly Manager[]): Managers => new Map(managers.map((one) => [managerKey(one), one]))

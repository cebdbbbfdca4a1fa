import { append, duplicate, type FieldError, invalid, required } from '../../../machinery/field-error.ts'
import { isDNS1123Label } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { absent, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { obeys } from '../../rule/value.ts'
import { validateSource } from './sources.ts'

/** A pod's volumes. Adds to `errors` and gives those without errors, which alone mounts may use (core `ValidateVolumes`). */
export function validateVolumes(
  volumes: unknown,
  path: string,
  errors: FieldError[],
  pod = '',
): ReadonlyMap<string, JsonObject> {
  const good = new Map<string, JsonObject>()
  const list = objectsOf(volumes)
  const created = new Set(
    pod === '' ? [] : list.filter((one) => !absent(one.ephemeral)).map((one) => `${pod}-${textOf(one.name)}`),
  )
  list.forEach((volume, index) => {
    const at = `${path}[${index}]`
    const name = textOf(volume.name)
    const found: FieldError[] = [...validateSource('pod', volume, at, { volume: name, pod })]
    append(found, name === '' ? [required(`${at}.name`)] : obeys(name, isDNS1123Label, `${at}.name`))
    if (good.has(name)) found.push(duplicate(`${at}.name`, name))
    if (found.length === 0) good.set(name, volume)
    else append(errors, found)
    const claim = textOf(objectOf(volume.persistentVolumeClaim).claimName)
    if (created.has(claim)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(invalid(`${at}.persistentVolumeClaim.claimName`, claim, detail))
    }
  })
  return good
}

import { append, type FieldError, forbidden, invalid, required } from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { FILE_FIELDS, validateFieldRef, validateResourceRef } from '../container/downward-api.ts'
import { notReserved } from '../../rule/path.ts'
import { absent, countOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { needed } from '../../rule/value.ts'
import { type SourceRule, validateItem, validateMode } from './source-rules.ts'

const NONE: readonly FieldError[] = []
const SHORTEST_TOKEN = 600
const LONGEST_TOKEN = 2 ** 32

/** One file of the downward API; errors stand at the source, without the file's place. */
function validateDownwardFile(file: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...needed(file.path, `${path}.path`), ...notReserved(textOf(file.path), `${path}.path`)]
  if (!absent(file.fieldRef)) {
    append(errors, validateFieldRef(objectOf(file.fieldRef), FILE_FIELDS, `${path}.fieldRef`))
    if (!absent(file.resourceFieldRef)) {
      const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously'
      errors.push(invalid(path, 'resource', detail))
    }
  } else if (!absent(file.resourceFieldRef)) {
    append(errors, validateResourceRef(objectOf(file.resourceFieldRef), true, `${path}.resourceFieldRef`))
  } else errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'))
  append(errors, validateMode(file.mode, `${path}.mode`))
  return errors
}

export const validateDownwardFiles: SourceRule = (source, path) => [
  ...validateMode(source.defaultMode, `${path}.defaultMode`),
  ...objectsOf(source.items).flatMap((file) => validateDownwardFile(file, path)),
]

/** The validation of each source in `sources`, in the order of the errors; returns the errors and adds file names. */
type Projection = (source: JsonObject, path: string, volume: string, addFile: AddFile) => readonly FieldError[]
/** Says that a file is there; `shown` is what an error shows when it was there before. */
type AddFile = (file: string, shown: string) => readonly FieldError[]

const named: Projection = (source, path, _volume, addFile) => [
  ...needed(source.name, `${path}.name`),
  ...objectsOf(source.items).flatMap((item, index) => [
    ...validateItem(item, `${path}.items[${index}]`),
    ...addFile(textOf(item.path), textOf(source.name)),
  ]),
]

const PROJECTIONS: Readonly<Record<string, Projection>> = {
  secret: named,
  configMap: named,
  downwardAPI: (source, path, _volume, addFile) =>
    objectsOf(source.items).flatMap((file) => [
      ...validateDownwardFile(file, path),
      ...addFile(textOf(file.path), textOf(file.path)),
    ]),
  serviceAccountToken: (source, path, volume) => {
    const seconds = countOf(source.expirationSeconds)
    const at = `${path}.expirationSeconds`
    const errors: FieldError[] = []
    if (seconds < SHORTEST_TOKEN)
      errors.push(invalid(at, source.expirationSeconds ?? 0, 'may not specify a duration less than 10 minutes'))
    if (seconds > LONGEST_TOKEN)
      errors.push(invalid(at, source.expirationSeconds, 'may not specify a duration larger than 2^32 seconds'))
    const file = textOf(source.path)
    return [...errors, ...needed(file, `${volume}.path`), ...notReserved(file, `${volume}.path`)]
  },
  clusterTrustBundle: (source, path, _volume, addFile) => {
    const [byName, bySigner] = [!absent(source.name), !absent(source.signerName)]
    const errors: FieldError[] = []
    if (byName && bySigner) errors.push(invalid(path, source, 'only one of name and signerName may be used'))
    else if (!byName && !bySigner) errors.push(required(path, 'either name or signerName must be specified'))
    return [
      ...errors,
      ...needed(source.path, `${path}.path`),
      ...notReserved(textOf(source.path), `${path}.path`),
      ...addFile(textOf(source.path), textOf(source.path)),
    ]
  },
}

/** Sources that were found valid and are never changed. */
const valid = new WeakSet<JsonObject>()

/**
 * Validates what many pods share, so that it is not done again for each of them. Gives `volume`, which must not be changed any
 * more. Throws a TypeError where it is invalid.
 */
export function sharedProjection(volume: JsonObject): JsonObject {
  const [error] = validateProjected(volume, 'projected')
  if (error !== undefined) throw new TypeError(`${error.path}: a shared volume must be valid`)
  valid.add(volume)
  return volume
}

/** A volume that gathers several sources (core `validateProjectedVolumeSource`). */
export const validateProjected = (volume: JsonObject, path: string): readonly FieldError[] => {
  if (valid.has(volume)) return NONE
  const files = new Set<string>()
  const addFile: AddFile = (file, shown) => {
    if (file === '') return []
    const again = files.has(file)
    files.add(file)
    return again ? [invalid(path, shown, 'conflicting duplicate paths')] : []
  }
  const errors: FieldError[] = [...validateMode(volume.defaultMode, `${path}.defaultMode`)]
  objectsOf(volume.sources).forEach((source, index) => {
    const at = `${path}.sources[${index}]`
    const given = Object.keys(PROJECTIONS).filter((key) => !absent(source[key]))
    for (const key of given)
      append(errors, PROJECTIONS[key]?.(objectOf(source[key]), `${at}.${key}`, path, addFile) ?? [])
    if (given.length > 1) errors.push(forbidden(at, 'may not specify more than 1 volume type per source'))
  })
  return errors
}

import {
  append,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { descending, hasBacksteps } from '../../rule/path.ts'
import { absent, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'

const PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']
const RECURSIVE = ['Disabled', 'Enabled', 'IfPossible']

export type Volumes = ReadonlyMap<string, JsonObject>

/** Where a container mounts volumes (core `ValidateVolumeMounts`). */
export function validateMounts(container: JsonObject, volumes: Volumes, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const devices = objectsOf(container.volumeDevices)
  const deviceNames = new Set(devices.map((device) => textOf(device.name)))
  const devicePaths = new Set(devices.map((device) => textOf(device.devicePath)))
  const taken = new Set<string>()
  objectsOf(container.volumeMounts).forEach((mount, index) => {
    const at = `${path}[${index}]`
    const name = textOf(mount.name)
    const place = textOf(mount.mountPath)
    const subPath = textOf(mount.subPath)
    const subPathExpr = textOf(mount.subPathExpr)
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name))
    if (place === '') errors.push(required(`${at}.mountPath`))
    if (taken.has(place)) errors.push(invalid(`${at}.mountPath`, place, 'must be unique'))
    taken.add(place)
    if (deviceNames.has(name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeDevices'))
    if (devicePaths.has(place))
      errors.push(invalid(`${at}.mountPath`, place, 'must not already exist as a path in volumeDevices'))
    if (subPath !== '') append(errors, descending(subPath, `${path}.subPath`))
    if (subPathExpr !== '') {
      if (subPath !== '')
        errors.push(invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
      append(errors, descending(subPathExpr, `${path}.subPathExpr`))
    }
    append(errors, validatePropagation(mount, container, `${path}.mountPropagation`))
    append(errors, validateRecursive(mount, `${path}.recursiveReadOnly`))
  })
  return errors
}

function validatePropagation(mount: JsonObject, container: JsonObject, path: string): readonly FieldError[] {
  const mode = mount.mountPropagation
  if (absent(mode)) return []
  if (!PROPAGATIONS.includes(textOf(mode))) return [notSupported(path, mode, PROPAGATIONS)]
  const privileged = objectOf(container.securityContext).privileged === true
  return mode === 'Bidirectional' && !privileged
    ? [forbidden(path, 'Bidirectional mount propagation is available only to privileged containers')]
    : []
}

function validateRecursive(mount: JsonObject, path: string): readonly FieldError[] {
  const mode = mount.recursiveReadOnly
  if (absent(mode) || mode === 'Disabled') return []
  if (!RECURSIVE.includes(textOf(mode))) return [notSupported(path, mode, RECURSIVE)]
  const errors: FieldError[] = []
  if (mount.readOnly !== true) errors.push(forbidden(path, 'may only be specified when readOnly is true'))
  if (!absent(mount.mountPropagation) && mount.mountPropagation !== 'None')
    errors.push(forbidden(path, 'may only be specified when mountPropagation is None or not specified'))
  return errors
}

/** Which volumes a container gets as raw devices (core `ValidateVolumeDevices`). */
export function validateDevices(container: JsonObject, volumes: Volumes, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const mounts = objectsOf(container.volumeMounts)
  const mountNames = new Set(mounts.map((mount) => textOf(mount.name)))
  const mountPaths = new Set(mounts.map((mount) => textOf(mount.mountPath)))
  const names = new Set<string>()
  const places = new Set<string>()
  objectsOf(container.volumeDevices).forEach((device, index) => {
    const at = `${path}[${index}]`
    const name = textOf(device.name)
    const place = textOf(device.devicePath)
    const volume = volumes.get(name)
    if (name === '') errors.push(required(`${at}.name`))
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, 'must be unique'))
    if (volume === undefined) errors.push(notFound(`${at}.name`, name))
    else if (absent(volume.persistentVolumeClaim) && absent(volume.ephemeral)) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(invalid(`${at}.name`, name, detail))
    }
    if (place === '') errors.push(required(`${at}.devicePath`))
    if (places.has(place)) errors.push(invalid(`${at}.devicePath`, place, 'must be unique'))
    if (hasBacksteps(place)) errors.push(invalid(`${at}.devicePath`, place, "can not contain backsteps ('..')"))
    else places.add(place)
    if (mountNames.has(name)) errors.push(invalid(`${at}.name`, name, 'must not already exist in volumeMounts'))
    if (mountPaths.has(place))
      errors.push(invalid(`${at}.devicePath`, place, 'must not already exist as a path in volumeMounts'))
    if (name !== '') names.add(name)
  })
  return errors
}

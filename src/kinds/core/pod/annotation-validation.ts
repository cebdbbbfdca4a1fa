import type { PodSpec } from '../../../builtin/core-v1.ts'
import { append, type FieldError, invalid } from '../../../machinery/field-error.ts'
import { descending } from '../../rule/path.ts'
import { objectsOf, textEntries, textOf } from '../../../machinery/read.ts'

const MIRROR = 'kubernetes.io/config.mirror'
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const SECCOMP =
  /^(?:seccomp\.security\.alpha\.kubernetes\.io\/pod$|container\.seccomp\.security\.alpha\.kubernetes\.io\/)/
const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/'
const SECCOMP_PROFILES = ['runtime/default', 'docker/default', 'unconfined']
const SECCOMP_LOCAL = 'localhost/'

/** Annotations that fields have replaced (core `ValidatePodSpecificAnnotations`). */
export function validatePodAnnotations(annotations: unknown, spec: PodSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  let containers: ReadonlySet<unknown> | undefined
  for (const [key, value] of textEntries(annotations)) {
    const at = `${path}[${key}]`
    if (key === MIRROR && textOf(spec.nodeName) === '')
      errors.push(invalid(at, value, 'must set spec.nodeName if mirror pod annotation is set'))
    else if (key === DELETION_COST && !isCost(value)) errors.push(invalid(at, value, 'must be a 32bit integer'))
    else if (SECCOMP.test(key)) append(errors, validateSeccomp(value, `${path}.${key}`))
    else if (key.startsWith(APP_ARMOR))
      append(errors, validateAppArmor(key, value, (containers ??= containerNames(spec)), at))
  }
  return errors
}

const containerNames = (spec: PodSpec): ReadonlySet<unknown> =>
  new Set(
    (['initContainers', 'containers', 'ephemeralContainers'] as const).flatMap((list) =>
      objectsOf(spec[list]).map(({ name }) => name),
    ),
  )

const isCost = (text: string): boolean => {
  if (text.startsWith('+') || (text.startsWith('0') && text !== '0')) return false
  const number = /^-?\d{1,10}$/.test(text) ? Number(text) : Number.NaN
  return number >= -(2 ** 31) && number < 2 ** 31
}

function validateSeccomp(profile: string, path: string): readonly FieldError[] {
  if (SECCOMP_PROFILES.includes(profile)) return []
  return profile.startsWith(SECCOMP_LOCAL)
    ? descending(profile.slice(SECCOMP_LOCAL.length), path)
    : [invalid(path, profile, 'must be a valid seccomp profile')]
}

function validateAppArmor(
  key: string,
  profile: string,
  containers: ReadonlySet<unknown>,
  path: string,
): readonly FieldError[] {
  const name = key.slice(APP_ARMOR.length)
  const errors: FieldError[] = []
  if (!containers.has(name)) errors.push(invalid(path, name, 'container not found'))
  if (!['', 'runtime/default', 'unconfined'].includes(profile) && !profile.startsWith('localhost/'))
    errors.push(invalid(path, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`))
  return errors
}

/** Annotations of a pod that stay as they were made (core `ValidatePodSpecificAnnotationUpdates`). */
export function validatePodAnnotationUpdate(
  annotations: Readonly<Record<string, string>>,
  old: Readonly<Record<string, string>>,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const fixed = (key: string): string | undefined =>
    key === MIRROR ? 'mirror pod annotation' : key.startsWith(APP_ARMOR) ? 'AppArmor annotations' : undefined
  for (const key of Object.keys(old))
    if (annotations[key] !== old[key] && fixed(key) !== undefined)
      errors.push({
        code: 'FieldValueForbidden',
        path: `${path}[${key}]`,
        detail: `may not remove or update ${fixed(key)}`,
      })
  for (const key of Object.keys(annotations))
    if (!(key in old) && fixed(key) !== undefined)
      errors.push({ code: 'FieldValueForbidden', path: `${path}[${key}]`, detail: `may not add ${fixed(key)}` })
  return errors
}

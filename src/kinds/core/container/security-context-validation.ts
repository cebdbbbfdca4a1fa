import type { PodSpec } from '../../../builtin/core-v1.ts'
import {
  type FieldError,
  append,
  duplicate,
  forbidden,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../../machinery/field-error.ts'
import { isDNS1123Subdomain } from '../../../machinery/names.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { descending } from '../../rule/path.ts'
import { absent, isEmptyMap, listOf, objectOf, objectsOf, textOf } from '../../../machinery/read.ts'
import { between, obeys, oneOfIfSet } from '../../rule/value.ts'

const MAX_ID = 2_147_483_647
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const PROC_MOUNTS = ['Default', 'Unmasked']
const SYSCTL = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?'
const SYSCTL_TEXT = `must have at most 253 characters and match regex ^${SYSCTL}$`
const SYSCTL_PATTERN = new RegExp(`^${SYSCTL}$`)
const MAX_CREDENTIAL = 64 * 1024
const MAX_PROFILE = 4095

const id = (value: unknown, path: string): readonly FieldError[] => between(value, 0, MAX_ID, path)

function validateSeccomp(profile: unknown, path: string): readonly FieldError[] {
  if (absent(profile)) return []
  const { type, localhostProfile } = objectOf(profile)
  const errors = profileType(type, path, 'type is required when seccompProfile is set')
  const at = `${path}.localhostProfile`
  if (type !== 'Localhost') {
    if (!absent(localhostProfile)) {
      // Printed is the profile as the server holds it, whose fields have no names in JSON.
      const shown = { Type: textOf(type), LocalhostProfile: localhostProfile }
      errors.push(invalid(at, shown, 'can only be set when seccomp type is Localhost'))
    }
  } else if (absent(localhostProfile)) errors.push(required(at, 'must be set when seccomp type is Localhost'))
  else append(errors, descending(textOf(localhostProfile), at))
  return errors
}

function profileType(type: unknown, path: string, missing: string): FieldError[] {
  if (textOf(type) === '') return [required(`${path}.type`, missing)]
  return PROFILE_TYPES.includes(textOf(type)) ? [] : [notSupported(`${path}.type`, type, PROFILE_TYPES)]
}

function validateAppArmor(profile: unknown, path: string): readonly FieldError[] {
  if (absent(profile)) return []
  const { type, localhostProfile } = objectOf(profile)
  const errors = profileType(type, path, 'type is required when appArmorProfile is set')
  const at = `${path}.localhostProfile`
  const text = textOf(localhostProfile)
  if (type === 'Localhost') {
    if (text.trim() === '' && text === '') errors.push(required(at, 'must be set when AppArmor type is Localhost'))
    else if (text.trim() !== text) errors.push(invalid(at, text, 'must not be padded with whitespace'))
    if (text.length > MAX_PROFILE) errors.push(tooLong(at, MAX_PROFILE))
  } else if (errors.length === 0 && !absent(localhostProfile)) {
    errors.push(invalid(at, localhostProfile, 'can only be set when AppArmor type is Localhost'))
  }
  return errors
}

function validateWindows(options: unknown, path: string): readonly FieldError[] {
  if (absent(options)) return []
  const { gmsaCredentialSpecName, gmsaCredentialSpec, runAsUserName } = objectOf(options)
  const errors: FieldError[] = []
  if (!absent(gmsaCredentialSpecName))
    append(errors, obeys(textOf(gmsaCredentialSpecName), isDNS1123Subdomain, `${path}.gmsaCredentialSpecName`))
  const at = `${path}.gmsaCredentialSpec`
  if (gmsaCredentialSpec === '') errors.push(invalid(at, '', 'gmsaCredentialSpec cannot be an empty string'))
  else if (textOf(gmsaCredentialSpec).length > MAX_CREDENTIAL)
    errors.push(invalid(at, gmsaCredentialSpec, 'gmsaCredentialSpec size must be under 64 KiB'))
  if (!absent(runAsUserName)) append(errors, validateWindowsUser(textOf(runAsUserName), `${path}.runAsUserName`))
  return errors
}

function validateSysctls(sysctls: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  objectsOf(sysctls).forEach((sysctl, index) => {
    const at = `${path}[${index}].name`
    const name = textOf(sysctl.name)
    if (name === '') errors.push(required(at))
    else if (name.length > 253 || !SYSCTL_PATTERN.test(name)) errors.push(invalid(at, name, SYSCTL_TEXT))
    else if (seen.has(name)) errors.push(duplicate(at, name))
    seen.add(name)
  })
  return errors
}

/** A pod's own security context (core `validatePodSpecSecurityContext`). */
export function validatePodSecurity(spec: PodSpec, path: string): readonly FieldError[] {
  const context = objectOf(spec.securityContext)
  // Every pod has one, if only an empty one by default.
  const isShared = spec.shareProcessNamespace === true && spec.hostPID === true
  if (absent(spec.securityContext) || (isEmptyMap(context) && !isShared)) return []
  const errors: FieldError[] = [
    ...id(context.fsGroup, `${path}.fsGroup`),
    ...id(context.runAsUser, `${path}.runAsUser`),
    ...id(context.runAsGroup, `${path}.runAsGroup`),
    ...listOf(context.supplementalGroups).flatMap((group, index) => id(group, `${path}.supplementalGroups[${index}]`)),
  ]
  if (isShared) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled'
    errors.push(invalid(`${path}.shareProcessNamespace`, true, detail))
  }
  return [
    ...errors,
    ...validateSysctls(context.sysctls, `${path}.sysctls`),
    ...oneOfIfSet(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${path}.fsGroupChangePolicy`),
    ...validateSeccomp(context.seccompProfile, `${path}.seccompProfile`),
    ...validateWindows(context.windowsOptions, `${path}.windowsOptions`),
    ...validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`),
    ...oneOfIfSet(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${path}.supplementalGroupsPolicy`),
    ...oneOfIfSet(context.seLinuxChangePolicy, ['MountOption', 'Recursive'], `${path}.seLinuxChangePolicy`),
  ]
}

/** A container's security context (core `ValidateSecurityContext`). */
export function validateContainerSecurity(value: unknown, hostUsers: boolean, path: string): readonly FieldError[] {
  if (absent(value)) return []
  const context = objectOf(value)
  const errors: FieldError[] = [
    ...id(context.runAsUser, `${path}.runAsUser`),
    ...id(context.runAsGroup, `${path}.runAsGroup`),
    ...oneOfIfSet(context.procMount, PROC_MOUNTS, `${path}.procMount`),
  ]
  if (hostUsers && context.procMount === 'Unmasked')
    errors.push(invalid(`${path}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'))
  append(errors, validateSeccomp(context.seccompProfile, `${path}.seccompProfile`))
  if (context.allowPrivilegeEscalation === false) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and '
    if (context.privileged === true) errors.push(invalid(path, held(context), `${detail}\`privileged\` to true`))
    for (const capability of listOf(objectOf(context.capabilities).add))
      if (capability === 'CAP_SYS_ADMIN')
        errors.push(invalid(path, held(context), `${detail}\`capabilities.Add\` CAP_SYS_ADMIN`))
  }
  append(errors, validateWindows(context.windowsOptions, `${path}.windowsOptions`))
  append(errors, validateAppArmor(context.appArmorProfile, `${path}.appArmorProfile`))
  return errors
}

/** Fields of the server's own form of a security context, which has no JSON names. */
const HELD_FIELDS: readonly (readonly [string, string])[] = [
  ['capabilities', 'Capabilities'],
  ['privileged', 'Privileged'],
  ['seLinuxOptions', 'SELinuxOptions'],
  ['windowsOptions', 'WindowsOptions'],
  ['runAsUser', 'RunAsUser'],
  ['runAsGroup', 'RunAsGroup'],
  ['runAsNonRoot', 'RunAsNonRoot'],
  ['readOnlyRootFilesystem', 'ReadOnlyRootFilesystem'],
  ['allowPrivilegeEscalation', 'AllowPrivilegeEscalation'],
  ['procMount', 'ProcMount'],
  ['seccompProfile', 'SeccompProfile'],
  ['appArmorProfile', 'AppArmorProfile'],
]

const held = (context: JsonObject): JsonObject =>
  Object.fromEntries(HELD_FIELDS.map(([name, goName]) => [goName, context[name] ?? null]))

/** Users of a namespace of their own may not share the host's namespaces (core `validateHostUsers`). */
export function validateHostUsers(spec: PodSpec, path: string): readonly FieldError[] {
  if (spec.hostUsers !== false) return []
  return (
    [
      ['hostNetwork', 'hostNetwork'],
      ['hostPID', 'HostPID'],
      ['hostIPC', 'HostIPC'],
    ] as const
  ).flatMap(([field, shown]) =>
    spec[field] === true ? [forbidden(`${path}.${shown}`, 'when `pod.Spec.HostUsers` is false')] : [],
  )
}

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`)
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/
const MAX_DOMAIN = 256
const MAX_USER = 104

/** The errors in `runAsUserName`: `DOMAIN\user`, or `user`. */
function validateWindowsUser(name: string, path: string): readonly FieldError[] {
  return problems(name).map((text) => invalid(path, name, text))
}

function problems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined
  const found: string[] = []
  if (domain !== undefined && domain.length >= MAX_DOMAIN)
    found.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`)
  if (domain !== undefined && !NETBIOS.test(domain) && !DNS_NAME.test(domain))
    found.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  if (user === '') found.push("runAsUserName's User cannot be empty")
  else if (user.length > MAX_USER)
    found.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`)
  if (/^[. ]+$/.test(user)) found.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    found.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  return found
}

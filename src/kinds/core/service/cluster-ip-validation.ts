import type { ServiceSpec } from '../../../builtin/core-v1.ts'
import { isIP } from '../../../machinery/ip-address.ts'
import { append, duplicate, type FieldError, invalid, notSupported, required } from '../../../machinery/field-error.ts'
import { validateIP } from '../../rule/ip.ts'
import { absent, textOf, textsOf } from '../../../machinery/read.ts'
import { repetitions } from '../../rule/repetition.ts'

const FAMILIES = ['IPv4', 'IPv6']
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack']
const PATH = 'spec.clusterIPs'

/** A service's own addresses and their families (core `ValidateServiceClusterIPsRelatedFields`). */
export function validateClusterIPs(spec: ServiceSpec): readonly FieldError[] {
  if (spec.type === 'ExternalName') return []
  const ips = textsOf(spec.clusterIPs)
  const ip = textOf(spec.clusterIP)
  const errors: FieldError[] = []
  if (ip !== '' && ips.length === 0) errors.push(required(PATH))
  else if (ip !== '' && ips[0] !== ip) errors.push(invalid(PATH, ips, 'first value must match `clusterIP`'))
  else if (ip === '' && ips.length > 0)
    errors.push(invalid(PATH, ips, 'must be empty when `clusterIP` is not specified'))
  append(errors, validateFamilies(textsOf(spec.ipFamilies)))
  if (!absent(spec.ipFamilyPolicy) && !POLICIES.includes(textOf(spec.ipFamilyPolicy)))
    errors.push(notSupported('spec.ipFamilyPolicy', spec.ipFamilyPolicy, POLICIES))
  const wrong: FieldError[] = []
  ips.forEach((one, index) => {
    if (index > 0 || one !== 'None') append(wrong, validateIP(one, `${PATH}[${index}]`))
    else if (ips.length > 1) wrong.push(invalid(PATH, ips, "'None' must be the first and only value"))
  })
  append(errors, wrong)
  if (ips.length > 2) errors.push(invalid(PATH, ips, 'may only hold up to 2 values'))
  if (wrong.length > 0) return errors
  if (ips.length > 1 && new Set(ips.map(isIP)).size < 2)
    errors.push(invalid(PATH, ips, 'may specify no more than one IP for each IP family'))
  append(errors, validateMatch(ips, textsOf(spec.ipFamilies)))
  return errors
}

function validateFamilies(families: readonly string[]): readonly FieldError[] {
  const again = new Set(repetitions(families))
  return families.flatMap((family, index) => {
    const at = `spec.ipFamilies[${index}]`
    return [
      ...(FAMILIES.includes(family) ? [] : [notSupported(at, family, FAMILIES)]),
      ...(again.has(index) ? [duplicate(at, family)] : []),
    ]
  })
}

/** Each address is of the family that stands in its place. */
function validateMatch(ips: readonly string[], families: readonly string[]): readonly FieldError[] {
  return ips.flatMap((ip, index) => {
    const family = families[index]
    const wanted = family === 'IPv4' ? 4 : family === 'IPv6' ? 6 : isIP(ip)
    return ip === 'None' || isIP(ip) === wanted
      ? []
      : [invalid(`${PATH}[${index}]`, ip, `expected an ${family} value as indicated by \`ipFamilies[${index}]\``)]
  })
}

/** Validates a change of the addresses of a service (core `validateUpgradeDowngradeClusterIPs`). */
export function validateClusterIPUpdate(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return []
  const before = textsOf(old.clusterIPs)
  const after = textsOf(spec.clusterIPs)
  if (before[0] === 'None' && after[0] === 'None') return []
  if (before.length > after.length && after.length === 0)
    return [invalid(`${PATH}[0]`, [], 'primary clusterIP can not be unset')]
  const compared = before.length === after.length ? before : before.slice(0, 1)
  const errors = compared.flatMap((ip, index) =>
    ip === after[index] ? [] : [invalid(`${PATH}[${index}]`, after, 'may not change once set')],
  )
  if (before.length > after.length && after.length === 1 && spec.ipFamilyPolicy !== 'SingleStack') {
    const detail = "must be set to 'SingleStack' when releasing the secondary clusterIP"
    errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy ?? null, detail))
  }
  return [...errors, ...validateFamilyUpdate(spec, old)]
}

function validateFamilyUpdate(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const headless = (one: ServiceSpec): boolean => textsOf(one.clusterIPs)[0] === 'None'
  const before = textsOf(old.ipFamilies)
  const after = textsOf(spec.ipFamilies)
  if (headless(spec) || headless(old) || before[0] === undefined || after[0] === undefined) return []
  return before[0] === after[0] ? [] : [invalid('spec.ipFamilies[0]', after, 'may not change once set')]
}

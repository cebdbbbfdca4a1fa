import type { IPAddress, ServiceCIDR } from '../../builtin/networking-v1.ts'
import { type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { isCIDR, validateCIDR } from '../rule/ip-rule.ts'
import { absent, objectOf, specOf, textsOf } from '../../machinery/read.ts'
import { needed } from '../rule/value-rule.ts'

/** The errors in an IPAddress (networking `ValidateIPAddress`): it belongs to something. */
export function validateAddress(object: IPAddress): readonly FieldError[] {
  const { parentRef } = specOf(object)
  if (absent(parentRef)) return [required('spec.parentRef')]
  const { name, resource } = objectOf(parentRef)
  return [...needed(resource, 'spec.parentRef.resource'), ...needed(name, 'spec.parentRef.name')]
}

/** The errors in a ServiceCIDR (networking `ValidateServiceCIDR`): one range, or one of each family. */
export function validateServiceRange(object: ServiceCIDR): readonly FieldError[] {
  const cidrs = textsOf(specOf(object).cidrs)
  const path = 'spec.cidrs'
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalid(path, cidrs, 'may only hold up to 2 values')]
  const errors = cidrs.flatMap((cidr, index) => validateCIDR(cidr, `${path}[${index}]`))
  const families = new Set(cidrs.filter(isCIDR).map((cidr) => cidr.includes(':')))
  if (errors.length === 0 && families.size < cidrs.length)
    errors.push(
      invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'),
    )
  return errors
}

import { validateResourceQuota as validate } from '../kinds/resource-quota/validate.ts'
import type { FieldError } from '../machinery/field-error.ts'
import { type GivenQuota, readGivenQuota } from './given-object.ts'

/** The errors in a ResourceQuota that is to be created, as an API server finds them. Throws InputError for what is no object. */
export function validateResourceQuota(quota: GivenQuota): FieldError[] {
  return validate(readGivenQuota(quota, 'quota'))
}

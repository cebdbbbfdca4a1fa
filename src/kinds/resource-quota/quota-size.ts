import type { FieldError } from '../../machinery/field-error.ts'
import type { QuantityTexts, ResourceQuota } from './resource-quota.ts'

/** The most that the limits of a quota, their status and the owners of both may take, in bytes: a store takes 1.5 MiB. */
export const MOST_QUOTA_BYTES = 1_048_576
/** Each name stands in the limits, in two places of the status, and in the managed fields of each of these. */
const PLACES = 6
/** The characters around a name and its amounts in all these places, and those by which a usage may be longer than its limit. */
const AROUND = 80

/**
 * How many bytes a quota with these limits takes once its status is written, as an upper bound. Names of resources and
 * amounts are ASCII.
 */
export function sizeWithStatus(hard: QuantityTexts): number {
  let bytes = 0
  for (const name in hard) bytes += PLACES * name.length + 3 * String(hard[name]).length + AROUND
  return bytes
}

/** May the status of the quota be too large to be stored? Such a quota is refused; an older version may have stored one. */
export const isTooLarge = ({ spec }: Pick<ResourceQuota, 'spec'>): boolean =>
  sizeWithStatus(spec?.hard ?? {}) > MOST_QUOTA_BYTES

/** The errors in the length of a quota: its status repeats its limits, and has to be stored with it. */
export function validateQuotaSize(quota: Pick<ResourceQuota, 'spec'>): readonly FieldError[] {
  if (!isTooLarge(quota)) return []
  const bytes = sizeWithStatus(quota.spec?.hard ?? {})
  const detail = `the limits and their status would take up to ${bytes} bytes, may not be more than ${MOST_QUOTA_BYTES} bytes; use several quotas`
  return [{ code: 'FieldValueTooLong', path: 'spec.hard', detail }]
}

import { isValidLabelValue, MAX_SUBDOMAIN } from '../../../machinery/names.ts'
import { shortenedName } from '../../../machinery/shortened-name.ts'

const PREFIX = 'capsule-pool-'
const MAX_LABEL_VALUE = 63

/** The name of the ResourceQuota that a pool has in each of its namespaces; with a hash where it would be too long. */
export function poolQuotaName(pool: string): string {
  const name = PREFIX + pool
  return name.length <= MAX_SUBDOMAIN ? name : shortenedName(name, MAX_SUBDOMAIN)
}

/** Could a pool have a ResourceQuota of this name? */
export const isPoolQuotaName = (name: string): boolean => name.startsWith(PREFIX)

/** A pool's name as the value of the label `projectcapsule.dev/pool`; with a hash where a label may not have the name itself. */
export function poolLabelValue(pool: string): string {
  return isValidLabelValue(pool).length === 0 ? pool : shortenedName(pool, MAX_LABEL_VALUE)
}

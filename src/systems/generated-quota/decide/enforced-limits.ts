import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { equals } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'

/**
 * Does admission go by the limits in the spec of a quota? Undefined while nobody has counted the quota. Throws QuantityError where
 * it holds an invalid amount.
 */
export const enforcesItsLimits = ({ spec, status }: ResourceQuota): boolean | undefined =>
  status?.hard === undefined ? undefined : equals(amountsOf(status.hard), amountsOf(spec?.hard))

import type { ResourceListJson } from '../../../../api/definition/collection.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import { type FieldError, invalid } from '../../../../machinery/field-error.ts'
import { quantityOf, resourceNames } from '../../../../quantity/resource-list.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'

/** Returns the errors in the amounts of a pool. Amounts that `old`, the earlier pool, had already may stay. Throws QuantityError. */
export function poolAmountErrors({ spec }: ResourcePool, old?: ResourcePool): readonly FieldError[] {
  return [
    ...negative(spec.defaults, old?.spec.defaults, 'spec.defaults'),
    ...negative(spec.quota.hard, old?.spec.quota.hard, 'spec.quota.hard'),
  ]
}

/** Returns the errors in the amounts of a claim, as for a pool's. Throws QuantityError. */
export function claimAmountErrors({ spec }: ResourcePoolClaim, old?: ResourcePoolClaim): readonly FieldError[] {
  return negative(spec.claim, old?.spec.claim, 'spec.claim')
}

/** The amounts below 0, of which no ResourceQuota can be made; worded as Kubernetes does for one. */
function negative(
  json: ResourceListJson | undefined,
  oldJson: ResourceListJson | undefined,
  path: string,
): readonly FieldError[] {
  const amounts = amountsOf(json)
  const before = oldJson === undefined ? {} : amountsOf(oldJson)
  return resourceNames(amounts).flatMap((name) => {
    const amount = quantityOf(amounts, name)
    if (amount === undefined || amount.sign() >= 0 || quantityOf(before, name)?.equals(amount) === true) return []
    return [invalid(`${path}[${name}]`, amount.canonical(), 'must be greater than or equal to 0')]
  })
}

import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { isObject } from '../../../../machinery/object.ts'
import { valueAt } from '../../../../machinery/read.ts'
import type { Quantity } from '../../../../quantity/quantity.ts'
import { quantityOf } from '../../../../quantity/resource-list.ts'

/** The usage, by limit, that a manager of fields wrote last, as far as nobody has changed it since. */
export function writtenUsage({ metadata, status }: ResourceQuota, manager: string): ReadonlyMap<string, Quantity> {
  const used = amountsOf(status?.used)
  const fields = (metadata.managedFields ?? [])
    .filter((entry) => entry['manager'] === manager)
    .map((entry) => valueAt(entry, 'fieldsV1', 'f:status', 'f:used'))
    .filter(isObject)
  return new Map(
    Object.keys(status?.used ?? {}).flatMap((limit): readonly [string, Quantity][] => {
      const amount = quantityOf(used, limit)
      return amount !== undefined && fields.some((those) => Object.hasOwn(those, `f:${limit}`)) ? [[limit, amount]] : []
    }),
  )
}

import type { ResourceQuota } from '../../../api/resource-quota/resource-quota.ts'
import { parseResourceList, quantityOf } from '../../../quantity/resource-list.ts'
import type { StoreEvent } from '../../../store/record/event.ts'

/** May something fit now that a quota refused before: is it gone, or has some limit risen or some usage fallen? */
export function freesQuota({ type, record, previous }: StoreEvent): boolean {
  if (type === 'deleted') return true
  if (previous === undefined) return false
  const before = (previous.object as ResourceQuota).status ?? {}
  const after = (record.object as ResourceQuota).status ?? {}
  return falls(before.used, after.used) || falls(after.hard, before.hard)
}

/** Is some amount of the second list below that of the first, or gone? */
function falls(first: ResourceQuotaAmounts, second: ResourceQuotaAmounts): boolean {
  if (first === undefined || first === second) return false
  const amounts = parseResourceList(second ?? {})
  return Object.entries(parseResourceList(first)).some(([name, amount]) => {
    const other = quantityOf(amounts, name)
    return other === undefined || other.cmp(amount) < 0
  })
}

type ResourceQuotaAmounts = Readonly<Record<string, string>> | undefined

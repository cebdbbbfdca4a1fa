import { RowObjects } from '../../insight/history/estimated-rows.ts'
import { topQuotas } from '../../insight/top/top.ts'
import { readQuotas } from '../../reading/read-quotas.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import { inOrder } from './not-seen.ts'
import type { Responder } from './question.ts'

/** The limits of the quotas of a namespace, or of all, the nearest to its limit first. */
export const quotas: Responder = async ({ viewer, fairLists, parameters, usage, signal }) => {
  const namespace = parameters.namespace()
  const visible = new VisibleObjects(fairLists, await viewer.kinds(), signal)
  const seen = await readQuotas(visible, namespace)
  const objects = new RowObjects([...seen.resourceQuotas, ...seen.customQuotas, ...seen.karmadaQuotas])
  const rows = topQuotas(seen).map((row) => objects.estimated(row, usage))
  return { code: 200, value: { format: 1, rows, notSeen: inOrder(visible.notSeen) } }
}

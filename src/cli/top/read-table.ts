import type { LimitRow } from '../../insight/top/limit-row.ts'
import { namespacesOf, shownPool } from '../../insight/top/shown-pool.ts'
import { type SeenQuotas, topClaims, topNamespaces, topPools, topQuotas } from '../../insight/top/top.ts'
import { claimsText, namespacesText, poolsText, quotasText } from '../../insight/top/text.ts'
import { qualified } from '../../machinery/status.ts'
import type { ListedNamespaces } from '../../reading/list-rights.ts'
import { readQuotas } from '../../reading/read-quotas.ts'
import type { VisibleObjects } from '../../reading/visible-objects.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import type { Estimate, SeenUsage } from './seen-usage.ts'
import type { Table } from './command.ts'

/** A table, as text and as JSON. */
export interface Printed {
  readonly text: string
  readonly json: readonly unknown[]
}

/** In which of some namespaces the caller may list claims. */
export type Rights = (namespaces: Iterable<string>) => Promise<ListedNamespaces>

interface Reading {
  /** With it limits say when they will be used up. */
  readonly usage: SeenUsage | undefined
  readonly rights: Rights
}

/** Reads a table. `namespace` is empty for all. */
type Read = (visible: VisibleObjects, namespace: string, reading: Reading) => Promise<Printed>

export const READERS: Readonly<Record<Table, Read>> = {
  quotas: async (visible, namespace, { usage }) => {
    const seen = await readQuotas(visible, namespace)
    const limits = topQuotas(seen)
    const rows = limits.map(estimateOf(seen, limits, usage))
    return { text: quotasText(rows, usage !== undefined) + legend(rows, usage), json: rows }
  },
  namespaces: async (visible, namespace, { usage }) => {
    const seen = await readQuotas(visible, namespace)
    const estimate = estimateOf(seen, usage === undefined ? [] : topQuotas(seen), usage)
    const rows = topNamespaces(seen).map((row) => ({ ...row, nearest: estimate(row.nearest) }))
    const nearest = rows.map((row) => row.nearest)
    return { text: namespacesText(rows, usage !== undefined) + legend(nearest, usage), json: rows }
  },
  pools: async (visible, _, { usage, rights }) => {
    const pools = (await visible.list(resourcePool.group, resourcePool.resource)).map((one) => resourcePool.read(one))
    const { isWhole, has } = await rights(pools.flatMap(namespacesOf))
    if (!isWhole && pools.length > 0)
      visible.notSeen.push({
        resource: qualified(resourcePoolClaim),
        reason: 'you may not list them in all namespaces, so that those of others are neither named nor counted',
      })
    const found = topPools(pools.map((one) => shownPool(one, has)))
    const limits = found.flatMap((row) => row.limits)
    const estimate = usage?.look(pools, limits) ?? unchanged
    const rows = found.map((row) => ({ ...row, limits: row.limits.map(estimate) }))
    const shown = rows.flatMap((row) => row.limits)
    return { text: poolsText(rows, usage !== undefined) + legend(shown, usage), json: rows }
  },
  claims: async (visible, namespace) => {
    const claims = await visible.list(resourcePoolClaim.group, resourcePoolClaim.resource, { namespace })
    const rows = topClaims(claims.map((one) => resourcePoolClaim.read(one)))
    return { text: claimsText(rows), json: rows }
  },
}

/** Says why limits have no time, where one has none. */
const legend = (rows: readonly LimitRow[], usage: SeenUsage | undefined): string =>
  usage !== undefined && rows.some(({ exhaustedInSeconds }) => exhaustedInSeconds === undefined)
    ? `USED UP IN -: ${usage.whyNone}\n`
    : ''

const unchanged: Estimate = (row) => row

function estimateOf(
  { resourceQuotas, customQuotas, karmadaQuotas }: SeenQuotas,
  limits: readonly LimitRow[],
  usage: SeenUsage | undefined,
): Estimate {
  return usage?.look([...resourceQuotas, ...customQuotas, ...karmadaQuotas], limits) ?? unchanged
}

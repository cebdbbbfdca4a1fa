import { quantityOf, resourceNames } from '../../quantity/resource-list.ts'
import type { PoolPlan, TenantPlan } from './plan.ts'

const COLUMNS = ['NAMESPACE', 'RESOURCE', 'HAD', 'USES', 'GETS'] as const

/** Describes the changes: a table for each pool, the amounts that stay free in it, and those that do not fit. */
export function tenantSummary({ tenant, pools, problems }: TenantPlan): string {
  const lines = [
    `Tenant ${tenant.name}: ${counted(tenant.items.length, 'item')} of scope ${tenant.scope}, ${counted(tenant.namespaces.length, 'namespace')}`,
    ...pools.flatMap((pool) => poolLines(pool, tenant.scope === 'Namespace')),
    ...problems.map((problem) => `  ! ${problem}`),
  ]
  return `${lines.join('\n')}\n`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function poolLines({ pool, index, shares, free }: PoolPlan, isForEach: boolean): readonly string[] {
  const rows = shares.map(({ namespace, resource, had, uses, gets }) => [
    namespace,
    resource,
    had?.canonical() ?? '-',
    uses.canonical(),
    gets.canonical(),
  ])
  const table = [COLUMNS, ...rows]
  const widths = COLUMNS.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  const left = resourceNames(free).map((name) => `${name}=${quantityOf(free, name)?.canonical() ?? '0'}`)
  return [
    `  ResourcePool ${pool}, from items[${index}]`,
    ...table.map((row) => `    ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()),
    isForEach
      ? '    each namespace has these amounts by itself, also one that comes later'
      : `    free to be claimed: ${left.join(', ')}`,
  ]
}

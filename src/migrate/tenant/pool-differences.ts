import {
  type ResourcePool,
  resourcePool,
  type ResourcePoolSpec,
} from '../../systems/resource-pool/api/resource-pool.ts'
import { scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { parseResourceList, quantityOf, resourceNames, type ResourceList } from '../../quantity/resource-list.ts'
import type { PoolPlan } from './plan.ts'

/** How a pool that stands limits otherwise than the item that it is for, a sentence each; none where no such pool stands. */
export function poolDifferences(
  { pool, index, manifest }: PoolPlan,
  pools: readonly ResourcePool[],
): readonly string[] {
  const found = pools.find(({ metadata }) => metadata.name === pool)?.spec
  if (found === undefined) return []
  const planned = resourcePool.read(manifest).spec
  const of = `of the ResourcePool ${pool}`
  const item = `items[${index}] of the Tenant`
  const amounts = (field: string, has: ResourceList, wants: ResourceList): readonly string[] =>
    [...new Set([...resourceNames(has), ...resourceNames(wants)])].toSorted().flatMap((resource) => {
      const [one, other] = [quantityOf(has, resource), quantityOf(wants, resource)]
      if (one !== undefined && other !== undefined && one.equals(other)) return []
      return [`${field} ${of} has ${resource}=${textOf(one)}, but ${item} needs ${textOf(other)}`]
    })
  const [scopes, wanted] = [scopesOf(found), scopesOf(planned)]
  return [
    ...amounts('spec.quota.hard', hardOf(found), hardOf(planned)),
    ...amounts('spec.defaults', defaultsOf(found), defaultsOf(planned)),
    ...(scopes === wanted ? [] : [`spec.quota ${of} has ${scopes}, but ${item} has ${wanted}`]),
  ]
}

const textOf = (amount: Quantity | undefined): string => amount?.canonical() ?? '(no limit)'

const hardOf = ({ quota }: ResourcePoolSpec): ResourceList => parseResourceList(quota.hard ?? {})

/** The amounts that each namespace has without a claim, however the pool says it. */
function defaultsOf(spec: ResourcePoolSpec): ResourceList {
  const zeros = spec.config.defaultsZero
    ? resourceNames(hardOf(spec)).map((name) => [name, Quantity.zero] as const)
    : []
  return { ...Object.fromEntries(zeros), ...parseResourceList(spec.defaults ?? {}) }
}

function scopesOf({ quota }: ResourcePoolSpec): string {
  const { hard: _, ...scopes } = quota
  const all = scopeRequirements(scopes).map(({ scopeName, operator, values = [] }) =>
    [scopeName, operator, ...values.toSorted()].join(' '),
  )
  return all.length === 0 ? 'no scopes' : `the scopes ${[...new Set(all)].toSorted().join(', ')}`
}

import { persistentVolumeClaimEvaluator } from '../../charges/evaluators/persistent-volume-claim.ts'
import { podEvaluator } from '../../charges/evaluators/pod.ts'
import { shortenedName } from '../../machinery/shortened-name.ts'
import type { TenantQuotas } from './quotas.ts'
import { MAX_SUBDOMAIN } from '../../machinery/names.ts'

/** The names of what an item of a Tenant becomes. */
export interface ItemNames {
  readonly pool: string
  /** In each namespace. */
  readonly claim: string
}

const MAX_LABEL = 63
const PODS: ReadonlySet<string> = new Set(['pods', 'count/pods'])

/**
 * The names for the items of a Tenant, in their order. The name of a pool has the Tenant and what the pool holds. The name of a claim has
 * what the claim holds, or its only resource. An item that would have the name of an earlier one gets its index.
 */
export function itemNames({ name, items }: Pick<TenantQuotas, 'name' | 'items'>): readonly ItemNames[] {
  const pools = new Set<string>()
  const claims = new Set<string>()
  return items.map(({ hard = {} }, index) => {
    const resources = Object.keys(hard)
    const [only = ''] = resources
    const holds = contentOf(resources)
    const claim =
      resources.length === 1 ? shortenedTo(MAX_LABEL, only.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')) : holds
    return {
      pool: distinct(pools, shortenedTo(MAX_SUBDOMAIN, `${name}-${holds}`), index),
      claim: distinct(claims, claim, index),
    }
  })
}

function distinct(taken: Set<string>, name: string, index: number): string {
  const free = taken.has(name) ? `${name}-${index}` : name
  taken.add(free)
  return free
}

const shortenedTo = (max: number, name: string): string => (name.length <= max ? name : shortenedName(name, max))

/** `compute`, `storage` or `size`, which is numbers of objects; `quota` for several of these. */
function contentOf(resources: readonly string[]): string {
  const contents = new Set(
    resources.map((name) => {
      if (persistentVolumeClaimEvaluator.counts(name)) return 'storage'
      return podEvaluator.counts(name) && !PODS.has(name) ? 'compute' : 'size'
    }),
  )
  const [content = 'quota'] = contents
  return contents.size === 1 ? content : 'quota'
}

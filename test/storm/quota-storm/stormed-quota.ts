import type { KubeObject } from '../../../src/machinery/object.ts'
import { COUNTED_MAPS, MAPS } from '../../operator/custom-quota/quota-world.ts'
import type { StormEvent } from './storm-watch.ts'

/** A quota that is stormed, with its cost and its limit as the test knows them: without any of the product's code. */
export interface StormedQuota {
  readonly name: string
  /** Undefined for a GlobalCustomQuota. */
  readonly namespace?: string
  readonly limit: number
  readonly measures: 'size' | 'count'
}

/** The label by which the global quotas select namespaces; its value is that of the storm. */
export const STORM_LABEL = 'storm'

const COUNTED = { matchLabels: { counted: 'yes' } }

export const specOf = ({ namespace, limit, measures }: StormedQuota, storm: string): object => ({
  limit: String(limit),
  sources: [measures === 'size' ? MAPS : COUNTED_MAPS],
  scopeSelectors: [COUNTED],
  ...(namespace === undefined ? { namespaceSelectors: [{ matchLabels: { [STORM_LABEL]: storm } }] } : {}),
})

export function costIn(
  { namespace, measures }: StormedQuota,
  namespaces: readonly string[],
  object: KubeObject,
): number {
  const { namespace: own = '', labels } = object.metadata
  if (labels?.['counted'] !== 'yes' || !(namespace === undefined ? namespaces : [namespace]).includes(own)) return 0
  return measures === 'count' ? 1 : Number((object['data'] as { readonly size?: string } | undefined)?.size ?? 0)
}

export const usedOf = (quota: StormedQuota, namespaces: readonly string[], objects: Iterable<KubeObject>): number =>
  [...objects].reduce((sum, object) => sum + costIn(quota, namespaces, object), 0)

/** Goes through all revisions. Gives a line for each that was over a limit, and the objects at the end. */
export function overLimits(
  quotas: readonly StormedQuota[],
  namespaces: readonly string[],
  events: readonly StormEvent[],
): { readonly wrong: readonly string[]; readonly left: readonly KubeObject[] } {
  const objects = new Map<string, KubeObject>()
  const used = quotas.map(() => 0)
  const wrong: string[] = []
  for (const { type, object } of events) {
    const key = `${object.metadata.namespace}/${object.metadata.name}`
    const before = objects.get(key)
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, object)
    for (const [index, quota] of quotas.entries()) {
      const cost = (one: KubeObject | undefined): number => (one === undefined ? 0 : costIn(quota, namespaces, one))
      const now = (used[index] ?? 0) + cost(objects.get(key)) - cost(before)
      used[index] = now
      if (now > quota.limit)
        wrong.push(
          `${object.metadata.resourceVersion}: ${type} ${key} brings ${quota.name} to ${now} of ${quota.limit}`,
        )
    }
  }
  return { wrong, left: [...objects.values()] }
}

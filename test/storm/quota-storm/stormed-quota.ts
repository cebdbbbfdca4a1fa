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

const SIZE_1 = "has(object.data) && has(object.data.size) && object.data.size == '1'"
/** The same as `MAPS`, by CEL. */
const CEL_MAPS = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  op: 'add',
  cel: "has(object.data) && has(object.data.size) ? quantity(object.data.size) : quantity('0')",
}
/** Two sources that count each object once between them, one by a field selector and one by a CEL selector. */
const SPLIT_MAPS = [
  { ...COUNTED_MAPS, selectors: [{ fieldSelectors: ['.data.size=1'] }] },
  { ...COUNTED_MAPS, selectors: [{ celExpressions: [`!(${SIZE_1})`] }] },
]

/** The sources of a quota: by a path in a namespace, by CEL over namespaces, and several that count. */
function sourcesOf({ namespace, measures }: StormedQuota): readonly object[] {
  if (measures === 'count') return SPLIT_MAPS
  return [namespace === undefined ? CEL_MAPS : MAPS]
}

export const specOf = (quota: StormedQuota, storm: string): object => ({
  limit: String(quota.limit),
  sources: sourcesOf(quota),
  scopeSelectors: [COUNTED],
  ...(quota.namespace === undefined ? { namespaceSelectors: [{ matchLabels: { [STORM_LABEL]: storm } }] } : {}),
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

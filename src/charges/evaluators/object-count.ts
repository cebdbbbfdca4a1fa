import { qualified, type GroupResource } from '../../machinery/status.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator } from '../evaluator.ts'

const PREFIX = 'count/'

export const ONE = Quantity.of(1)

/** The name that counts objects of a resource: `count/secrets`, `count/deployments.apps`. */
export function countName(of: GroupResource): string {
  return PREFIX + qualified(of)
}

/** The resource that a `count/…` name counts; undefined for any other name. */
export function countedResource(name: string): GroupResource | undefined {
  if (!name.startsWith(PREFIX)) return undefined
  const id = name.slice(PREFIX.length)
  const dot = id.indexOf('.')
  return dot === -1 ? { group: '', resource: id } : { group: id.slice(dot + 1), resource: id.slice(0, dot) }
}

/**
 * Counts the objects of a resource, whatever they contain, under `count/<resource>[.<group>]` and, where there is one,
 * its older alias. Charged when they are created.
 */
export function countedObject(of: GroupResource, alias?: string): Evaluator {
  const name = countName(of)
  const usage: ResourceList = alias === undefined ? { [name]: ONE } : { [name]: ONE, [alias]: ONE }
  return {
    group: of.group,
    resource: of.resource,
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    names: alias === undefined ? [name] : [name, alias],
    counts: (candidate) => candidate === name || candidate === alias,
    isUniform: true,
    usage: () => usage,
  }
}

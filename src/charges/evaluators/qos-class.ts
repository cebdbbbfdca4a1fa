import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import { hasPodLevelResources } from './pod-resources.ts'
import { objectAt, objectsAt, quantityIn, textAt } from './read-field.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

type Amounts = Map<string, Quantity>

const COMPUTE = ['cpu', 'memory']

/**
 * The quality of service a pod gets: as its status says, else computed from cpu and memory alone. Pod-level resources, where
 * set, decide instead of the containers'.
 */
export function qosClass(pod: KubeObject): QosClass {
  const known = textAt(objectAt(pod, 'status'), 'qosClass')
  if (known === 'Guaranteed' || known === 'Burstable' || known === 'BestEffort') return known
  const requests: Amounts = new Map()
  const limits: Amounts = new Map()
  let allLimited = true
  for (const bearer of bearersOf(pod)) {
    const resources = objectAt(bearer, 'resources')
    addPositive(requests, objectAt(resources, 'requests'))
    if (addPositive(limits, objectAt(resources, 'limits')) < COMPUTE.length) allLimited = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const same =
    requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name)?.cmp(amount) === 0)
  return allLimited && same ? 'Guaranteed' : 'Burstable'
}

/** Is the pod's class BestEffort? The same as asking `qosClass`, but done at the first amount above zero. */
export function isBestEffort(pod: KubeObject): boolean {
  const known = textAt(objectAt(pod, 'status'), 'qosClass')
  if (known !== '') return known === 'BestEffort'
  return !bearersOf(pod).some((bearer) => {
    const resources = objectAt(bearer, 'resources')
    return resources !== undefined && (hasPositive(resources['requests']) || hasPositive(resources['limits']))
  })
}

function bearersOf(pod: KubeObject): readonly JsonObject[] {
  const spec = objectAt(pod, 'spec')
  if (spec !== undefined && hasPodLevelResources(pod)) return [spec]
  return [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]
}

function hasPositive(list: unknown): boolean {
  return isObject(list) && COMPUTE.some((name) => list[name] !== undefined && quantityIn(list[name]).sign() > 0)
}

/** Adds the amounts above zero and says how many there were. */
function addPositive(to: Amounts, list: JsonObject | undefined): number {
  let added = 0
  for (const name of COMPUTE) {
    const value = list?.[name]
    if (value === undefined || value === '0') continue
    const amount = quantityIn(value)
    if (amount.sign() <= 0) continue
    to.set(name, to.get(name)?.add(amount) ?? amount)
    added += 1
  }
  return added
}

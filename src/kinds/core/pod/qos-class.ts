import type { Pod, PodSpec } from '../../../builtin/core-v1.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { objectOf, objectsOf, specOf, statusOf } from '../../../machinery/read.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { amountOf } from '../../rule/quantity-field.ts'
import { hasPodLevelResources } from '../container/pod-level-resources.ts'

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort'

const COMPUTE = ['cpu', 'memory']

/**
 * The quality of service that a pod's spec gives it: cpu and memory above zero decide alone. Pod-level resources, where they
 * are set, decide instead of the containers' (component-helpers `ComputePodQOS`).
 */
export function qosClass(spec: PodSpec): QosClass {
  const requests = new Map<string, Quantity>()
  const limits = new Map<string, Quantity>()
  let allLimited = true
  for (const bearer of bearersOf(spec)) {
    const resources = objectOf(bearer.resources)
    addPositive(requests, objectOf(resources.requests))
    if (addPositive(limits, objectOf(resources.limits)) < COMPUTE.length) allLimited = false
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort'
  const same =
    requests.size === limits.size && [...requests].every(([name, amount]) => limits.get(name)?.cmp(amount) === 0)
  return allLimited && same ? 'Guaranteed' : 'Burstable'
}

/**
 * Is the pod's class BestEffort, as its status says, else as its spec gives it? Done at the first amount above zero. Throws QuantityError for
 * an amount that is not a quantity: quotas are not charged on a guess.
 */
export function isBestEffort(pod: Pod): boolean {
  const known = knownClass(pod)
  if (known !== undefined) return known === 'BestEffort'
  return !bearersOf(specOf(pod)).some((bearer) => {
    const resources = objectOf(bearer.resources)
    return hasPositive(objectOf(resources.requests)) || hasPositive(objectOf(resources.limits))
  })
}

function knownClass(pod: Pod): QosClass | undefined {
  const known = statusOf(pod).qosClass
  return known === 'Guaranteed' || known === 'Burstable' || known === 'BestEffort' ? known : undefined
}

const bearersOf = (spec: PodSpec): readonly JsonObject[] =>
  hasPodLevelResources(spec) ? [spec] : [...objectsOf(spec.containers), ...objectsOf(spec.initContainers)]

const hasPositive = (amounts: JsonObject): boolean =>
  COMPUTE.some((name) => amounts[name] !== undefined && Quantity.fromJson(amounts[name]).sign() > 0)

/** Adds the amounts above zero and says how many there were. */
function addPositive(to: Map<string, Quantity>, amounts: JsonObject): number {
  let added = 0
  for (const name of COMPUTE) {
    const amount = positive(amounts[name])
    if (amount === undefined) continue
    to.set(name, to.get(name)?.add(amount) ?? amount)
    added += 1
  }
  return added
}

function positive(value: unknown): Quantity | undefined {
  if (value === undefined || value === '0') return undefined
  const amount = amountOf(value)
  return amount !== undefined && amount.sign() > 0 ? amount : undefined
}

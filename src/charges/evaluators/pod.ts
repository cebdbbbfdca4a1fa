import type { Container, Pod } from '../../builtin/core-v1.ts'
import { isHugePagesName, isNativeName } from '../../kinds/resource-quota/resource-names.ts'
import { givenObjects, objectOf, specOf, textOf } from '../../machinery/read.ts'
import type { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Attributes, Evaluator, Measuring, MissingValue } from '../evaluator.ts'
import { ONE } from './object-count.ts'
import { isActive, isTerminating, overdueAt } from './pod-lifecycle.ts'
import { podLimits, podRequests } from './pod-resources.ts'
import { hasPodLevelResources } from '../../kinds/core/container/pod-level-resources.ts'
import { pageSizeOf } from '../../kinds/core/container/resource-requirements.ts'
import { isExtendedName } from '../../kinds/rule/resource-name.ts'
import { podExamples } from './scope-examples.ts'
import { POD_SCOPES, podScopeFacts } from './scopes.ts'

const NOTHING_MISSING: readonly MissingValue[] = []

/** The prefix of the names of requests. */
export const REQUESTS = 'requests.'
const LIMITS = 'limits.'

/** Extended resources that a device class gives under its own name (DRA). */
export const IMPLICIT_EXTENDED = 'deviceclass.resource.kubernetes.io/'

const MEASURED = new Set(['cpu', 'memory', 'ephemeral-storage'])
const NAMES: ReadonlySet<string> = new Set([
  'pods',
  'count/pods',
  ...[...MEASURED].flatMap((name) => [name, REQUESTS + name, LIMITS + name]),
])

/** Names for which every container must say its own value, with the side and resource they ask about. */
const DEMANDED: ReadonlyMap<string, Demand> = new Map(
  ['cpu', 'memory'].flatMap((resource): [string, Demand][] => [
    [resource, { side: 'requests', resource }],
    [REQUESTS + resource, { side: 'requests', resource }],
    [LIMITS + resource, { side: 'limits', resource }],
  ]),
)

interface Demand {
  readonly side: 'requests' | 'limits'
  readonly resource: string
}

/** Pods: their number and what their containers may use (docs/concepts/charging.md). */
export const podEvaluator: Evaluator = {
  group: '',
  resource: 'pods',
  handles,
  names: [...NAMES, 'hugepages-*', `${REQUESTS}hugepages-*`, `${REQUESTS}*/*`],
  charges: (name) => NAMES.has(name) || canBeRequested(name),
  counts: (name) => NAMES.has(name) || isHugePagesName(name) || countsExtended(name),
  scopes: POD_SCOPES,
  scopeExamples: podExamples,
  scopeFacts: podScopeFacts,
  missing,
  expiry: overdueAt,
  entangled: asksForExtended,
  usage: podUsage,
}

/** Reports whether requests of an extended resource are summed under this name. */
export function countsExtended(name: string): boolean {
  return name.startsWith(REQUESTS) && (!isNativeName(name) || name.startsWith(REQUESTS + IMPLICIT_EXTENDED))
}

/**
 * Reports whether a pod may request the huge pages or extended resource of this name. Some sizes and names are refused.
 */
export function canBeRequested(name: string): boolean {
  const resource = name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name
  if (isHugePagesName(resource)) return pageSizeOf(resource) !== undefined
  return isExtendedName(resource) || resource.startsWith(IMPLICIT_EXTENDED)
}

/** An update costs something only when it moves the pod between the Terminating and NotTerminating scopes, or resizes it. */
function handles({ operation, subresource, object, oldObject }: Attributes): boolean {
  if (operation === 'CREATE') return subresource === ''
  if (operation !== 'UPDATE') return false
  if (subresource === 'resize') return true
  return subresource === '' && oldObject !== undefined && isTerminating(oldObject) !== isTerminating(object)
}

function missing(names: readonly string[], pod: Pod): readonly MissingValue[] {
  const demanded = names.filter((name) => DEMANDED.has(name))
  const spec = specOf(pod)
  if (demanded.length === 0 || hasPodLevelResources(spec)) return NOTHING_MISSING
  const found = new Map<string, Set<string>>()
  for (const list of [spec.containers, spec.initContainers]) {
    for (const container of givenObjects(list)) noteMissing(found, demanded, container)
  }
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([resource, containers]) => ({ resource, containers: [...containers].toSorted() }))
}

function noteMissing(found: Map<string, Set<string>>, demanded: readonly string[], container: Container): void {
  const resources = objectOf(container.resources)
  const given = { requests: objectOf(resources.requests), limits: objectOf(resources.limits) }
  for (const name of demanded) {
    const demand = DEMANDED.get(name)
    if (demand === undefined || given[demand.side][demand.resource] !== undefined) continue
    const containers = found.get(name) ?? new Set<string>()
    found.set(name, containers.add(textOf(container.name)))
  }
}

function podUsage(pod: Pod, measuring: Measuring): ResourceList {
  if (!isActive(pod, measuring)) return { 'count/pods': ONE }
  const usage: Record<string, Quantity> = { 'count/pods': ONE, pods: ONE }
  for (const [name, amount] of podRequests(pod)) {
    if (MEASURED.has(name) || name.startsWith('hugepages-')) {
      usage[name] = amount
      usage[REQUESTS + name] = amount
    } else if (isExtended(name) || name.startsWith(IMPLICIT_EXTENDED)) {
      usage[REQUESTS + name] = amount
    }
  }
  for (const [name, amount] of podLimits(pod)) {
    if (MEASURED.has(name)) usage[LIMITS + name] = amount
  }
  return usage
}

function asksForExtended(pod: Pod): boolean {
  const { containers, initContainers } = specOf(pod)
  return [...givenObjects(containers), ...givenObjects(initContainers)].some(({ resources }) =>
    Object.keys(objectOf(objectOf(resources).requests)).some((name) => name.includes('/')),
  )
}

function isExtended(name: string): boolean {
  return !isNativeName(name) && !name.startsWith(REQUESTS)
}

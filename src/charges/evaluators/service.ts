import { isObject, type KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator } from '../evaluator.ts'
import { ONE } from './object-count.ts'
import { listAt, objectAt } from './read-field.ts'

const NAMES: ReadonlySet<string> = new Set([
  'services',
  'count/services',
  'services.nodeports',
  'services.loadbalancers',
])

/** Services: their number, their node ports and the load balancers among them (docs/concepts/charging.md). */
export const serviceEvaluator: Evaluator = {
  group: '',
  resource: 'services',
  handles: ({ operation, subresource }) => (operation === 'CREATE' || operation === 'UPDATE') && subresource === '',
  names: [...NAMES],
  counts: (name) => NAMES.has(name),
  usage: serviceUsage,
}

function serviceUsage(service: KubeObject): ResourceList {
  const spec = objectAt(service, 'spec')
  return {
    services: ONE,
    'count/services': ONE,
    'services.nodeports': Quantity.of(nodePorts(service)),
    'services.loadbalancers': spec?.['type'] === 'LoadBalancer' ? ONE : Quantity.zero,
  }
}

function nodePorts(service: KubeObject): number {
  const spec = objectAt(service, 'spec')
  const ports = listAt(spec, 'ports')
  switch (spec?.['type']) {
    case 'NodePort':
      return ports.length
    case 'LoadBalancer':
      if (spec['allocateLoadBalancerNodePorts'] !== false) return ports.length
      return ports.filter((port) => isObject(port) && Number(port['nodePort'] ?? 0) !== 0).length
    default:
      return 0
  }
}

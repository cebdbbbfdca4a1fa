import type { Service } from '../../builtin/core-v1.ts'
import { givenObjects, listOf, specOf } from '../../machinery/read.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Evaluator } from '../evaluator.ts'
import { ONE } from './object-count.ts'

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

function serviceUsage(service: Service): ResourceList {
  return {
    services: ONE,
    'count/services': ONE,
    'services.nodeports': Quantity.of(nodePorts(service)),
    'services.loadbalancers': specOf(service).type === 'LoadBalancer' ? ONE : Quantity.zero,
  }
}

function nodePorts(service: Service): number {
  const { type, ports, allocateLoadBalancerNodePorts } = specOf(service)
  switch (type) {
    case 'NodePort':
      return listOf(ports).length
    case 'LoadBalancer':
      if (allocateLoadBalancerNodePorts !== false) return listOf(ports).length
      return givenObjects(ports).filter(({ nodePort }) => Number(nodePort ?? 0) !== 0).length
    default:
      return 0
  }
}

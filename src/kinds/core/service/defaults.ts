import type { ServicePort, ServiceSpec } from '../../../builtin/core-v1.ts'
import { all, at, type Change, each, fill, set, setOrDrop, when, within, without } from '../../rule/change.ts'
import { absent, blank, countOf, listOf, objectOf, textOf } from '../../../machinery/read.ts'

/** Three hours: how long a client stays with one endpoint under ClientIP affinity. */
const AFFINITY_SECONDS = 10_800

/** Can it be reached from outside the cluster: by node ports, a load balancer or external addresses? */
export const isExternallyReachable = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' ||
  spec.type === 'NodePort' ||
  (spec.type === 'ClusterIP' && listOf(spec.externalIPs).length > 0)

const affinity: Change = (spec) => {
  if (spec.sessionAffinity === 'None') return without(spec, 'sessionAffinityConfig')
  const seconds = objectOf(objectOf(spec.sessionAffinityConfig).clientIP).timeoutSeconds
  return absent(seconds) ? set(spec, 'sessionAffinityConfig', { clientIP: { timeoutSeconds: AFFINITY_SECONDS } }) : spec
}

const port: Change = (one) => {
  const named = fill({ protocol: 'TCP' })(one)
  return named.targetPort === 0 || blank(named.targetPort) ? setOrDrop(named, 'targetPort', named.port) : named
}

/** core/v1 `SetDefaults_Service`. */
export const serviceDefaults: Change = all(
  within(
    'spec',
    all(
      fill({ sessionAffinity: 'None', type: 'ClusterIP' }),
      affinity,
      each('ports', port),
      when(isExternallyReachable, fill({ externalTrafficPolicy: 'Cluster' })),
      when((spec) => textOf(spec.type) !== 'ExternalName', fill({ internalTrafficPolicy: 'Cluster' })),
      when((spec) => spec.type === 'LoadBalancer', fill({ allocateLoadBalancerNodePorts: true })),
    ),
  ),
  when(
    (service) => objectOf(service.spec).type === 'LoadBalancer',
    at(
      'status',
      at(
        'loadBalancer',
        each(
          'ingress',
          when((entry) => !blank(entry.ip), fill({ ipMode: 'VIP' })),
        ),
      ),
    ),
  ),
)

/** Does this type have an address of its own (unless it is headless)? */
export const needsClusterIP = (spec: ServiceSpec): boolean => textOf(spec.type) !== 'ExternalName'

/** Does this type open a port on every node? */
export const needsNodePorts = (spec: ServiceSpec): boolean =>
  spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)

/** Does a load balancer probe the nodes of this service at a port of its own? */
export const needsHealthCheckPort = (spec: ServiceSpec): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'

export const isHeadless = (spec: ServiceSpec): boolean => spec.clusterIP === 'None'

export const nodePortOf = (one: ServicePort): number => countOf(one.nodePort)

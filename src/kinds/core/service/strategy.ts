import type { Endpoints, Service, ServicePort, ServiceSpec } from '../../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { set, setOrDrop, without } from '../../rule/change.ts'
import { semanticallyEqual } from '../../rule/equality.ts'
import { lifecycle } from '../../strategy/lifecycle.ts'
import { absent, blank, listOf, objectsOf, specOf, textOf, textsOf } from '../../../machinery/read.ts'
import {
  isExternallyReachable,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePorts,
  nodePortOf,
  serviceDefaults,
} from './defaults.ts'
import { validateService, validateServiceStatus, validateServiceUpdate } from './validation.ts'
import { validateSubsets } from './endpoints-validation.ts'
import type { Strategies, Strategy } from '../../strategy/strategy.ts'

const base = lifecycle({ status: { loadBalancer: {} } })

/** `clusterIP` and the first of `clusterIPs` always say the same; whichever the request changed wins. */
function normalizeClusterIPs(spec: ServiceSpec, old: ServiceSpec): JsonObject {
  const ip = textOf(spec.clusterIP)
  const ips = textsOf(spec.clusterIPs)
  if (ips.length === 0) return ip === '' ? spec : set(spec, 'clusterIPs', [ip])
  if (ip === '' && blank(old.clusterIP)) return set(spec, 'clusterIP', ips[0])
  if (ip === ips[0]) return spec
  const listUnchanged = semanticallyEqual(spec.clusterIPs, old.clusterIPs)
  if (!listUnchanged) return set(spec, 'clusterIP', ips[0])
  return ip === '' ? without(spec, 'clusterIPs') : set(spec, 'clusterIPs', [ip, ...ips.slice(1)])
}

/** An update that leaves out the address, the families or the node ports keeps them (`patchAllocatedValues`). */
function keepAllocated(spec: JsonObject, old: ServiceSpec): JsonObject {
  let kept = spec
  if (needsClusterIP(old) && needsClusterIP(spec)) {
    if (blank(kept.clusterIP) && listOf(kept.clusterIPs).length === 0) {
      kept = setOrDrop(setOrDrop(kept, 'clusterIP', old.clusterIP), 'clusterIPs', old.clusterIPs)
    }
    if (absent(kept.ipFamilies)) kept = setOrDrop(kept, 'ipFamilies', old.ipFamilies)
    if (absent(kept.ipFamilyPolicy)) kept = setOrDrop(kept, 'ipFamilyPolicy', old.ipFamilyPolicy)
  }
  if (needsNodePorts(old) && needsNodePorts(spec)) {
    const before = new Map(objectsOf(old.ports).map((port) => [portKey(port), nodePortOf(port)]))
    const inUse = new Set(objectsOf(spec.ports).map(nodePortOf))
    const ports = objectsOf(spec.ports).map((port) => {
      const stored = before.get(portKey(port)) ?? 0
      return nodePortOf(port) !== 0 || stored === 0 || inUse.has(stored) ? port : set(port, 'nodePort', stored)
    })
    if (!absent(spec.ports)) kept = set(kept, 'ports', ports)
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && !kept.healthCheckNodePort) {
    kept = setOrDrop(kept, 'healthCheckNodePort', old.healthCheckNodePort)
  }
  return kept
}

const portKey = (port: ServicePort): string => `${textOf(port.protocol)}/${String(port.port)}`

/** Drops the fields of the former type of the service, unless the request changed them (`dropTypeDependentFields`). */
function dropForeign(spec: ServiceSpec, old: ServiceSpec): ServiceSpec {
  let left = spec
  const same = (key: keyof ServiceSpec): boolean => semanticallyEqual(spec[key], old[key])
  if (needsClusterIP(old) && !needsClusterIP(spec)) {
    if (same('clusterIP') && same('clusterIPs')) left = without(left, 'clusterIP', 'clusterIPs')
    for (const key of ['ipFamilies', 'ipFamilyPolicy'] as const) if (same(key)) left = without(left, key)
  }
  if (needsNodePorts(old) && !needsNodePorts(spec) && sameNodePorts(spec, old)) {
    left = set(
      left,
      'ports',
      objectsOf(left.ports).map((port) => without(port, 'nodePort')),
    )
  }
  if (needsHealthCheckPort(old) && !needsHealthCheckPort(spec) && same('healthCheckNodePort')) {
    left = without(left, 'healthCheckNodePort')
  }
  if (isExternallyReachable(old) && !isExternallyReachable(spec) && same('externalTrafficPolicy')) {
    left = without(left, 'externalTrafficPolicy')
  }
  if (old.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    for (const key of ['allocateLoadBalancerNodePorts', 'loadBalancerClass'] as const)
      if (same(key)) left = without(left, key)
  }
  return left
}

const sameNodePorts = (spec: ServiceSpec, old: ServiceSpec): boolean => {
  const before = new Set(objectsOf(old.ports).map(nodePortOf))
  return objectsOf(spec.ports).every((port) => nodePortOf(port) === 0 || before.has(nodePortOf(port)))
}

function prepareForUpdate(object: Service, old: Service): KubeObject {
  const before = specOf(old)
  const kept = keepAllocated(normalizeClusterIPs(specOf(object), before), before)
  return setOrDrop(set(object, 'spec', dropForeign(kept, before)), 'status', old.status)
}

/** Services; storing one allocates its address and node ports (`service-allocation.ts`) after admission. */
const service: Strategy = {
  ...base,
  shortNames: ['svc'],
  categories: ['all'],
  nameRule: 'label1035',
  allowCreateOnUpdate: true,
  defaults: serviceDefaults,
  prepareForCreate: (object: Service, context) =>
    base.prepareForCreate(set(object, 'spec', normalizeClusterIPs(specOf(object), {})), context),
  prepareForUpdate,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  validateStatusUpdate: validateServiceStatus,
}

const endpoints: Strategy = {
  shortNames: ['ep'],
  allowCreateOnUpdate: true,
  defaults: (object: Endpoints) => {
    const subsets = object.subsets
    if (!Array.isArray(subsets)) return object
    return set(object, 'subsets', objectsOf(subsets).map(withProtocols))
  },
  validate: (object: Endpoints) => validateSubsets(object.subsets),
}

const withProtocols = (subset: JsonObject): JsonObject =>
  Array.isArray(subset.ports)
    ? set(
        subset,
        'ports',
        objectsOf(subset.ports).map((port) => (blank(port.protocol) ? set(port, 'protocol', 'TCP') : port)),
      )
    : subset

export const serviceStrategies: Strategies = { services: service, endpoints }

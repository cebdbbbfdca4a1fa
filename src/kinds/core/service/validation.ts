import type { LoadBalancerIngress, Service, ServicePort, ServiceSpec } from '../../../builtin/core-v1.ts'
import type { IngressLoadBalancerIngress } from '../../../builtin/networking-v1.ts'
import {
  append,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from '../../../machinery/field-error.ts'
import { validateLabels } from '../../../machinery/label-map.ts'
import { isDNS1123Label, isDNS1123Subdomain, isQualifiedName } from '../../../machinery/names.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { validateClusterIPs, validateClusterIPUpdate } from './cluster-ip-validation.ts'
import { semanticallyEqual } from '../../rule/equality.ts'
import { validateCIDR, validateIP, validateOrdinaryIP } from '../../rule/ip.ts'
import { isPort, PORT_TEXT } from '../../rule/number.ts'
import { validatePortOrName } from '../container/probe-validation.ts'
import {
  absent,
  countOf,
  listOf,
  numberOf,
  objectOf,
  objectsOf,
  specOf,
  statusOf,
  textOf,
  textsOf,
} from '../../../machinery/read.ts'
import { labelsOf } from '../../rule/label-selector.ts'
import { isExternallyReachable, isHeadless, needsHealthCheckPort, nodePortOf } from './defaults.ts'
import { obeys, oneOf, oneOfIfSet } from '../../rule/value.ts'
import { PROTOCOLS } from '../protocols.ts'

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const AFFINITIES = ['ClientIP', 'None']
const TRAFFIC_POLICIES = ['Cluster', 'Local']
const DISTRIBUTIONS = ['PreferClose', 'PreferSameNode', 'PreferSameZone']
/** A day, in seconds. */
const LONGEST_AFFINITY = 86_400
const SOURCE_RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges'
const ONLY_BALANCED = "may only be used when `type` is 'LoadBalancer'"

/** The errors in a Service (core `ValidateService`). */
export function validateService(object: Service): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = []
  const type = textOf(spec.type)
  const ports = objectsOf(spec.ports)
  if (ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName') errors.push(required('spec.ports'))
  append(errors, validateByType(spec, type))
  const names = new Set<string>()
  ports.forEach((port, index) => validatePort(port, `spec.ports[${index}]`, ports.length > 1, names, errors))
  if (!absent(spec.selector)) append(errors, validateLabels(labelsOf(spec.selector), 'spec.selector'))
  append(errors, validateAffinity(spec))
  append(errors, validateClusterIPs(spec))
  textsOf(spec.externalIPs).forEach((ip, index) => {
    const at = `spec.externalIPs[${index}]`
    const wrong = validateIP(ip, at)
    append(errors, wrong.length > 0 ? wrong : validateOrdinaryIP(ip, at))
  })
  append(errors, oneOf(type, TYPES, 'spec.type'))
  append(errors, validateNodePorts(ports, type))
  append(errors, validateUnique(ports))
  append(errors, validateSourceRanges(object, type))
  if (!absent(spec.allocateLoadBalancerNodePorts) && type !== 'LoadBalancer')
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', ONLY_BALANCED))
  if (!absent(spec.loadBalancerClass)) {
    const at = 'spec.loadBalancerClass'
    append(
      errors,
      type === 'LoadBalancer'
        ? obeys(textOf(spec.loadBalancerClass), isQualifiedName, at)
        : [forbidden(at, ONLY_BALANCED)],
    )
  }
  append(errors, validateTraffic(spec))
  return errors
}

function validateByType(spec: ServiceSpec, type: string): readonly FieldError[] {
  if ((type === 'LoadBalancer' || type === 'NodePort') && isHeadless(spec))
    return [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)]
  if (type !== 'ExternalName') return []
  const errors: FieldError[] = []
  for (const [field, isSet] of [
    ['clusterIPs', listOf(spec.clusterIPs).length > 0],
    ['ipFamilies', listOf(spec.ipFamilies).length > 0],
    ['ipFamilyPolicy', !absent(spec.ipFamilyPolicy)],
  ] as const)
    if (isSet) errors.push(forbidden(`spec.${field}`, 'may not be set for ExternalName services'))
  const name = textOf(spec.externalName).replace(/\.$/, '')
  append(errors, name === '' ? [required('spec.externalName')] : obeys(name, isDNS1123Subdomain, 'spec.externalName'))
  return errors
}

function validatePort(
  port: ServicePort,
  path: string,
  requireName: boolean,
  names: Set<string>,
  errors: FieldError[],
): void {
  const name = textOf(port.name)
  if (name === '') {
    if (requireName) errors.push(required(`${path}.name`))
  } else {
    append(errors, obeys(name, isDNS1123Label, `${path}.name`))
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name))
    names.add(name)
  }
  if (!isPort(port.port)) errors.push(invalid(`${path}.port`, port.port ?? 0, PORT_TEXT))
  append(errors, oneOf(port.protocol, PROTOCOLS, `${path}.protocol`))
  append(errors, validatePortOrName(port.targetPort, `${path}.targetPort`))
  if (!absent(port.appProtocol)) append(errors, obeys(textOf(port.appProtocol), isQualifiedName, `${path}.appProtocol`))
}

function validateAffinity(spec: ServiceSpec): readonly FieldError[] {
  const errors = [...oneOf(spec.sessionAffinity, AFFINITIES, 'spec.sessionAffinity')]
  if (spec.sessionAffinity !== 'ClientIP') return errors
  const seconds = countOf(objectOf(objectOf(spec.sessionAffinityConfig).clientIP).timeoutSeconds)
  if (seconds > 0 && seconds <= LONGEST_AFFINITY) return errors
  const detail = `must be greater than 0 and less than ${LONGEST_AFFINITY}`
  return [...errors, invalid('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, detail)]
}

/** Node ports only where the type has them, and none twice under one protocol. */
function validateNodePorts(ports: readonly JsonObject[], type: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const at = (index: number): string => `spec.ports[${index}].nodePort`
  if (type === 'ClusterIP')
    ports.forEach((port, index) => {
      if (nodePortOf(port) !== 0) errors.push(forbidden(at(index), "may not be used when `type` is 'ClusterIP'"))
    })
  const seen = new Set<string>()
  ports.forEach((port, index) => {
    const nodePort = nodePortOf(port)
    const key = `${textOf(port.protocol)}/${nodePort}`
    if (nodePort !== 0 && seen.has(key)) errors.push(duplicate(at(index), nodePort))
    seen.add(key)
  })
  return errors
}

/** No port twice under one protocol. */
function validateUnique(ports: readonly JsonObject[]): readonly FieldError[] {
  const seen = new Set<string>()
  return ports.flatMap((port, index) => {
    const protocol = textOf(port.protocol)
    const key = `${protocol}/${String(port.port)}`
    const again = seen.has(key)
    seen.add(key)
    return again ? [duplicate(`spec.ports[${index}]`, internalPort(protocol, port.port))] : []
  })
}

/** How upstream prints the port that occurs twice: its internal struct. */
const internalPort = (protocol: string, port: unknown): JsonObject => ({
  Name: '',
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
})

/** From where a load balancer may be reached, in its field or in the annotation that came before it. */
function validateSourceRanges({ metadata, spec }: KubeObject, type: string): readonly FieldError[] {
  const ranges = textsOf(objectOf(spec).loadBalancerSourceRanges)
  const annotation = metadata.annotations?.[SOURCE_RANGES]
  const inField = ranges.length > 0
  if (!inField && annotation === undefined) return []
  const path = inField ? 'spec.LoadBalancerSourceRanges' : `metadata.annotations[${SOURCE_RANGES}]`
  const listed = inField ? ranges : textOf(annotation).trim() === '' ? [] : textOf(annotation).split(',')
  return [
    ...(type === 'LoadBalancer' ? [] : [forbidden(path, ONLY_BALANCED)]),
    ...listed.flatMap((range, index) => validateCIDR(range.trim(), inField ? `${path}[${index}]` : path)),
  ]
}

function validateTraffic(spec: ServiceSpec): readonly FieldError[] {
  const errors: FieldError[] = []
  const external = textOf(spec.externalTrafficPolicy)
  if (isExternallyReachable(spec)) append(errors, oneOf(external, TRAFFIC_POLICIES, 'spec.externalTrafficPolicy'))
  else if (external !== '') {
    const detail = 'may only be set for externally-accessible services'
    errors.push(invalid('spec.externalTrafficPolicy', external, detail))
  }
  const check = numberOf(spec.healthCheckNodePort) ?? 0
  const at = 'spec.healthCheckNodePort'
  if (needsHealthCheckPort(spec)) {
    if (check === 0) errors.push(required(at))
    else if (!isPort(check)) errors.push(invalid(at, check, PORT_TEXT))
  } else if (check !== 0) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
    errors.push(invalid(at, check, detail))
  }
  if (absent(spec.internalTrafficPolicy)) {
    if (TYPES.includes(textOf(spec.type)) && spec.type !== 'ExternalName')
      errors.push(required('spec.internalTrafficPolicy'))
  } else append(errors, oneOfIfSet(spec.internalTrafficPolicy, TRAFFIC_POLICIES, 'spec.internalTrafficPolicy'))
  append(errors, oneOfIfSet(spec.trafficDistribution, DISTRIBUTIONS, 'spec.trafficDistribution'))
  return errors
}

/** A service keeps its address for as long as its type has one (core `ValidateServiceUpdate`). */
export function validateServiceUpdate(object: Service, previous: Service): readonly FieldError[] {
  const spec = specOf(object)
  const old = specOf(previous)
  const errors = [...validateClusterIPUpdate(spec, old)]
  const balanced = old.type === 'LoadBalancer' && spec.type === 'LoadBalancer'
  if (balanced && !semanticallyEqual(spec.loadBalancerClass, old.loadBalancerClass))
    errors.push(invalid('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'))
  if (needsHealthCheckPort(old) && needsHealthCheckPort(spec) && spec.healthCheckNodePort !== old.healthCheckNodePort)
    errors.push(forbidden('spec.healthCheckNodePort', 'field is immutable'))
  return [...errors, ...validateService(object)]
}

/** Where a load balancer can be reached (core `ValidateLoadBalancerStatus`). */
export function validateServiceStatus(object: Service): readonly FieldError[] {
  const path = 'status.loadBalancer.ingress'
  const entries = objectsOf(objectOf(statusOf(object).loadBalancer).ingress)
  if (entries.length > 0 && specOf(object).type !== 'LoadBalancer')
    return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
  return entries.flatMap((entry, index) => validateIngressStatus(entry, `${path}[${index}]`))
}

/** An address or name under which something is reached: of services, and of ingresses, which know no modes. */
export function validateIngressStatus(
  entry: IngressLoadBalancerIngress & LoadBalancerIngress,
  path: string,
): readonly FieldError[] {
  const ip = textOf(entry.ip)
  const name = textOf(entry.hostname)
  const errors: FieldError[] = ip === '' ? [] : [...validateIP(ip, `${path}.ip`)]
  if (!absent(entry.ipMode)) {
    if (ip === '') errors.push(forbidden(`${path}.ipMode`, 'may not be specified when `ip` is not set'))
    else if (!['Proxy', 'VIP'].includes(textOf(entry.ipMode)))
      errors.push(notSupported(`${path}.ipMode`, entry.ipMode, ['Proxy', 'VIP']))
  }
  if (name !== '') {
    append(errors, obeys(name, isDNS1123Subdomain, `${path}.hostname`))
    if (validateIP(name, '').length === 0)
      errors.push(invalid(`${path}.hostname`, name, 'must be a DNS name, not an IP address'))
  }
  return errors
}

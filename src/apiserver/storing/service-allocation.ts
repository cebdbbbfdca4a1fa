import type { Service, ServicePort } from '../../builtin/core-v1.ts'
import { isIP } from '../../machinery/ip-address.ts'
import { type FieldError, invalid } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { type ApiError, invalid as refused } from '../../machinery/status.ts'
import { set } from '../../kinds/rule/change.ts'
import { validateClusterIPs } from '../../kinds/core/service/cluster-ip-validation.ts'
import { countOf, isEmptyMap, listOf, objectsOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import {
  isHeadless,
  needsClusterIP,
  needsHealthCheckPort,
  needsNodePorts,
  nodePortOf,
} from '../../kinds/core/service/defaults.ts'

/** Node ports, both ends included. */
export const NODE_PORTS = { first: 30_000, last: 32_767 } as const
/** The range of cluster addresses: 10.96.0.0/16, without its own first and last address and the API server's. */
export const CLUSTER_RANGE = '10.96.0.0/16'
const FIRST_ADDRESS = 2
const LAST_ADDRESS = 65_534

/**
 * Gives a service its cluster address and its IP families, where it needs and lacks them. The first free address after a
 * hash of namespace and name is taken, so that the same service tends to get the same one. An address that the request
 * names must be free and in the range.
 * @param taken the addresses that services hold
 * @param own those of them that this service held before
 * @throws ApiError 422 if the address cannot be had, or none is left
 */
export function allocateClusterIP(
  object: Service,
  taken: ReadonlySet<string>,
  own: ReadonlySet<string> = NO_ADDRESSES,
): KubeObject {
  const spec = specOf(object)
  if (!needsClusterIP(spec)) return object
  const wrong = validateClusterIPs(spec)
  if (wrong.length > 0) throw refusal(object, wrong)
  if (isHeadless(spec)) return set(object, 'spec', withFamilies({ ...spec, clusterIPs: ['None'] }))
  const wanted = textOf(spec.clusterIP)
  if (wanted !== '') {
    const problem = own.has(wanted) ? undefined : addressProblem(wanted, taken)
    if (problem === undefined) return set(object, 'spec', withFamilies({ ...spec, clusterIPs: [wanted] }))
    throw refusal(object, [invalid('spec.clusterIPs', [wanted], `failed to allocate IP ${wanted}: ${problem}`)])
  }
  const offset = firstFree(hash(object), FIRST_ADDRESS, LAST_ADDRESS, (candidate) => !taken.has(address(candidate)))
  if (offset === undefined)
    throw refusal(object, [full('spec.clusterIPs', 'failed to allocate a serviceIP: range is full')])
  const ip = address(offset)
  return set(object, 'spec', withFamilies({ ...spec, clusterIP: ip, clusterIPs: [ip] }))
}

/** The cluster addresses that a service holds. */
export const clusterIPsOf = (service: Service): readonly string[] =>
  textsOf(specOf(service).clusterIPs).filter((ip) => ip !== 'None' && ip !== '')

/** The node ports that a service holds, its health check port too. */
export function nodePortsOf(service: Service): readonly number[] {
  const spec = specOf(service)
  return [...new Set([...objectsOf(spec.ports).map(nodePortOf), countOf(spec.healthCheckNodePort)])].filter(
    (port) => port !== 0,
  )
}

const NO_ADDRESSES: ReadonlySet<string> = new Set()
const NO_PORTS: ReadonlySet<number> = new Set()

const refusal = (object: Service, errors: readonly FieldError[]): ApiError =>
  refused({ group: '', kind: object.kind }, object.metadata.name ?? '', errors)

const full = (path: string, detail: string): FieldError => ({ code: 'InternalError', path, detail })

const address = (offset: number): string => `10.96.${offset >> 8}.${offset & 255}`

function addressProblem(ip: string, taken: ReadonlySet<string>): string | undefined {
  if (isIP(ip) !== 4 || !ip.startsWith('10.96.')) {
    return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${CLUSTER_RANGE}`
  }
  return taken.has(ip) ? 'provided IP is already allocated' : undefined
}

/** Families of a single-stack cluster; a headless service without selector may name any. */
function withFamilies(spec: JsonObject): JsonObject {
  const anyFamily = isHeadless(spec) && isEmptyMap(spec.selector)
  return {
    ...spec,
    ipFamilies: listOf(spec.ipFamilies).length > 0 ? spec.ipFamilies : anyFamily ? ['IPv4', 'IPv6'] : ['IPv4'],
    ipFamilyPolicy:
      textOf(spec.ipFamilyPolicy) !== '' ? spec.ipFamilyPolicy : anyFamily ? 'RequireDualStack' : 'SingleStack',
  }
}

/**
 * Gives each port of a service that needs one its node port, and a load balancer with local traffic its health check port.
 * Ports of one number and different protocols share a node port, as upstream's allocator has it.
 * @param taken the node ports that services hold
 * @param own those of them that this service held before
 * @throws ApiError 422 if a port cannot be had, or none is left
 */
export function allocateNodePorts(
  object: Service,
  taken: ReadonlySet<number>,
  own: ReadonlySet<number> = NO_PORTS,
): KubeObject {
  const spec = specOf(object)
  const used = new Set(taken)
  const byPort = new Map<unknown, Map<string, number>>()
  const errors: FieldError[] = []
  const ports = objectsOf(spec.ports)
  const explicit = new Set<number>()
  ports.forEach((port, index) => {
    const wanted = nodePortOf(port)
    if (wanted === 0) return
    const problem = explicit.has(wanted) || own.has(wanted) ? undefined : portProblem(wanted, taken)
    if (problem !== undefined) errors.push(invalid(`spec.ports[${index}].nodePort`, wanted, problem))
    explicit.add(wanted)
    used.add(wanted)
    remember(byPort, port, wanted)
  })
  if (errors.length > 0) throw refusal(object, errors)
  const start = hash(object)
  let result = spec
  if (needsNodePorts(spec) && ports.some((port) => nodePortOf(port) === 0)) {
    const given: JsonObject[] = []
    for (const port of ports) {
      const nodePort = nodePortOf(port) || shared(byPort, port) || nextPort(start, used)
      if (nodePort === undefined) throw refusal(object, [full('spec.ports', NO_PORT_LEFT)])
      used.add(nodePort)
      remember(byPort, port, nodePort)
      given.push(set(port, 'nodePort', nodePort))
    }
    result = set(result, 'ports', given)
  }
  if (needsHealthCheckPort(spec) && !spec.healthCheckNodePort) {
    const nodePort = nextPort(start, used)
    if (nodePort === undefined) throw refusal(object, [full('spec.healthCheckNodePort', NO_PORT_LEFT)])
    result = set(result, 'healthCheckNodePort', nodePort)
  }
  return set(object, 'spec', result)
}

function portProblem(port: number, taken: ReadonlySet<number>): string | undefined {
  if (port < NODE_PORTS.first || port > NODE_PORTS.last) {
    return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`
  }
  return taken.has(port) ? 'provided port is already allocated' : undefined
}

const NO_PORT_LEFT = 'failed to allocate a nodePort: range is full'

function remember(byPort: Map<unknown, Map<string, number>>, port: ServicePort, nodePort: number): void {
  const protocols = byPort.get(port.port) ?? new Map<string, number>()
  byPort.set(port.port, protocols.set(textOf(port.protocol), nodePort))
}

/** The node port of the same port under another protocol. */
function shared(byPort: ReadonlyMap<unknown, ReadonlyMap<string, number>>, port: ServicePort): number | undefined {
  const protocols = byPort.get(port.port)
  if (protocols === undefined || protocols.has(textOf(port.protocol))) return undefined
  return [...protocols.values()][0]
}

const nextPort = (start: number, used: ReadonlySet<number>): number | undefined =>
  firstFree(start, NODE_PORTS.first, NODE_PORTS.last, (candidate) => !used.has(candidate))

/** The first number of a range that is free, counting round from a start that depends on nothing but the name. */
function firstFree(
  start: number,
  first: number,
  last: number,
  isFree: (candidate: number) => boolean,
): number | undefined {
  const size = last - first + 1
  for (let step = 0; step < size; step++) {
    const candidate = first + ((start + step) % size)
    if (isFree(candidate)) return candidate
  }
  return undefined
}

/** FNV-1a of `namespace/name`, 32 bits. */
function hash({ metadata }: KubeObject): number {
  let sum = 0x811c9dc5
  for (const character of `${metadata.namespace ?? ''}/${metadata.name ?? ''}`) {
    sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193)
  }
  return sum >>> 0
}

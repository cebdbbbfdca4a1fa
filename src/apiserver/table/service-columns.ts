import type { Endpoints, Service } from '../../builtin/core-v1.ts'
import type { EndpointSlice } from '../../builtin/discovery-v1.ts'
import type { IPAddress, Ingress, IngressClass, NetworkPolicy, ServiceCIDR } from '../../builtin/networking-v1.ts'
import { hostPort } from '../../machinery/host-port.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import {
  absent,
  countOf,
  listOf,
  objectOf,
  objectsOf,
  specOf,
  statusOf,
  textOf,
  textsOf,
} from '../../machinery/read.ts'
import { column, type Column, wide } from './column.ts'
import { ageColumn, labelsCell, nameColumn, NONE, orNone, selectorCell, UNSET } from './shared-columns.ts'

/** How many of a list are printed before the rest is only counted. */
const SHOWN = 3

/** The first few, and how many more there are. */
function firstFew(items: readonly string[]): string {
  const shown = items.slice(0, SHOWN).join(',')
  return items.length > SHOWN ? `${shown} + ${items.length - SHOWN} more...` : shown
}

/** Addresses or names that a load balancer gives. */
function ingressPoints(object: Service | Ingress): readonly string[] {
  const points = objectsOf(objectOf(statusOf(object).loadBalancer).ingress).map(
    (point) => textOf(point.ip) || textOf(point.hostname),
  )
  return [...new Set(points)].filter((point) => point !== '').toSorted()
}

function externalIP(service: Service): string {
  const spec = specOf(service)
  const external = textsOf(spec.externalIPs)
  if (spec.type === 'ExternalName') return textOf(spec.externalName)
  if (spec.type !== 'LoadBalancer') return orNone(external.join(','))
  const all = [...ingressPoints(service), ...external]
  return all.length === 0 ? '<pending>' : all.join(',')
}

const portText = (port: JsonObject): string => {
  const node = countOf(port.nodePort)
  return `${countOf(port.port)}${node === 0 ? '' : `:${node}`}/${textOf(port.protocol)}`
}

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'How the service is reached.', (object: Service) => textOf(specOf(object).type)),
  column('Cluster-IP', 'The address inside the cluster.', (object: Service) => {
    const spec = specOf(object)
    return orNone(textsOf(spec.clusterIPs)[0] ?? textOf(spec.clusterIP))
  }),
  column('External-IP', 'Addresses outside the cluster.', externalIP),
  column('Port(s)', 'Ports, and the node ports behind them.', (object: Service) =>
    orNone(objectsOf(specOf(object).ports).map(portText).join(',')),
  ),
  ageColumn,
  wide('Selector', 'Which pods it leads to.', (object: Service) => labelsCell(specOf(object).selector)),
]

function endpointTexts(object: KubeObject): readonly string[] {
  return objectsOf(object.subsets).flatMap((subset) => {
    const ips = objectsOf(subset.addresses).map((address) => textOf(address.ip))
    const ports = objectsOf(subset.ports)
    if (ports.length === 0) return ips
    return ports.flatMap((port) => ips.map((ip) => hostPort(ip, countOf(port.port))))
  })
}

export const endpointsColumns: readonly Column[] = [
  nameColumn,
  column('Endpoints', 'Addresses and ports that are ready.', (object: Endpoints) =>
    orNone(firstFew(endpointTexts(object))),
  ),
  ageColumn,
]

export const endpointSliceColumns: readonly Column[] = [
  nameColumn,
  column('AddressType', 'IPv4, IPv6 or FQDN.', (object: EndpointSlice) => textOf(object.addressType)),
  column('Ports', 'Ports of every endpoint.', (object: EndpointSlice) => {
    const ports = objectsOf(object.ports).map((port) =>
      absent(port.port) ? textOf(port.name) || '*' : String(countOf(port.port)),
    )
    return ports.length === 0 ? UNSET : firstFew(ports)
  }),
  column('Endpoints', 'Addresses.', (object: EndpointSlice) => {
    const addresses = objectsOf(object.endpoints).flatMap((endpoint) => textsOf(endpoint.addresses))
    return addresses.length === 0 ? UNSET : firstFew(addresses)
  }),
  ageColumn,
]

/** The first few hosts; what follows them is counted in rules. */
function hosts(object: Ingress): string {
  const rules = objectsOf(specOf(object).rules).map((rule) => textOf(rule.host))
  const named = rules.flatMap((host, index) => (host === '' ? [] : [{ host, index }]))
  if (named.length === 0) return '*'
  const shown = named.slice(0, SHOWN)
  const rest = rules.length - 1 - (shown.at(-1)?.index ?? 0)
  const text = shown.map(({ host }) => host).join(',')
  return shown.length === SHOWN && rest > 0 ? `${text} + ${rules.length - SHOWN} more...` : text
}

export const ingressColumns: readonly Column[] = [
  nameColumn,
  column('Class', 'The class of controllers that serve it.', (object: Ingress) =>
    orNone(textOf(specOf(object).ingressClassName)),
  ),
  column('Hosts', 'Hosts that its rules are for.', hosts),
  column('Address', 'Where it can be reached.', (object: Ingress) => ingressPoints(object).join(',')),
  column('Ports', 'Ports that are open.', (object: Ingress) =>
    listOf(specOf(object).tls).length > 0 ? '80, 443' : '80',
  ),
  ageColumn,
]

export const ingressClassColumns: readonly Column[] = [
  nameColumn,
  column('Controller', 'The controller of the ingresses of this class.', (object: IngressClass) =>
    textOf(specOf(object).controller),
  ),
  column('Parameters', 'The object with further settings.', (object: IngressClass) => {
    const parameters = objectOf(specOf(object).parameters)
    if (textOf(parameters.name) === '') return NONE
    const group = textOf(parameters.apiGroup)
    return `${textOf(parameters.kind)}${group === '' ? '' : `.${group}`}/${textOf(parameters.name)}`
  }),
  ageColumn,
]

export const networkPolicyColumns: readonly Column[] = [
  nameColumn,
  column('Pod-Selector', 'The selector of the pods that it applies to.', (object: NetworkPolicy) =>
    selectorCell(specOf(object).podSelector),
  ),
  ageColumn,
]

export const ipAddressColumns: readonly Column[] = [
  nameColumn,
  column('ParentRef', 'The object that has the address.', (object: IPAddress) => {
    const parent = objectOf(specOf(object).parentRef)
    const group = textOf(parent.group)
    return [
      `${textOf(parent.resource)}${group === '' ? '' : `.${group}`}`,
      textOf(parent.namespace),
      textOf(parent.name),
    ]
      .filter((part) => part !== '')
      .join('/')
  }),
]

export const serviceCidrColumns: readonly Column[] = [
  nameColumn,
  column('CIDRs', 'Ranges that service addresses come from.', (object: ServiceCIDR) =>
    textsOf(specOf(object).cidrs).join(','),
  ),
  ageColumn,
]

import type { Endpoints, Pod, Service } from '../../builtin/core-v1.ts'
import type { EndpointSlice } from '../../builtin/discovery-v1.ts'
import { listOf, numberOf, objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import type { Finding } from './finding.ts'

/** Why an API server does not reach a Service. */
export interface ServiceProblem {
  readonly text: string
  /** `error`: no API server reaches it. The others: it depends on how the API server was started. */
  readonly severity: Finding['severity']
}

/** A Service, and what answers for it. */
export interface ServiceFacts {
  /** Undefined: there is none. */
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[]
  readonly endpoints: Endpoints | undefined
  /** The pods that the Service selects; undefined where they could not be read. */
  readonly pods: readonly Pod[] | undefined
}

type Port = ReturnType<typeof portsOf>[number]

const ROUTING = '--enable-aggregator-routing'
const error = (text: string): ServiceProblem => ({ text, severity: 'error' })

/**
 * What keeps an API server from reaching a port of a Service; undefined for nothing. An API server goes to the address of the Service, or with
 * --enable-aggregator-routing to one of its endpoints.
 */
export function serviceProblem(port: number, { service, ...rest }: ServiceFacts): ServiceProblem | undefined {
  if (service === undefined) return error('does not exist')
  const { type, clusterIP } = specOf(service)
  if (type === 'ExternalName')
    return { text: `is of type ExternalName, which an API server with ${ROUTING} does not follow`, severity: 'note' }
  const ports = portsOf(service)
  const called = ports.filter((one) => numberOf(one.port) === port)
  if (called.length === 0) return error(`has no port ${port}${isAmong(ports)}`)
  const reached = called.filter(({ protocol }) => ['', 'TCP'].includes(textOf(protocol)))
  const [other] = called
  if (reached.length === 0) return error(`has port ${port} for ${textOf(other?.protocol)} alone`)
  if (!reached.some((one) => hasReadyAddress(one, rest))) return error(whyNoAddress(port, reached, rest))
  return clusterIP === 'None'
    ? { text: `is headless, and an API server reaches it only with ${ROUTING}`, severity: 'warning' }
    : undefined
}

const portsOf = (service: Service) => objectsOf(specOf(service).ports)

const isAmong = (ports: readonly Port[]): string =>
  ports.length === 0 ? '' : ` (it has ${ports.map(({ port }) => String(numberOf(port))).join(', ')})`

type Answering = Omit<ServiceFacts, 'service'>

/** Endpoints and slices name the port as the Service does. Without a port: any. */
function hasReadyAddress(port: Port | undefined, { slices, endpoints }: Answering): boolean {
  const isOf = (ports: unknown): boolean =>
    port === undefined || objectsOf(ports).some(({ name }) => textOf(name) === textOf(port.name))
  return (
    slices.some(
      ({ addressType, endpoints: listed, ports }) =>
        addressType !== 'FQDN' &&
        isOf(ports) &&
        objectsOf(listed).some(
          // An address is ready unless it says that it is not.
          (one) => listOf(one.addresses).length > 0 && objectOf(one.conditions).ready !== false,
        ),
    ) || objectsOf(endpoints?.subsets).some(({ addresses, ports }) => isOf(ports) && objectsOf(addresses).length > 0)
  )
}

function whyNoAddress(port: number, called: readonly Port[], answering: Answering): string {
  const { pods } = answering
  const unnamed = called
    .map(({ targetPort }) => textOf(targetPort))
    .find((name) => name !== '' && pods !== undefined && pods.length > 0 && !pods.some((pod) => hasPort(pod, name)))
  if (unnamed !== undefined)
    return `sends port ${port} to ${JSON.stringify(unnamed)}, and no container of its pods has a port of that name`
  return hasReadyAddress(undefined, answering)
    ? `has no address that is ready for port ${port}`
    : 'has no address that is ready'
}

/** Sidecars are init containers that stay. */
const hasPort = (pod: Pod, name: string): boolean => {
  const { containers, initContainers } = specOf(pod)
  const staying = objectsOf(initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...objectsOf(containers), ...staying].some(({ ports }) => objectsOf(ports).some((one) => one.name === name))
}

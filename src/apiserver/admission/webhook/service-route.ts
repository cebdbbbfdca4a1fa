import type { Service } from '../../../builtin/core-v1.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { hostPort } from '../../../machinery/host-port.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { listOf, objectOf, objectsOf, specOf, textOf } from '../../../machinery/read.ts'
import { HookCallError } from './hook-reply.ts'

/** A port of a service, as a webhook names it. */
export interface ServicePort {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

/** Some of a service's endpoints: addresses that are ready, and the ports that each of them has. */
interface Endpoints {
  readonly addresses: readonly string[]
  readonly ports: readonly JsonObject[]
}

/** Host and port where a service leads: its external name, else the first of its endpoints. Throws HookCallError. */
export function serviceRoute(store: StoredObjects, { namespace, name, port }: ServicePort): string {
  const service = store.get('services', `${namespace}/${name}`)?.object
  if (service === undefined) throw new HookCallError(`service ${JSON.stringify(name)} not found`)
  const spec = specOf<Service>(service)
  // Ports of an external name mean nothing, upstream either.
  if (spec['type'] === 'ExternalName') return `${textOf(spec['externalName'])}:${port}`
  const servicePort = objectsOf(spec['ports']).find((one) => one['port'] === port)
  if (servicePort === undefined)
    throw new HookCallError(`no service port ${port} found for service ${JSON.stringify(name)}`)
  const portName = textOf(servicePort['name'])
  for (const { addresses, ports } of endpointsOf(store, namespace, name)) {
    const [address] = addresses
    const chosen = ports.find((one) => textOf(one['name']) === portName)
    if (address !== undefined && chosen !== undefined) return hostPort(address, String(chosen['port']))
  }
  throw new HookCallError(`no endpoints available for service ${JSON.stringify(name)}`)
}

/** From the Endpoints of the service and from its slices: nothing here makes one of the other. */
function endpointsOf(store: StoredObjects, namespace: string, name: string): readonly Endpoints[] {
  const subsets = objectsOf(store.get('endpoints', `${namespace}/${name}`)?.object['subsets'])
  const slices = [...store.latestIn('endpointslices.discovery.k8s.io', namespace)]
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name)
  return [
    ...subsets.map((subset) => ({
      addresses: objectsOf(subset['addresses']).map((one) => textOf(one['ip'])),
      ports: objectsOf(subset['ports']),
    })),
    ...slices.map((slice) => ({
      addresses: objectsOf(slice['endpoints'])
        .filter((endpoint) => objectOf(endpoint['conditions'])['ready'] !== false)
        .flatMap((endpoint) => listOf(endpoint['addresses']).map(textOf)),
      ports: objectsOf(slice['ports']),
    })),
  ]
}

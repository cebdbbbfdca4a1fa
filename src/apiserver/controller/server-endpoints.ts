import { isIP, isIPv6 } from 'node:net'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { systemCaller } from '../../machinery/caller.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import { ensure, lenient, type ObjectCreation } from './system-objects.ts'

const NAMESPACE = 'default'
const NAME = 'kubernetes'
const BUCKETS = { Endpoints: 'endpoints', EndpointSlice: 'endpointslices.discovery.k8s.io' } as const

/** The serverContext that publishing the addresses of the server needs. */
export interface EndpointWriting extends ObjectCreation {
  readonly registry: Pick<Registry, 'all' | 'ofBucket'>
  readonly operations: Pick<ObjectOperations, 'create' | 'update'>
}

/**
 * Publishes where the server is reached as the Endpoints and the EndpointSlice of the Service default/kubernetes, at each
 * start anew, as upstream's reconciler does. `serverAddress`: host and port. A host that is a name other than `localhost`
 * is not published: an endpoint is an address. Webhooks are not asked: one that is broken must not keep the server from starting.
 */
export async function publishServer(given: EndpointWriting, serverAddress: string): Promise<void> {
  const { hostname, port } = new URL(`https://${serverAddress}`)
  const address = hostname === 'localhost' ? '127.0.0.1' : hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) return
  const ports = [{ name: 'https', port: Number(port === '' ? 443 : port), protocol: 'TCP' }]
  await publish(
    given,
    'Endpoints',
    {
      kind: 'Endpoints',
      apiVersion: 'v1',
      // The slice is made here, so that nobody mirrors the Endpoints into another.
      metadata: { name: NAME, namespace: NAMESPACE, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    },
    { subsets: [{ addresses: [{ ip: address }], ports }] },
  )
  await publish(
    given,
    'EndpointSlice',
    {
      kind: 'EndpointSlice',
      apiVersion: 'discovery.k8s.io/v1',
      metadata: { name: NAME, namespace: NAMESPACE, labels: { 'kubernetes.io/service-name': NAME } },
    },
    {
      addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
      endpoints: [{ addresses: [address], conditions: { ready: true } }],
      ports,
    },
  )
}

/** Creates the object, or puts right what it says. Validation would refuse a loopback address, which is where the server is. */
async function publish(
  given: EndpointWriting,
  kind: keyof typeof BUCKETS,
  object: KubeObject,
  content: JsonObject,
): Promise<void> {
  await ensure(given, NAMESPACE, { ...object, ...content }, { trusted: true, unhooked: true })
  const resource = given.registry.ofBucket(BUCKETS[kind])
  const stored = given.store.latest(BUCKETS[kind], `${NAMESPACE}/${NAME}`)?.object
  if (resource === undefined || stored === undefined) return
  if (Object.entries(content).every(([field, value]) => jsonEqual(stored[field], value))) return
  const request = {
    resource: lenient(resource),
    namespace: NAMESPACE,
    name: NAME,
    subresource: '',
    caller: systemCaller('namespace-controller'),
    dryRun: false,
    unhooked: true,
  }
  await given.operations.update(request, (old) => ({ ...old, ...content }), { wholeObject: false })
}

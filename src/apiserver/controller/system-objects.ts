import type { KubeObject } from '../../machinery/object.ts'
import { isAlreadyExists } from '../../machinery/status.ts'
import { systemCaller } from '../../machinery/caller.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { keyOf } from '../storing/outcome.ts'
import type { Registry, Resource } from '../resource/registry.ts'

/** Namespaces that every cluster has. */
export const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const

const PRIORITY_CLASSES = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
] as const

/** The serverContext that ensuring objects needs. */
export interface ObjectCreation {
  readonly store: Pick<StoredObjects, 'latest'>
  readonly registry: Pick<Registry, 'all'>
  readonly operations: Pick<ObjectOperations, 'create'>
}

/** Creates what a fresh cluster holds; what exists stays as it is. */
export async function ensureSystemObjects(given: ObjectCreation): Promise<void> {
  for (const name of SYSTEM_NAMESPACES)
    await ensure(given, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } }, { unhooked: true })
  for (const [name, value, description] of PRIORITY_CLASSES) {
    const object = {
      kind: 'PriorityClass',
      apiVersion: 'scheduling.k8s.io/v1',
      metadata: { name },
      value,
      description,
      preemptionPolicy: 'PreemptLowerPriority',
    }
    await ensure(given, '', object, { trusted: true, unhooked: true })
  }
}

/** Creates the Service of the server itself where it does not exist. */
export async function ensureServerService(given: ObjectCreation): Promise<void> {
  const port = { name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }
  const service = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      ports: [port],
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
  }
  await ensure(given, 'default', service, { unhooked: true })
}

/** A resource to which the control plane may write what validation keeps from others. */
export function lenient(resource: Resource): Resource {
  const { validate: _validate, validateUpdate: _validateUpdate, ...strategy } = resource.strategy
  return { ...resource, strategy }
}

export interface EnsureOptions {
  /** Are names allowed that validation keeps for the system? */
  readonly trusted?: boolean
  /** Are webhooks not asked? For what the server needs to start. */
  readonly unhooked?: boolean
}

/** Creates an object as the control plane itself, where it does not exist. */
export async function ensure(
  { store, registry, operations }: ObjectCreation,
  namespace: string,
  object: KubeObject,
  { trusted = false, unhooked = false }: EnsureOptions = {},
): Promise<void> {
  const [group = '', version = ''] = object.apiVersion.includes('/')
    ? object.apiVersion.split('/')
    : ['', object.apiVersion]
  const resource = registry
    .all()
    .find(({ served }) => served.group === group && served.version === version && served.kind === object.kind)
  if (resource === undefined) throw new Error(`${object.apiVersion} ${object.kind} is not served`)
  if (store.latest(resource.bucket, keyOf(resource, namespace, object.metadata.name ?? '')) !== undefined) return
  const request = {
    resource: trusted ? lenient(resource) : resource,
    namespace,
    name: object.metadata.name ?? '',
    subresource: '',
    caller: systemCaller('namespace-controller'),
    dryRun: false,
    unhooked,
  }
  try {
    await operations.create(request, resource.strategy.defaults?.(object) ?? object)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

import { specOf, listOf } from '../../machinery/read.ts'
import type { Namespace } from '../../builtin/core-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { hasCause, isConflict, isNotFound, notFound } from '../../machinery/status.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { type Remains, withRemains } from './namespace-conditions.ts'
import { ensure } from './system-objects.ts'

/** A namespace with contents that wait for finalizers is looked at again this often, and whenever something in it goes. */
const RETRY_MS = 1000
const FINALIZER = OWN_FINALIZERS.namespace
/** The manager of the conditions of terminating namespaces in managed fields. */
const MANAGER = 'kube-controller-manager'
/** The ConfigMap with the trusted certificate in every namespace. */
const CERTIFICATE = 'kube-root-ca.crt'

export interface NamespaceControllerOptions {
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>
  readonly registry: Pick<Registry, 'all' | 'ofBucket' | 'stored'>
  readonly operations: Pick<ObjectOperations, 'changeThis' | 'create' | 'remove' | 'update'>
  readonly serverContext: Pick<ServerContext, 'now'>
  /** PEM; published in every namespace until `publish` gives another. */
  readonly caCertificate: string
  readonly onError: (namespace: string, error: unknown) => void
}

/**
 * The life of a namespace: it gets its `default` ServiceAccount and `kube-root-ca.crt`; when it is deleted everything in it
 * is deleted, and then its own finalizer, which ends it.
 */
export class NamespaceController {
  readonly #options: NamespaceControllerOptions
  readonly #queue: WorkQueue
  #caCertificate: string

  constructor(options: NamespaceControllerOptions) {
    const { store, onError } = options
    this.#options = options
    this.#caCertificate = options.caCertificate
    this.#queue = new WorkQueue({ work: (name) => this.#sync(name), onError, workers: 4 })
    store.watch({ bucket: 'namespaces' }, ({ type, record }) => {
      if (type !== 'deleted') this.#queue.add(record.key)
    })
    for (const bucket of ['serviceaccounts', 'configmaps']) {
      store.watch({ bucket }, ({ type, record }) => {
        const isOurs = type !== 'added' && record.key.endsWith(`/${CERTIFICATE}`)
        if (type === 'deleted' || isOurs) this.#queue.add(record.key.slice(0, record.key.indexOf('/')))
      })
    }
    for (const { key } of store.latestIn('namespaces', undefined)) this.#queue.add(key)
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  /** Publishes another certificate (PEM) in every namespace from now on. */
  publish(caCertificate: string): void {
    if (caCertificate === this.#caCertificate) return
    this.#caCertificate = caCertificate
    for (const { key } of this.#options.store.latestIn('namespaces', undefined)) this.#queue.add(key)
  }

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  async #sync(name: string): Promise<void> {
    const namespace = this.#options.store.latest('namespaces', name)?.object
    if (namespace === undefined) return
    try {
      if (namespace.metadata.deletionTimestamp === undefined) await this.#furnish(name)
      else await this.#clear(name, namespace)
    } catch (error) {
      // The object was deleted, or the namespace began to terminate, meanwhile: both are events that bring it back here.
      if (!isNotFound(error) && !hasCause(error, 'NamespaceTerminating')) throw error
    }
  }

  /**
   * Creates the objects that every namespace has. A quota that leaves no room for them is the administrator's own choice; what one refuses
   * keeps nothing else from being made or brought up to date.
   */
  async #furnish(namespace: string): Promise<void> {
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } }
    const done = await Promise.allSettled([ensure(this.#options, namespace, account), this.#publish(namespace)])
    for (const one of done) if (one.status === 'rejected') throw one.reason
  }

  /** Writes the certificate of the authority into a namespace. */
  async #publish(namespace: string): Promise<void> {
    const { store } = this.#options
    const data = { 'ca.crt': this.#caCertificate }
    const published = store.latest('configmaps', `${namespace}/${CERTIFICATE}`)?.object
    if (published === undefined) {
      const annotations = {
        'kubernetes.io/description':
          'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
      }
      await ensure(this.#options, namespace, {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: CERTIFICATE, annotations },
        data,
      })
    } else if (!jsonEqual(published['data'], data)) {
      const resource = this.#options.registry.ofBucket('configmaps')
      if (resource === undefined) return
      await this.#options.operations.update(
        this.#request({ resource, namespace, name: CERTIFICATE }),
        (current) => ({ ...current, data }),
        { wholeObject: false },
      )
    }
  }

  async #clear(namespace: string, seen: KubeObject): Promise<void> {
    const { registry, operations, serverContext } = this.#options
    const remains = await this.#empty(namespace, seen)
    const resource = registry.ofBucket('namespaces')
    if (resource === undefined) return
    const request = { ...this.#request({ resource, namespace: '', name: namespace }), manager: MANAGER }
    const now = timestamp(serverContext.now())
    // Also of an empty one: finalizers of others may keep the namespace, with the conditions that it had before.
    const [report] = await Promise.allSettled([
      operations.changeThis({ ...request, subresource: 'status' }, seen, (current) =>
        withRemains(current, remains, now),
      ),
    ])
    // A status that a webhook refuses does not keep the namespace.
    if (remains.resources.size === 0)
      await operations.changeThis({ ...request, subresource: 'finalize' }, seen, withoutFinalizer)
    if (report.status === 'rejected') throw report.reason
    if (remains.resources.size > 0) this.#queue.addAfter(namespace, RETRY_MS)
  }

  /** Deletes the content of a namespace and returns the rest. Throws 404 when another namespace has taken its name. */
  async #empty(namespace: string, seen: KubeObject): Promise<Remains> {
    const { registry, store } = this.#options
    const resources = new Map<string, number>()
    const finalizers = new Map<string, number>()
    for (const resource of registry.stored().filter(({ served }) => served.namespaced)) {
      const contents = [...store.latestIn(resource.bucket, namespace)]
      if (store.latest('namespaces', namespace)?.object.metadata.uid !== seen.metadata.uid)
        throw notFound({ group: '', resource: 'namespaces' }, namespace)
      await Promise.all(contents.map(({ object }) => this.#delete(resource, namespace, object.metadata)))
      const remaining = [...store.latestIn(resource.bucket, namespace)]
      if (remaining.length > 0) resources.set(`${resource.id.resource}.${resource.id.group}`, remaining.length)
      for (const { object } of remaining)
        for (const finalizer of object.metadata.finalizers ?? [])
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
    }
    return { resources, finalizers }
  }

  async #delete(
    resource: Resource,
    namespace: string,
    { name = '', uid, deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  ): Promise<void> {
    if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0) return
    try {
      await this.#options.operations.remove(this.#request({ resource, namespace, name }), {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
        ...(uid === undefined ? {} : { uid }),
      })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  #request(of: Pick<ObjectRequest, 'resource' | 'namespace' | 'name'>): ObjectRequest {
    return { ...of, subresource: '', caller: systemCaller('namespace-controller'), dryRun: false }
  }
}

function withoutFinalizer(namespace: Namespace): KubeObject {
  const spec = specOf(namespace)
  const finalizers = listOf(spec.finalizers).filter((one) => one !== FINALIZER)
  return { ...namespace, spec: { ...spec, finalizers } }
}

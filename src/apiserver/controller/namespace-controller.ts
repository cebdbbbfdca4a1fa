import { jsonEqual } from '../../machinery/json-value.ts'
import { isObject, type KubeObject, type ObjectMeta } from '../../machinery/object.ts'
import { hasCause, isConflict, isNotFound } from '../../machinery/status.ts'
import { WorkQueue } from '../../runtime/work-queue.ts'
import { systemCaller } from '../caller.ts'
import { timestamp } from '../../runtime/timestamp.ts'
import { remove } from '../operation/delete.ts'
import type { Engine, ObjectRequest } from '../operation/engine.ts'
import { update } from '../operation/update.ts'
import type { Resource } from '../registry.ts'
import { ensure } from './system-objects.ts'

/** A namespace with contents that wait for finalizers is looked at again this often, and whenever something in it goes. */
const RETRY_MS = 1000
const FINALIZER = 'kubernetes'
/** The ConfigMap that tells every namespace whom to trust. */
const CERTIFICATE = 'kube-root-ca.crt'

/**
 * The life of a namespace: it gets its `default` ServiceAccount and `kube-root-ca.crt`; when it is deleted everything in it
 * is deleted, and then its own finalizer, which ends it.
 */
export class NamespaceController {
  readonly #engine: Engine
  readonly #caCertificate: string
  readonly #queue: WorkQueue

  constructor(engine: Engine, caCertificate: string, onError: (namespace: string, error: unknown) => void) {
    this.#engine = engine
    this.#caCertificate = caCertificate
    this.#queue = new WorkQueue({ work: (name) => this.#sync(name), onError, workers: 4 })
    const { store } = engine
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

  stop(): Promise<void> {
    return this.#queue.stop()
  }

  async #sync(name: string): Promise<void> {
    const namespace = this.#engine.store.latest('namespaces', name)?.object
    if (namespace === undefined) return
    try {
      if (namespace.metadata.deletionTimestamp === undefined) await this.#furnish(name)
      else await this.#clear(name)
    } catch (error) {
      // What was looked at went, or the namespace was told to go, meanwhile: both are events that bring it back here.
      if (!isNotFound(error) && !hasCause(error, 'NamespaceTerminating')) throw error
    }
  }

  /** What every namespace has. A quota that leaves no room for it is the administrator's own choice. */
  async #furnish(namespace: string): Promise<void> {
    const { store } = this.#engine
    if (store.latest('serviceaccounts', `${namespace}/default`) === undefined)
      await ensure(this.#engine, namespace, { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default' } })
    const data = { 'ca.crt': this.#caCertificate }
    const published = store.latest('configmaps', `${namespace}/${CERTIFICATE}`)?.object
    if (published === undefined) {
      const annotations = {
        'kubernetes.io/description':
          'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.',
      }
      await ensure(this.#engine, namespace, {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: CERTIFICATE, annotations },
        data,
      })
    } else if (!jsonEqual(published['data'], data)) {
      const resource = this.#engine.registry.ofBucket('configmaps')
      if (resource === undefined) return
      await update(
        this.#engine,
        this.#request({ resource, namespace, name: CERTIFICATE }),
        (current) => ({ ...current, data }),
        { wholeObject: false },
      )
    }
  }

  async #clear(namespace: string): Promise<void> {
    const { registry, store } = this.#engine
    const left: string[] = []
    const finalizers = new Map<string, number>()
    for (const resource of registry.stored().filter(({ served }) => served.namespaced)) {
      const contents = [...store.latestIn(resource.bucket, namespace)]
      await Promise.all(contents.map(({ object }) => this.#delete(resource, namespace, object.metadata)))
      const remaining = [...store.latestIn(resource.bucket, namespace)]
      if (remaining.length > 0)
        left.push(`${resource.id.resource}.${resource.id.group} has ${remaining.length} resource instances`)
      for (const { object } of remaining)
        for (const finalizer of object.metadata.finalizers ?? [])
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1)
    }
    const resource = registry.ofBucket('namespaces')
    if (resource === undefined) return
    const request = this.#request({ resource, namespace: '', name: namespace })
    if (left.length === 0) {
      await update(this.#engine, { ...request, subresource: 'finalize' }, (current) => withoutFinalizer(current), {
        wholeObject: false,
      })
      return
    }
    const now = timestamp(this.#engine.surroundings.now())
    await update(
      this.#engine,
      { ...request, subresource: 'status' },
      (current) => withConditions(current, left, finalizers, now),
      { wholeObject: false },
    )
    this.#queue.addAfter(namespace, RETRY_MS)
  }

  async #delete(
    resource: Resource,
    namespace: string,
    { name = '', deletionTimestamp, deletionGracePeriodSeconds = 0 }: ObjectMeta,
  ): Promise<void> {
    if (deletionTimestamp !== undefined && deletionGracePeriodSeconds === 0) return
    try {
      await remove(this.#engine, this.#request({ resource, namespace, name }), {
        gracePeriodSeconds: 0,
        propagationPolicy: 'Background',
      })
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  #request(of: Pick<ObjectRequest, 'resource' | 'namespace' | 'name'>): ObjectRequest {
    return { ...of, subresource: '', caller: systemCaller('namespace-controller'), dryRun: false }
  }
}

function withoutFinalizer(namespace: KubeObject): KubeObject {
  const spec = isObject(namespace['spec']) ? namespace['spec'] : {}
  const finalizers = Array.isArray(spec['finalizers']) ? spec['finalizers'].filter((one) => one !== FINALIZER) : []
  return { ...namespace, spec: { ...spec, finalizers } }
}

/** Tells what still keeps the namespace, in the conditions that `kubectl describe namespace` prints. */
function withConditions(
  namespace: KubeObject,
  left: readonly string[],
  finalizers: ReadonlyMap<string, number>,
  now: string,
): KubeObject {
  const status = isObject(namespace['status']) ? namespace['status'] : {}
  const before = Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : []
  const waiting = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
  const wanted = [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    {
      type: 'NamespaceContentRemaining',
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: `Some resources are remaining: ${left.toSorted().join(', ')}`,
    },
    waiting.length === 0
      ? {
          type: 'NamespaceFinalizersRemaining',
          status: 'False',
          reason: 'ContentHasNoFinalizers',
          message: 'All content-preserving finalizers finished',
        }
      : {
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          reason: 'SomeFinalizersRemain',
          message: `Some content in the namespace has finalizers remaining: ${waiting.join(', ')}`,
        },
  ]
  const conditions = wanted.map((condition) => {
    const old = before.find((one) => one['type'] === condition.type)
    const { lastTransitionTime, ...rest } = old ?? {}
    const { type, status: state, ...why } = condition
    return { type, status: state, lastTransitionTime: jsonEqual(rest, condition) ? lastTransitionTime : now, ...why }
  })
  return { ...namespace, status: { ...status, phase: 'Terminating', conditions } }
}

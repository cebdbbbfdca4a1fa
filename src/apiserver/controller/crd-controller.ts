import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isConflict, isNotFound } from '../../machinery/status.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { isEstablished } from '../../kinds/apiextensions/crd-validation.ts'
import { objectsOf, statusOf } from '../../machinery/read.ts'
import { CLEANUP } from '../operation/deletion-mark.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { withManagers } from '../operation/managed-fields.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { OpenWatches } from '../storing/open-watches.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { CrdNames } from './crd-names.ts'
import { resourcesOf } from './crd-resources.ts'
import { crdStatus, withApiCondition } from './crd-status.ts'

const BUCKET = 'customresourcedefinitions.apiextensions.k8s.io'
/** Objects of a deleted CRD that wait for their finalizers are looked at again this often. */
const RETRY_MS = 500
/** The manager of the status of CRDs in managed fields. */
const MANAGER = 'kube-apiserver'

interface Served {
  readonly resources: readonly ServedResource[]
  readonly since: number
}

export interface CustomResourcesOptions {
  readonly store: Pick<StoredObjects, 'accepted' | 'latest' | 'latestIn' | 'watch'>
  readonly registry: Pick<Registry, 'add' | 'ofBucket' | 'remove'>
  readonly operations: Pick<ObjectOperations, 'changeThis' | 'discard' | 'remove' | 'replaceStatus'>
  readonly watches: Pick<OpenWatches, 'endAll'>
  readonly serverContext: Pick<ServerContext, 'now'>
  /** Reports that other kinds are served than before. */
  readonly onChange: () => void
  readonly onError: (name: string, error: unknown) => void
}

/**
 * Serves what CustomResourceDefinitions define, from the moment they are stored until they are gone; a deleted one goes
 * when all its objects are gone.
 */
export class CustomResources {
  readonly #options: CustomResourcesOptions
  /** The resources that each CRD has put into the registry. */
  readonly #served = new Map<string, Served>()
  readonly #names = new CrdNames()
  readonly #clearing: WorkQueue

  constructor(options: CustomResourcesOptions) {
    const { store, onError } = options
    this.#options = options
    this.#clearing = new WorkQueue({ work: (name) => this.#clearUnlessGone(name), onError })
    store.watch({ bucket: BUCKET }, (event) => this.#follow(event))
    const crds = [...store.latestIn(BUCKET, undefined)]
    for (const { object } of crds) this.#names.note(object)
    for (const { key } of crds) this.#acceptNames(key)
  }

  stop(): Promise<void> {
    return this.#clearing.stop()
  }

  #follow({ type, record }: StoreEvent): void {
    const { key, object } = record
    if (type === 'deleted') {
      const before = this.#served.get(key)
      this.#withdraw(key)
      if (before !== undefined) this.#endWatches(before)
      this.#names.forget(object)
      this.#acceptWaiting(object)
    } else this.#acceptNames(key)
    this.#options.onChange()
  }

  /** Names that a CRD has given up may be what others wait for. */
  #acceptWaiting(crd: CustomResourceDefinition): void {
    for (const name of this.#names.waiting(crd)) this.#acceptNames(name)
  }

  /** Decides which names of a CRD are accepted, serves its resources by them, and reports so in its status. */
  #acceptNames(name: string): void {
    const { store, serverContext } = this.#options
    const record = store.latest(BUCKET, name)
    if (record === undefined) return
    const crd = record.object
    const now = timestamp(serverContext.now())
    const status = crdStatus(crd, this.#names.besides(crd), now)
    const accepted: KubeObject = { ...crd, status }
    this.#serve(name, accepted)
    if (this.#names.note(accepted)) this.#acceptWaiting(accepted)
    if (crd.metadata.deletionTimestamp !== undefined) this.#clearing.add(name)
    if (jsonEqual(status, crd['status'])) return
    const crds = this.#options.registry.ofBucket(BUCKET)
    if (crds === undefined) return
    const request = { ...this.#request(crds, '', name), subresource: 'status', manager: MANAGER }
    const managed = withManagers(request, crd, accepted, undefined, now)
    // The change of the CRD in between causes another event, which brings us here again.
    this.#options.operations
      .replaceStatus(crds, record, managed)
      .catch((error: unknown) => this.#options.onError(name, error))
  }

  #serve(name: string, crd: CustomResourceDefinition): void {
    const wanted = resourcesOf(crd)
    const before = this.#served.get(name)
    if (jsonEqual(before?.resources ?? [], wanted)) return
    const since = this.#since(crd, before, wanted)
    this.#withdraw(name)
    for (const served of wanted) this.#options.registry.add({ ...served, schemasSince: since })
    this.#served.set(name, { resources: wanted, since })
    if (before !== undefined && !isServedAlike(before.resources, wanted)) this.#endWatches(before)
  }

  /** The revision up to which objects may have been written by other schemas than these. */
  #since({ metadata }: KubeObject, before: Served | undefined, wanted: readonly ServedResource[]): number {
    // When the schemas of a CRD changed last, nobody has kept; not after its own last write.
    if (before === undefined) return Number(metadata.resourceVersion)
    const schemas = ([first]: readonly ServedResource[]): unknown => first?.definedVersions
    return jsonEqual(schemas(before.resources), schemas(wanted)) ? before.since : this.#options.store.accepted
  }

  async #clearUnlessGone(name: string): Promise<void> {
    try {
      await this.#clear(name)
    } catch (error) {
      // Somebody else took the finalizer meanwhile; what has the name now comes here by events of its own.
      if (!isNotFound(error)) throw error
    }
  }

  /** Deletes the objects of a deleted CRD, and when there are none left lets the CRD go. */
  async #clear(name: string): Promise<void> {
    const { store, registry, operations } = this.#options
    const seen = store.latest(BUCKET, name)?.object
    if (seen?.metadata.deletionTimestamp === undefined || seen.metadata.finalizers?.includes(CLEANUP) !== true) return
    // A CRD is named after the resource, and so is the place of its objects.
    const crds = registry.ofBucket(BUCKET)
    if (crds === undefined) return
    const now = timestamp(this.#options.serverContext.now())
    const request = this.#request(crds, '', name)
    const status = { ...request, subresource: 'status', manager: MANAGER }
    await operations.changeThis(status, seen, (crd) => begun(crd, now))
    await Promise.all([...store.latestIn(name, undefined)].map((record) => this.#delete(name, record)))
    if ([...store.latestIn(name, undefined)].length > 0) return this.#clearing.addAfter(name, RETRY_MS)
    await operations.changeThis(status, seen, (crd) => ended(crd, now))
    await operations.changeThis(request, seen, withoutCleanup)
  }

  async #delete(bucket: string, { key, object }: StoredRecord): Promise<void> {
    const resource = this.#options.registry.ofBucket(bucket)
    const { namespace = '', name = '', uid } = object.metadata
    try {
      // Of what is not served nobody could remove a finalizer.
      if (resource === undefined) await this.#options.operations.discard(bucket, key)
      // Nobody is asked: upstream clears the storage beneath admission, and a webhook could hold the CRD for ever.
      else
        await this.#options.operations.remove(
          { ...this.#request(resource, namespace, name), admitted: true },
          uid === undefined ? {} : { uid },
        )
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error) && !(error instanceof StoreConflict)) throw error
    }
  }

  #request(resource: Resource, namespace: string, name: string): ObjectRequest {
    return {
      resource,
      namespace,
      name,
      subresource: '',
      caller: systemCaller('customresource-finalizer'),
      dryRun: false,
    }
  }

  #withdraw(name: string): void {
    for (const { group, version, resource } of this.#served.get(name)?.resources ?? [])
      this.#options.registry.remove(group, version, resource)
    this.#served.delete(name)
  }

  #endWatches({ resources }: Served): void {
    for (const served of resources) this.#options.watches.endAll(served)
  }
}

/**
 * Would a watch tell the same of what is served? Of a CRD that is on its way out it does, so that it tells how the
 * objects go.
 */
function isServedAlike(before: readonly ServedResource[], after: readonly ServedResource[]): boolean {
  const lasting = (served: ServedResource): unknown => ({ ...served, verbs: [], terminating: false })
  return jsonEqual(before.map(lasting), after.map(lasting))
}

const withTermination = (
  crd: CustomResourceDefinition,
  status: 'True' | 'False',
  [reason, message]: readonly [reason: string, message: string],
  now: string,
): KubeObject => {
  const conditions = objectsOf(statusOf(crd).conditions)
  const condition = { type: 'Terminating', status, reason, message }
  return {
    ...crd,
    status: { ...statusOf(crd), conditions: withApiCondition(conditions, condition, now) },
  }
}

const begun = (crd: CustomResourceDefinition, now: string): KubeObject =>
  withTermination(crd, 'True', ['InstanceDeletionInProgress', 'CustomResource deletion is in progress'], now)

const ended = (crd: CustomResourceDefinition, now: string): KubeObject =>
  withTermination(
    crd,
    'False',
    isEstablished(crd)
      ? ['InstanceDeletionCompleted', 'removed all instances']
      : ['NeverEstablished', 'resource was never established'],
    now,
  )

function withoutCleanup(crd: CustomResourceDefinition): KubeObject {
  const { finalizers = [] } = crd.metadata
  return {
    ...crd,
    metadata: { ...crd.metadata, finalizers: finalizers.filter((one) => one !== CLEANUP) },
  }
}

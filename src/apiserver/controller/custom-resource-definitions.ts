import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isConflict, isNotFound } from '../../machinery/status.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { isEstablished } from '../../kinds/apiextensions/definition-validation.ts'
import { objectsOf, statusOf } from '../../machinery/read.ts'
import { CLEANUP } from '../operation/deletion-mark.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { withManagers } from '../operation/managed-fields.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { Surroundings } from '../resource/surroundings.ts'
import type { OpenWatches } from '../storing/open-watches.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { DefinitionNames } from './definition-names.ts'
import { resourcesOf } from './definition-resources.ts'
import { statusOfDefinition, withCondition } from './definition-status.ts'

const BUCKET = 'customresourcedefinitions.apiextensions.k8s.io'
/** Objects of a deleted definition that wait for their finalizers are looked at again this often. */
const RETRY_MS = 500
/** The manager of the status of definitions in managed fields. */
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
  readonly surroundings: Pick<Surroundings, 'now'>
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
  /** The resources that each definition has put into the registry. */
  readonly #served = new Map<string, Served>()
  readonly #names = new DefinitionNames()
  readonly #clearing: WorkQueue

  constructor(options: CustomResourcesOptions) {
    const { store, onError } = options
    this.#options = options
    this.#clearing = new WorkQueue({ work: (name) => this.#clearUnlessGone(name), onError })
    store.watch({ bucket: BUCKET }, (event) => this.#follow(event))
    const definitions = [...store.latestIn(BUCKET, undefined)]
    for (const { object } of definitions) this.#names.note(object)
    for (const { key } of definitions) this.#settle(key)
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
      this.#settleWaiting(object)
    } else this.#settle(key)
    this.#options.onChange()
  }

  /** Names that a definition has given up may be what others wait for. */
  #settleWaiting(definition: KubeObject): void {
    for (const name of this.#names.waiting(definition)) this.#settle(name)
  }

  /** Decides which names of a definition are accepted, serves its resources by them, and reports so in its status. */
  #settle(name: string): void {
    const { store, surroundings } = this.#options
    const record = store.latest(BUCKET, name)
    if (record === undefined) return
    const definition = record.object
    const now = timestamp(surroundings.now())
    const status = statusOfDefinition(definition, this.#names.besides(definition), now)
    const settled = { ...definition, status }
    this.#serve(name, settled)
    if (this.#names.note(settled)) this.#settleWaiting(settled)
    if (definition.metadata.deletionTimestamp !== undefined) this.#clearing.add(name)
    if (jsonEqual(status, definition['status'])) return
    const definitions = this.#options.registry.ofBucket(BUCKET)
    if (definitions === undefined) return
    const request = { ...this.#request(definitions, '', name), subresource: 'status', manager: MANAGER }
    const managed = withManagers(request, definition, settled, undefined, now)
    // Whoever changed the definition in between causes another event, which brings us here again.
    this.#options.operations
      .replaceStatus(definitions, record, managed)
      .catch((error: unknown) => this.#options.onError(name, error))
  }

  #serve(name: string, definition: KubeObject): void {
    const wanted = resourcesOf(definition)
    const before = this.#served.get(name)
    if (jsonEqual(before?.resources ?? [], wanted)) return
    const since = this.#since(definition, before, wanted)
    this.#withdraw(name)
    for (const served of wanted) this.#options.registry.add({ ...served, schemasSince: since })
    this.#served.set(name, { resources: wanted, since })
    if (before !== undefined && !isServedAlike(before.resources, wanted)) this.#endWatches(before)
  }

  /** The revision up to which objects may have been written by other schemas than these. */
  #since({ metadata }: KubeObject, before: Served | undefined, wanted: readonly ServedResource[]): number {
    // When the schemas of a definition changed last, nobody has kept; not after its own last write.
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

  /** Deletes the objects of a deleted definition, and when there are none left lets the definition go. */
  async #clear(name: string): Promise<void> {
    const { store, registry, operations } = this.#options
    const seen = store.latest(BUCKET, name)?.object
    if (seen?.metadata.deletionTimestamp === undefined || seen.metadata.finalizers?.includes(CLEANUP) !== true) return
    // A definition is named after the resource, and so is the place of its objects.
    const definitions = registry.ofBucket(BUCKET)
    if (definitions === undefined) return
    const now = timestamp(this.#options.surroundings.now())
    const request = this.#request(definitions, '', name)
    const status = { ...request, subresource: 'status', manager: MANAGER }
    await operations.changeThis(status, seen, (definition) => begun(definition, now))
    await Promise.all([...store.latestIn(name, undefined)].map((record) => this.#delete(name, record)))
    if ([...store.latestIn(name, undefined)].length > 0) return this.#clearing.addAfter(name, RETRY_MS)
    await operations.changeThis(status, seen, (definition) => ended(definition, now))
    await operations.changeThis(request, seen, withoutCleanup)
  }

  async #delete(bucket: string, { key, object }: StoredRecord): Promise<void> {
    const resource = this.#options.registry.ofBucket(bucket)
    const { namespace = '', name = '', uid } = object.metadata
    try {
      // Of what is not served nobody could remove a finalizer.
      if (resource === undefined) await this.#options.operations.discard(bucket, key)
      // Nobody is asked: upstream clears the storage beneath admission, and a webhook could hold the definition for ever.
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
 * Would a watch tell the same of what is served? Of a definition that is on its way out it does, so that it tells how the
 * objects go.
 */
function isServedAlike(before: readonly ServedResource[], after: readonly ServedResource[]): boolean {
  const lasting = (served: ServedResource): unknown => ({ ...served, verbs: [], terminating: false })
  return jsonEqual(before.map(lasting), after.map(lasting))
}

const withTermination = (
  definition: KubeObject,
  status: 'True' | 'False',
  [reason, message]: readonly [reason: string, message: string],
  now: string,
): KubeObject => {
  const conditions = objectsOf(statusOf(definition).conditions)
  const condition = { type: 'Terminating', status, reason, message }
  return {
    ...definition,
    status: { ...statusOf(definition), conditions: withCondition(conditions, condition, now) },
  }
}

const begun = (definition: KubeObject, now: string): KubeObject =>
  withTermination(definition, 'True', ['InstanceDeletionInProgress', 'CustomResource deletion is in progress'], now)

const ended = (definition: KubeObject, now: string): KubeObject =>
  withTermination(
    definition,
    'False',
    isEstablished(definition)
      ? ['InstanceDeletionCompleted', 'removed all instances']
      : ['NeverEstablished', 'resource was never established'],
    now,
  )

function withoutCleanup(definition: KubeObject): KubeObject {
  const { finalizers = [] } = definition.metadata
  return {
    ...definition,
    metadata: { ...definition.metadata, finalizers: finalizers.filter((one) => one !== CLEANUP) },
  }
}

import type { PersistentVolume, PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { isNotFound } from '../../machinery/status.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import type { StoreEvent } from '../../store/record/event.ts'
import type { WatchHandle } from '../../store/revision/watchers.ts'
import { systemCaller } from '../../machinery/caller.ts'
import { objectOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { claimsOf, mayRun } from '../../kinds/core/volume/pod-claims.ts'
import { OWN_FINALIZERS } from '../../machinery/own-finalizers.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { Registry } from '../resource/registry.ts'
import type { IndexDefinition } from '../storing/object-index.ts'
import type { ObjectIndexes } from '../storing/object-indexes.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { withoutFinalizer } from '../operation/collection-decision.ts'

/** The rule that decides whether an object is in use. */
interface Usage {
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn'>
  readonly indexes: ObjectIndexes
}

interface Protection {
  readonly bucket: string
  readonly finalizer: string
  readonly controller: string
  /** Is the object still needed, so that its deletion has to wait? */
  readonly inUse: (usage: Usage, object: PersistentVolume) => boolean
}

const ATTRIBUTES_CLASSES = 'volumeattributesclasses.storage.k8s.io'
/** The resources that may use an attributes class. */
const HAVE_ATTRIBUTES = ['persistentvolumeclaims', 'persistentvolumes'] as const

const PROTECTIONS: readonly Protection[] = [
  {
    bucket: 'persistentvolumeclaims',
    finalizer: OWN_FINALIZERS.claim,
    controller: 'pvc-protection-controller',
    inUse: (usage, claim) => isClaimInUse(usage, claim),
  },
  {
    bucket: 'persistentvolumes',
    finalizer: OWN_FINALIZERS.volume,
    controller: 'pv-protection-controller',
    inUse: isVolumeInUse,
  },
  {
    bucket: ATTRIBUTES_CLASSES,
    finalizer: OWN_FINALIZERS.attributesClass,
    controller: 'volumeattributesclass-protection-controller',
    inUse: isAttributesClassInUse,
  },
]

export interface StorageProtectionOptions {
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn' | 'watch'>
  readonly indexes: ObjectIndexes
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly operations: Pick<ObjectOperations, 'changeThis'>
  readonly onError: (key: string, error: unknown) => void
}

/**
 * Upstream's protection controllers. A deleted claim goes when no pod that runs, or may run, mounts it. A deleted
 * volume goes when it is bound to no claim. A deleted attributes class goes when no claim and no volume has it or is to
 * get it.
 */
export class StorageProtection {
  readonly #options: StorageProtectionOptions
  readonly #queue: WorkQueue
  readonly #watches: readonly WatchHandle[]
  /** The keys of attributes classes that are being deleted: what uses them may come to its end. */
  readonly #leavingClasses = new Set<string>()

  constructor(options: StorageProtectionOptions) {
    const { store, onError } = options
    this.#options = options
    this.#queue = new WorkQueue({ work: (key) => this.#release(key), onError })
    this.#watches = [
      ...PROTECTIONS.map(({ bucket }) =>
        store.watch({ bucket }, ({ type, record }) => {
          if (type !== 'deleted') {
            if (isDeleting(record.object)) this.#add(bucket, record.key)
          } else if (bucket === ATTRIBUTES_CLASSES) this.#leavingClasses.delete(record.key)
        }),
      ),
      ...HAVE_ATTRIBUTES.map((bucket) => store.watch({ bucket }, ({ type }) => this.#onAttributed(type))),
      store.watch({ bucket: 'pods' }, (event) => this.#onPod(event)),
      store.watch({ bucket: 'persistentvolumeclaims' }, (event) => this.#onClaim(event)),
    ]
    for (const { bucket } of PROTECTIONS) {
      for (const { key, object } of store.latestIn(bucket, undefined)) if (isDeleting(object)) this.#add(bucket, key)
    }
  }

  whenIdle(): Promise<void> {
    return this.#queue.whenIdle()
  }

  async stop(): Promise<void> {
    for (const watch of this.#watches) watch.close()
    await this.#queue.stop()
  }

  #add(bucket: string, key: string): void {
    if (bucket === ATTRIBUTES_CLASSES) this.#leavingClasses.add(key)
    this.#queue.add(`${bucket} ${key}`)
  }

  /** A claim or volume that has another attributes class now, or is gone, may have been the last to use its former one. */
  #onAttributed(type: StoreEvent['type']): void {
    if (type === 'added') return
    for (const key of this.#leavingClasses) this.#queue.add(`${ATTRIBUTES_CLASSES} ${key}`)
  }

  /** A pod that ended, or is gone, may have been the last to hold its claims. */
  #onPod({ type, record }: StoreEvent): void {
    if (type !== 'deleted' && mayRun(record.object)) return
    for (const name of claimsOf(record.object)) {
      this.#queue.add(`persistentvolumeclaims ${record.object.metadata.namespace ?? ''}/${name}`)
    }
  }

  /** A claim that is gone frees the volume that it was bound to. */
  #onClaim({ type, record }: StoreEvent): void {
    const volume = textOf(specOf<PersistentVolumeClaim>(record.object)['volumeName'])
    if (type === 'deleted' && volume !== '') this.#queue.add(`persistentvolumes ${volume}`)
  }

  async #release(item: string): Promise<void> {
    const [bucket = '', key = ''] = item.split(' ')
    const protection = PROTECTIONS.find((one) => one.bucket === bucket)
    const { store, indexes, registry, operations } = this.#options
    const resource = registry.ofBucket(bucket)
    const object = store.latest(bucket, key)?.object
    if (protection === undefined || resource === undefined || object === undefined || !isDeleting(object)) return
    const { finalizer, inUse, controller } = protection
    if (!(object.metadata.finalizers ?? []).includes(finalizer) || inUse({ store, indexes }, object)) return
    const { namespace = '', name = '' } = object.metadata
    const request = { resource, namespace, name, subresource: '', caller: systemCaller(controller), dryRun: false }
    try {
      await operations.changeThis(request, object, (current) =>
        inUse({ store, indexes }, current) ? current : withoutFinalizer(current, finalizer),
      )
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}

const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined

function isAttributesClassInUse({ store }: Usage, { metadata: { name = '' } }: KubeObject): boolean {
  for (const bucket of HAVE_ATTRIBUTES)
    for (const { object } of store.latestIn(bucket, undefined)) {
      const { currentVolumeAttributesClassName, modifyVolumeStatus } = statusOf<PersistentVolumeClaim>(object)
      const target = objectOf(modifyVolumeStatus)['targetVolumeAttributesClassName']
      if (
        [
          specOf<PersistentVolumeClaim>(object)['volumeAttributesClassName'],
          currentVolumeAttributesClassName,
          target,
        ].includes(name)
      )
        return true
    }
  return false
}

/** Pods by the claims that they name: a namespace of many pods and claims is not read through for each claim that goes. */
const PODS_BY_CLAIM: IndexDefinition = {
  bucket: 'pods',
  termsOf: (pod) => claimsOf(pod).map((claim) => `${pod.metadata.namespace ?? ''}/${claim}`),
}

const isClaimInUse = ({ indexes }: Usage, { metadata: { namespace = '', name = '' } }: KubeObject): boolean =>
  indexes.of(PODS_BY_CLAIM).find(`${namespace}/${name}`).some(mayRun)

/** Nothing here binds volumes, or says of one that its claim is gone: a claim that is not there holds nothing. */
function isVolumeInUse({ store }: Usage, volume: PersistentVolume): boolean {
  if (statusOf(volume)['phase'] !== 'Bound') return false
  const { namespace, name, uid } = objectOf(specOf(volume)['claimRef'])
  if (name === undefined) return true
  const claim = store.latest('persistentvolumeclaims', `${textOf(namespace)}/${textOf(name)}`)?.object
  return claim !== undefined && (uid === undefined || claim.metadata.uid === uid)
}

import { controllerOf, type KubeObject, type OwnerReference } from '../../../machinery/object.ts'
import type { IndexDefinition } from '../../storing/object-index.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'

/** A reference by which `owner` manages an object. */
export function controllerReference({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name = '', uid = '' } = metadata
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** The object, managed by `owner` from now on. */
export function adopted(object: KubeObject, owner: KubeObject): KubeObject {
  const { ownerReferences = [], ...metadata } = object.metadata
  return { ...object, metadata: { ...metadata, ownerReferences: [...ownerReferences, controllerReference(owner)] } }
}

const uidOf = (object: KubeObject): string | undefined => controllerOf(object)?.uid

/** Finds the objects of a bucket by their controlling owner, at a cost that grows with these objects only. */
export class OwnedObjects {
  readonly #indexes: WorkloadPort['indexes']
  readonly #byOwner: IndexDefinition
  /** Those that nobody manages, by namespace. */
  readonly #orphans: IndexDefinition

  constructor(indexes: WorkloadPort['indexes'], bucket: string) {
    this.#indexes = indexes
    this.#byOwner = { bucket, termsOf: (object) => listed(uidOf(object)) }
    this.#orphans = { bucket, termsOf: (object) => (uidOf(object) === undefined ? [namespaceOf(object)] : []) }
    for (const definition of [this.#byOwner, this.#orphans]) indexes.of(definition)
  }

  /** The newest states of what an owner manages. */
  of(uid: string | undefined): readonly KubeObject[] {
    return this.#indexes.of(this.#byOwner).find(uid ?? '')
  }

  /** The newest states of what nobody manages in a namespace. */
  orphansIn(namespace: string): readonly KubeObject[] {
    return this.#indexes.of(this.#orphans).find(namespace)
  }
}

const listed = (term: string | undefined): readonly string[] => (term === undefined ? [] : [term])

const namespaceOf = ({ metadata }: KubeObject): string => metadata.namespace ?? ''

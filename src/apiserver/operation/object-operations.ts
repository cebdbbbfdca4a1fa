import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { QuotaAdmission } from '../resource-quota/quota-admission.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import type { Outcome } from '../storing/outcome.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import { type ApplyOptions, apply } from './apply.ts'
import { create } from './create.ts'
import { type DeleteOptions, type Deletion, remove } from './delete.ts'
import { type SubresourceKind, admittedSubresourceBody, admittedSubresourceObject } from './subresource-body.ts'
import { expire, replaceStatus } from './unreviewed-writes.ts'
import { type Transform, type UpdateContext, type UpdateOptions, update } from './update.ts'
import { notFound } from '../../machinery/status.ts'

export interface ObjectOperationsOptions extends UpdateContext {
  readonly admission: AdmissionChain
  readonly quotaAdmission: QuotaAdmission
  readonly registry: Pick<Registry, 'schemas'>
}

/**
 * The writes of objects: with all of admission, those that the server makes of itself aside, and always with the quotas.
 * Requests and controllers write through them.
 */
export class ObjectOperations {
  readonly #context: ObjectOperationsOptions

  constructor(context: ObjectOperationsOptions) {
    this.#context = context
  }

  /** See `create`. */
  create(request: ObjectRequest, object: KubeObject): Promise<Outcome> {
    return create(this.#context, request, object)
  }

  /** See `update`. */
  update(request: ObjectRequest, transform: Transform, options: UpdateOptions): Promise<Outcome> {
    return update(this.#context, request, transform, options)
  }

  /** See `changeThis`. */
  changeThis(request: ObjectRequest, seen: KubeObject, change: (current: KubeObject) => KubeObject): Promise<void> {
    return changeThis(this.#context, request, seen, change)
  }

  /** See `apply`. */
  apply(request: ObjectRequest, options: ApplyOptions): Promise<Outcome> {
    return apply(this.#context, request, options)
  }

  /** See `remove`. */
  remove(request: ObjectRequest, options: DeleteOptions): Promise<Deletion> {
    return remove(this.#context, request, options)
  }

  /** See `expire`. */
  expire(resource: Resource, record: StoredRecord): Promise<void> {
    return expire(this.#context, resource, record)
  }

  /** See `replaceStatus`. */
  replaceStatus(resource: Resource, record: StoredRecord, object: KubeObject): Promise<void> {
    return replaceStatus(this.#context, resource, record, object)
  }

  /** See `QuotaAdmission.discard`. */
  discard(bucket: string, key: string): Promise<void> {
    return this.#context.quotaAdmission.discard(bucket, key)
  }

  /** See `admittedSubresourceBody`. */
  admittedBody(request: ObjectRequest, kind: SubresourceKind, body: JsonObject): Promise<KubeObject> {
    return admittedSubresourceBody(this.#context, request, kind, body)
  }

  /** See `admittedSubresourceObject`. */
  admittedObject(request: ObjectRequest, object: KubeObject): Promise<KubeObject> {
    return admittedSubresourceObject(this.#context, request, object)
  }
}

/**
 * Writes what `change` makes of the newest state of an object that was seen before. Throws 404 when that object is gone,
 * also where another has taken its name: what was decided about the one says nothing about the other.
 */
async function changeThis(
  context: UpdateContext,
  request: ObjectRequest,
  { metadata: { uid } }: KubeObject,
  change: (current: KubeObject) => KubeObject,
): Promise<void> {
  const transform = (current: KubeObject): KubeObject => {
    if (current.metadata.uid !== uid) throw notFound(request.resource.id, request.name)
    return change(current)
  }
  await update(context, request, transform, { wholeObject: false })
}

import { CONTROL_PLANE } from '../../machinery/caller.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { QuotaAdmission } from '../resource-quota/quota-admission.ts'
import type { Resource } from '../resource/registry.ts'

/** The serverContext of writes without admission. */
export interface UnreviewedContext {
  readonly quotaAdmission: Pick<QuotaAdmission, 'commit'>
}

/**
 * Deletes an object whose time is over, whatever its finalizers. Quotas get back what it used. Throws StoreConflict when the
 * object has changed.
 */
export async function expire(
  { quotaAdmission }: UnreviewedContext,
  resource: Resource,
  { bucket, key, revision, object }: StoredRecord,
): Promise<void> {
  const review = { ...reviewOf(resource, object), operation: 'DELETE' as const, oldObject: object }
  await quotaAdmission.commit(review, { type: 'delete', bucket, key, expect: { revision } })
}

/** Replaces the status of an object, as the server itself sees it. Throws StoreConflict when the object has changed. */
export async function replaceStatus(
  { quotaAdmission }: UnreviewedContext,
  resource: Resource,
  { bucket, key, revision, object: oldObject }: StoredRecord,
  object: KubeObject,
): Promise<void> {
  const review = { ...reviewOf(resource, object), operation: 'UPDATE' as const, oldObject, subresource: 'status' }
  await quotaAdmission.commit(review, { type: 'put', bucket, key, object, expect: { revision } })
}

const reviewOf = (resource: Resource, object: KubeObject) => ({
  resource,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name ?? '',
  subresource: '',
  caller: CONTROL_PLANE,
  dryRun: false,
  admitted: true,
  object,
})

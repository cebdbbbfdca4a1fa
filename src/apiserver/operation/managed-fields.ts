import { fieldSet, type FieldSet } from '../../schema/apply/field/field-set.ts'
import { trackUpdate } from '../../schema/apply/track-update.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { Resource } from '../resource/registry.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { withMetadata } from '../resource/metadata.ts'

const STATUS = fieldSet(['status'])
const OF_STATUS = {
  nothing: fieldSet(['spec']),
  labels: fieldSet(['spec'], ['metadata', 'labels']),
  metadata: fieldSet(['spec'], ['metadata']),
} as const

/** The fields that a write to one half of an object cannot change, so that its manager does not come to own it. */
export function resetFields({ served, strategy }: Resource, subresource: string): FieldSet | undefined {
  const own = strategy.resets?.[subresource]
  if (own !== undefined) return fieldSet(...own.map((path) => [...path]))
  if (!served.subresources.some(({ name }) => name === 'status')) return undefined
  return subresource === 'status' ? OF_STATUS[strategy.statusKeeps ?? 'nothing'] : STATUS
}

/**
 * The object with the field owners after this write. Only what clients write is tracked: a request without a manager comes
 * from the control plane itself and leaves the managers as they are.
 * @param sent the managed fields that the client sent, an empty list among them: it asks to forget all managers
 */
export function withManagers(
  request: ObjectRequest,
  live: KubeObject | undefined,
  updated: KubeObject,
  sent: ObjectMeta['managedFields'],
  time: string,
): KubeObject {
  const { resource, subresource, manager } = request
  if (manager === undefined) return updated
  const { managedFields: replaced, ...metadata } = updated.metadata
  const managers = trackUpdate({
    type: resource.merging,
    live,
    updated:
      replaced === sent
        ? updated
        : withMetadata(updated, sent === undefined ? metadata : { ...metadata, managedFields: sent }),
    manager,
    apiVersion: resource.apiVersion,
    versions: resource.versions(),
    subresource,
    time,
    resetFields: resetFields(resource, subresource),
  })
  return withMetadata(updated, managers.length === 0 ? metadata : { ...metadata, managedFields: managers })
}

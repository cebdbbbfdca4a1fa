import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { managedFieldsProblem } from '../../schema/apply/manager/managers.ts'
import { managedFieldsOf } from '../../schema/apply/track-update.ts'
import { withMetadata } from '../resource/metadata.ts'

/**
 * The object that admission has made, with the managed fields of before where it made them invalid; the client is warned of it
 * (upstream `NewManagedFieldsValidatingAdmissionController`). Else server-side apply would know nothing of the object any more.
 */
export function withSoundManagers(
  before: KubeObject,
  after: KubeObject,
  warn: (message: string) => void = () => undefined,
): KubeObject {
  const [former, given] = [before.metadata.managedFields, after.metadata.managedFields]
  if (given === undefined || given === former || jsonEqual(given, former)) return after
  const problem = managedFieldsProblem(managedFieldsOf(after) ?? [])
  if (problem === undefined) return after
  warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${problem}`,
  )
  const { managedFields: _invalid, ...metadata } = after.metadata
  return withMetadata(after, former === undefined ? metadata : { ...metadata, managedFields: former })
}

import type { KubeObject } from '../machinery/object.ts'
import { type Share, shareStrings } from './string-pool.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object without what only its writers need (who manages which field, what was applied last), its strings shared. */
export function slimObject<O extends KubeObject>(object: O, share: Share): O {
  const { managedFields: _, annotations, ...metadata } = object.metadata
  const { [LAST_APPLIED]: __, ...notes } = annotations ?? {}
  const slim = { ...metadata, ...(annotations === undefined ? {} : { annotations: notes }) }
  return shareStrings({ ...object, metadata: slim }, share)
}

import type { KubeObject } from '../../machinery/object.ts'
import { shareStrings, type StringPool } from './string-pool.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** An object without what only its writers need: the managed fields and the last applied configuration. */
export function slimMetadata<O extends KubeObject>(object: O): O {
  const { managedFields: _, annotations, ...metadata } = object.metadata
  const { [LAST_APPLIED]: __, ...notes } = annotations ?? {}
  return { ...object, metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations: notes }) } }
}

/** The same, its strings shared. */
export function slimObject<O extends KubeObject>(object: O, share: StringPool): O {
  return shareStrings(slimMetadata(object), share)
}

import { type Int64, successor } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { set, setOrDrop } from '../rule/change.ts'
import { semanticallyEqual } from '../rule/equality.ts'
import type { Strategy } from './strategy.ts'

type Preparation = Required<Pick<Strategy, 'prepareForCreate' | 'prepareForUpdate' | 'prepareForStatusUpdate'>>

interface Traits {
  /** The status that a new object starts with; without it the kind has no status of its own. */
  readonly status?: JsonObject
  readonly generation?: boolean
}

/**
 * The lifecycle of most kinds: a create drops the given status, an update keeps the stored one, `/status` changes
 * nothing else but metadata, and `metadata.generation` counts the changes outside metadata and status.
 */
export function lifecycle({ status, generation = false }: Traits): Preparation {
  const hasStatus = status !== undefined
  return {
    prepareForCreate: (object) => {
      const started = hasStatus ? set(object, 'status', status) : object
      return generation ? withGeneration(started, 1) : started
    },
    prepareForUpdate: (object, old) => {
      const kept = hasStatus ? setOrDrop(object, 'status', old.status) : object
      return generation ? nextGeneration(kept, old) : kept
    },
    prepareForStatusUpdate: statusOnly,
  }
}

/** The stored object with the status and metadata of the new one. */
export function statusOnly(object: KubeObject, old: KubeObject): KubeObject {
  const { generation } = old.metadata
  const metadata = generation === undefined ? object.metadata : { ...object.metadata, generation }
  const updated: KubeObject = { ...old, apiVersion: object.apiVersion, metadata }
  return setOrDrop(updated, 'status', object.status)
}

/** The object with the managers of another: all that a write of the status changes of some kinds' metadata. */
export function withManagersOf(object: KubeObject, source: KubeObject): KubeObject {
  const { managedFields: _old, ...metadata } = object.metadata
  const { managedFields } = source.metadata
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } }
}

export const withGeneration = (object: KubeObject, generation: Int64): KubeObject =>
  object.metadata.generation === generation ? object : { ...object, metadata: { ...object.metadata, generation } }

/** The object with the stored generation, one higher if anything but metadata and status differs. */
export function nextGeneration(object: KubeObject, old: KubeObject): KubeObject {
  const { generation = 0 } = old.metadata
  return withGeneration(object, differsInContent(object, old) ? successor(generation) : generation)
}

const OUTSIDE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])

function differsInContent(object: KubeObject, old: KubeObject): boolean {
  for (const key in object) if (!OUTSIDE.has(key) && !semanticallyEqual(object[key], old[key])) return true
  for (const key in old)
    if (!OUTSIDE.has(key) && !(key in object) && !semanticallyEqual(undefined, old[key])) return true
  return false
}

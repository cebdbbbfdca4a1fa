import { keepEqual } from '../cluster/keep-equal.ts'
import { isObject, type KubeObject } from '../../machinery/object.ts'
import { setOwn } from '../../machinery/json-value.ts'
import { shareStrings, type StringPool } from '../../kube/cache/string-pool.ts'

/** The kept part of an object: its identity, and some fields. */
export interface KeptFields {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** By their paths; one that the object does not have is absent. */
  readonly fields: Readonly<Record<string, unknown>>
}

type Keep = (object: KubeObject, share: StringPool, old: KeptFields | undefined) => KeptFields

const known = new Map<string, Keep>()

/** Keeps only these fields of objects, as `spec.replicas`. Systems that ask for the same fields get the same function, and so share them. */
export function keepFields(...paths: readonly string[]): Keep {
  const key = paths.toSorted().join('\n')
  const keep = known.get(key) ?? keeping(paths)
  known.set(key, keep)
  return keep
}

const keeping =
  (paths: readonly string[]): Keep =>
  (object, share, old) => {
    const { namespace = '', name = '', uid = '' } = object.metadata
    const fields: Record<string, unknown> = {}
    for (const path of paths) {
      const value = valueAtPath(object, path)
      if (value !== undefined) setOwn(fields, path, shareStrings(value, share))
    }
    return keepEqual({ namespace: share(namespace), name, uid, fields }, old)
  }

function valueAtPath(object: unknown, path: string): unknown {
  let value = object
  for (const step of path.split('.')) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  return value
}

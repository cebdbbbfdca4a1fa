import { AdvisingError } from '../../machinery/advising-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { ApiError } from '../../machinery/status.ts'
import { idOf } from '../explain/facts.ts'
import type { Decoder } from '../schemas.ts'
import { type KnownKind, strategyOf } from './admission.ts'

/** What `helm test` makes, and nobody who installs the chart. */
const HOOK_ANNOTATION = 'helm.sh/hook'

/** A manifest in its namespace. */
export function placed(given: KubeObject, kind: KnownKind | undefined, namespace: string): KubeObject {
  if (kind?.namespaced !== true || (given.metadata.namespace ?? '') !== '') return given
  return { ...given, metadata: { ...given.metadata, namespace } }
}

export const isHelmTest = ({ metadata: { annotations } }: KubeObject): boolean =>
  textOf(objectOf(annotations)[HOOK_ANNOTATION])
    .split(',')
    .some((one) => /^test(?:-success|-failure)?$/.test(one.trim()))

/** An object of files is none that an API server would have. */
export class GivenError extends AdvisingError {}

/** Names an object in a sentence. */
export function nameOf(object: KubeObject): string {
  const { kind, namespace, name } = idOf(object)
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
}

/** An object as it is decoded. Throws GivenError. */
export function readable(object: KubeObject, decode: Decoder): KubeObject {
  try {
    return decode(object, false)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new GivenError(`${nameOf(object)} of what is there: ${error.message}`, 'mend the object')
  }
}

/** An object of a file as an API server would have it. */
export function completed(kind: KnownKind, object: KubeObject, now: string): KubeObject {
  const { creationTimestamp = now } = object.metadata
  const dated = { ...object, metadata: { ...object.metadata, creationTimestamp } }
  return strategyOf(kind)?.defaults?.(dated) ?? dated
}

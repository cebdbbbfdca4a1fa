import { isObject, type JsonObject } from '../../machinery/object.ts'
import { textOf } from '../../machinery/read.ts'

/** An applied configuration as messages name it. */
export interface AppliedSubject {
  readonly apiVersion: string
  /** `apps/v1, Kind=Deployment` */
  readonly kind: string
  /** `namespace/name; apps/v1, Kind=Deployment` */
  readonly subject: string
}

export function appliedSubject(applied: JsonObject): AppliedSubject {
  const apiVersion = textOf(applied['apiVersion'])
  const parts = apiVersion.split('/')
  const metadata = isObject(applied['metadata']) ? applied['metadata'] : {}
  // An invalid group and version has no kind either.
  const known = parts.length <= 2
  const [group, version] = known ? (parts.length === 2 ? parts : ['', apiVersion]) : ['', '']
  const kind = `${group}/${version}, Kind=${known ? textOf(applied['kind']) : ''}`
  return { apiVersion, kind, subject: `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}; ${kind}` }
}

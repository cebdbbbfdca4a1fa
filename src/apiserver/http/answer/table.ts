import { Allowance } from '../../../machinery/jsonpath/limits.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { badRequest, failure } from '../../../machinery/status.ts'
import type { Rendering } from '../../../runtime/http/media-type.ts'
import type { Resource } from '../../resource/registry.ts'
import { packageOf } from '../../decoding/body-kind.ts'

/** A CRD may have thousands of columns whose paths visit all of an object: what goes beyond these leaves cells empty. */
const STEPS = 2_000_000
const STEPS_A_ROW = 1000

/** The version in which clients ask for tables and metadata. */
type Version = Rendering['version']

/** `PartialObjectMetadata` of an object. */
export const metadataOnly = ({ metadata }: KubeObject, version: Version): JsonObject => ({
  kind: 'PartialObjectMetadata',
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
})

/** Refuses with 406 a shape that is for objects where a list is asked for, or the other way round. */
export function checkShape({ shape }: Rendering, { served }: Resource, isList: boolean): void {
  const wanted = isList ? 'metadata-list' : 'metadata'
  if (shape === 'object' || shape === 'table' || shape === wanted) return
  const type =
    served.custom === true
      ? `unstructured.Unstructured${isList ? 'List' : ''}`
      : `${packageOf(served.group)}.${isList ? served.listKind : served.kind}`
  const asked = isList ? 'PartialObjectMetadata' : 'PartialObjectMetadataList'
  const text = `you requested ${asked}, but the requested object is ${isList ? 'a' : 'not a'} list (*${type})`
  throw failure(406, 'NotAcceptable', text, {})
}

/** The rows of a table: so many objects, each of which is read once. */
export interface TableRows {
  readonly objects: Iterable<KubeObject>
  readonly count: number
}

const INCLUDED: readonly (string | null)[] = [null, '', 'Metadata', 'Object', 'None']

/**
 * Objects as `meta.k8s.io Table`. `include` is the query parameter includeObject: rows carry the metadata unless it asks
 * for None or for the whole Object. Throws 400 for another.
 */
export function tableOf(
  resource: Resource,
  { objects, count }: TableRows,
  metadata: JsonObject,
  now: number,
  include: string | null,
  version: Version,
  withColumns = true,
): JsonObject {
  const { fields, row } = tableParts(resource, count, metadata, now, include, version, withColumns)
  return { ...fields, rows: Array.from(objects, row) }
}

/** A table in parts: what precedes its rows, and what makes each of `count` rows. Throws as `tableOf`. */
export function tableParts(
  { columns }: Resource,
  count: number,
  metadata: JsonObject,
  now: number,
  include: string | null,
  version: Version,
  withColumns = true,
): { readonly fields: JsonObject; readonly row: (object: KubeObject) => JsonObject } {
  if (!INCLUDED.includes(include))
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    )
  const context = { now, allowance: new Allowance(STEPS + count * STEPS_A_ROW) }
  return {
    fields: {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      columnDefinitions: withColumns
        ? columns.map(({ name, type, format, description, priority }) => ({
            name,
            type,
            format,
            description,
            priority,
          }))
        : null,
    },
    row: (object) => ({
      cells: columns.map(({ cell }) => cell(object, context)),
      ...(include === 'None' ? {} : { object: include === 'Object' ? object : metadataOnly(object, version) }),
    }),
  }
}

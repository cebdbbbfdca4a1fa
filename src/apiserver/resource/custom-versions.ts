import { oncePerObject } from '../../machinery/once-per-object.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { apiVersionOf } from '../../machinery/group-version.ts'
import { affordableDefaults, applyDefaults } from '../../schema/structural/defaults/apply.ts'
import { prune } from '../../schema/structural/defaults/prune-unknown.ts'
import { readStructural } from '../../schema/structural/read-schema.ts'
import type { StructuralSchema } from '../../schema/structural/value/structural-schema.ts'
import { type ServedResource } from './served-resource.ts'
import type { Conversion } from '../../kinds/strategy/version-conversion.ts'

/**
 * The compiled form of a schema that was found to be structural before. Versions of one CRD share their schemas, and
 * each is compiled once.
 */
export const structuralOf = oncePerObject((schema: JsonObject): StructuralSchema => readStructural(schema))

/**
 * The versions of a custom resource differ in their names and schemas (`strategy: None`). An object that is read is pruned and
 * defaulted by the schema of the version that it is stored in, then shown as another version, and pruned by that one's
 * schema. An object written since the last change of the schemas is so already, and costs nothing. An object that cannot take the
 * defaults of today is shown without them, so that it can be read and deleted, and is refused when it is written.
 */
export function customVersions(bucket: string, served: ServedResource): Conversion {
  const { group, kind, definedVersions = [], schemasSince = 0 } = served
  const apiVersion = apiVersionOf(served)
  const schemas = new Map(
    definedVersions.map(({ name, schema }) => [apiVersionOf({ group, version: name }), structuralOf(schema)]),
  )
  const stored = definedVersions.find(({ storage }) => storage)?.name ?? served.version
  const storageVersion = apiVersionOf({ group, version: stored })
  const start = `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`

  const asVersion = (object: KubeObject, wanted: string): KubeObject =>
    object.apiVersion === wanted ? object : pruned(schemas.get(wanted), { ...object, apiVersion: wanted })
  const isFresh = ({ apiVersion: current, metadata }: KubeObject): boolean =>
    current === storageVersion && Number(metadata.resourceVersion) > schemasSince
  const renewed = (object: KubeObject): KubeObject => {
    const schema = schemas.get(object.apiVersion)
    if (schema === undefined || isFresh(object)) return object
    return whereAffordable(schema, pruned(schema, object))
  }
  return {
    bucket,
    fromStored: (object) => asVersion(renewed(object), apiVersion),
    // Objects are stored as they will be read: a status that was dropped may have defaults.
    toStored: (object) => defaulted(schemas.get(storageVersion), asVersion(object, storageVersion)),
    asStored: (object) => whereAffordable(schemas.get(storageVersion), asVersion(object, storageVersion)),
    isServed: ({ text, revision }) => revision > schemasSince && text.startsWith(start),
  }
}

/**
 * With its defaults; they are added to an object, so it stays one. Throws 413 where they are too much, unless the object is
 * on its way out: its finalizers must come off.
 */
export const defaulted = (schema: StructuralSchema | undefined, object: KubeObject, keepsNulls = false): KubeObject => {
  if (schema === undefined) return object
  if (object.metadata.deletionTimestamp !== undefined) return whereAffordable(schema, object, keepsNulls)
  return applyDefaults(schema, object, keepsNulls) as KubeObject
}

/** With its defaults, or as it is where they are too much. */
const whereAffordable = (schema: StructuralSchema | undefined, object: KubeObject, keepsNulls = false): KubeObject =>
  schema === undefined ? object : ((affordableDefaults(schema, object, keepsNulls) ?? object) as KubeObject)

/** Fields are taken from an object, so it stays one. */
const pruned = (schema: StructuralSchema | undefined, object: KubeObject): KubeObject =>
  schema === undefined ? object : (prune(schema, object).object as KubeObject)

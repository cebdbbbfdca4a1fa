import { omittedFields } from '../../apiserver/protobuf/omitted-field.ts'
import type { ProtobufData } from '../../apiserver/protobuf/data.ts'
import type { Schemas } from '../../insight/schemas.ts'
import { groupOf } from '../../machinery/group-version.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { decodeObject } from '../../schema/type/decode.ts'
import { readSchema } from '../schema-file.ts'

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1) ?? ''

/**
 * The built-in kinds as an API server knows them for kubectl. Decodes their objects: wrong types and unknown fields are refused, amounts get their
 * canonical spelling. Of others only the metadata is decoded. Made once for a command: it reads files.
 */
export function builtinSchemas(): Schemas {
  const { definitions } = readSchema('kubernetes-1.36-definitions') as { readonly definitions: SchemaDefinitions }
  const schemas = compileSchema(definitions, omittedFields(readSchema('kubernetes-1.36-protobuf') as ProtobufData))
  // The metadata of all kinds has one type.
  const anyType = schemas.typeOf({ group: '', version: 'v1', kind: 'ConfigMap' })
  const typeOf: Schemas['typeOf'] = ({ apiVersion, kind }) =>
    schemas.typeOf({ group: groupOf(apiVersion), version: versionOf(apiVersion), kind })
  const decode: Schemas['decode'] = (object, isStrict) => {
    const { apiVersion, kind, metadata } = object
    const version = versionOf(apiVersion)
    const type = typeOf(object)
    if (type === undefined) {
      if (anyType === undefined) return object
      const { object: checked } = decodeObject(
        anyType,
        { apiVersion, kind, metadata },
        { version, kind },
        { strict: isStrict },
      )
      return { ...object, metadata: objectOf(objectOf(checked)['metadata']) }
    }
    const hasSpec = type.fields.get('spec')?.type.kind === 'object'
    const whole = hasSpec && !('spec' in object) ? { ...object, spec: {} } : object
    return objectOf(decodeObject(type, whole, { version, kind }, { strict: isStrict }).object) as unknown as KubeObject
  }
  return { decode, typeOf }
}

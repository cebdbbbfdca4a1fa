import { omittedFields } from '../../apiserver/protobuf/omitted-field.ts'
import type { ProtobufData } from '../../apiserver/protobuf/data.ts'
import type { Decoder } from '../../insight/simulate/given-manifests.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { decodeObject } from '../../schema/type/decode.ts'
import { readSchema } from '../schema-file.ts'

/**
 * Decodes objects of built-in kinds as an API server does for kubectl: wrong types and unknown fields are refused, amounts get their canonical spelling.
 * Of others only the metadata is decoded. Made once for a command: it reads files.
 */
export function builtinDecoder(): Decoder {
  const { definitions } = readSchema('kubernetes-1.36-definitions') as { readonly definitions: SchemaDefinitions }
  const schemas = compileSchema(definitions, omittedFields(readSchema('kubernetes-1.36-protobuf') as ProtobufData))
  // The metadata of all kinds has one type.
  const anyType = schemas.typeOf({ group: '', version: 'v1', kind: 'ConfigMap' })
  return (object, isStrict) => {
    const [version = '', group = ''] = object.apiVersion.split('/').toReversed()
    const { kind } = object
    const type = schemas.typeOf({ group, version, kind })
    if (type === undefined) {
      if (anyType === undefined) return object
      const { apiVersion, metadata } = object
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
}

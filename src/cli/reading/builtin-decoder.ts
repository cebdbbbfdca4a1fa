import { omittedFields } from '../../apiserver/protobuf/omitted-field.ts'
import type { ProtobufData } from '../../apiserver/protobuf/protobuf-data.ts'
import type { Decoder } from '../../insight/simulate/simulate.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { compileSchema, type SchemaDefinitions } from '../../schema/type/compile.ts'
import { decodeObject } from '../../schema/type/decode.ts'
import { readSchema } from '../schema-file.ts'

/**
 * Decodes objects of built-in kinds as an API server does for kubectl: wrong types and unknown fields are refused, amounts get their canonical spelling.
 * Others stay as they are. Made once for a command: it reads files.
 */
export function builtinDecoder(): Decoder {
  const { definitions } = readSchema('kubernetes-1.36-definitions') as { readonly definitions: SchemaDefinitions }
  const schemas = compileSchema(definitions, omittedFields(readSchema('kubernetes-1.36-protobuf') as ProtobufData))
  return (object, isStrict) => {
    const [version = '', group = ''] = object.apiVersion.split('/').toReversed()
    const { kind } = object
    const type = schemas.typeOf({ group, version, kind })
    if (type === undefined) return object
    const hasSpec = type.fields.get('spec')?.type.kind === 'object'
    const whole = hasSpec && !('spec' in object) ? { ...object, spec: {} } : object
    return objectOf(decodeObject(type, whole, { version, kind }, { strict: isStrict }).object) as unknown as KubeObject
  }
}
